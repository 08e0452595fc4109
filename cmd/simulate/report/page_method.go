package report

import "strings"

// method writes how the numbers came about, and where they end.
func (in *Input) method(d *document) {
	cells := in.choose(func(*Cell) bool { return true })
	all, open := in.tally(cells...), 0
	for _, c := range cells {
		if t := in.tally(c); t.violated == 0 && t.open > 0 {
			open++
		}
	}
	d.line("## Method, limits, versions")
	d.line("")
	d.paragraph("", "The compiled lock code runs on the real go-redis against real command engines in a bubble of virtual time; a controller owns every message, "+
		"clock and crash. A run is a function of its plan and seed. Oracles judge in true time, which no process can read. [ARCHITECTURE.md](ARCHITECTURE.md) has "+
		"the whole, [checker/HISTORY.md](checker/HISTORY.md) what each oracle means, and [tla/README.md](tla/README.md) the models. This page sums up %d runs in %d "+
		"cells; %s plays them. %d of the cells are open: inconclusive, with the command beside them in CELLS.md.", all.runs, all.cells+all.idle, code(in.Results.Made), open)
	d.line("")
	for _, limit := range []string{
		"\"Holds\" means that no counterexample was found in these runs; for the models, in none of the states within their bounds.",
		"Where a lock reports no end of its validity, we estimate it: the start of the attempt that won, or else the call of the acquisition, plus the TTL, on the client's clock.",
		"The restart guard cannot see at first contact that a node is a promoted replica: nothing that INFO says tells a newcomer (BA-5-newcomer).",
		"Two addresses of one server cost fault tolerance, not safety (BA-9-same). Package redlock refuses them (BA-9-refused).",
		"A caller who wants a lock without end calls redlock-php and redislock again when they give up: that is ours, not theirs.",
		"redsync and redislock read the world's true time, so faults of clients' clocks are n/a for them, and a pause acts where they touch the network.",
		"Power loss cannot be tried on a real server here; it is modelled after Redis' documentation.",
		"With `appendfsync everysec` a server holds acknowledged writes back while a sync runs, for two seconds at most. A crash of the process loses them (RP-2-slow-disk, held to a real server): RP-2's second half holds where the disk keeps up.",
		"How a simulated node was held to a real server: [CELLS.md](cmd/simulate/report/CELLS.md#how-far-a-simulated-node-is-a-redis-server).",
	} {
		d.paragraph("  ", "- %s", limit)
	}
	d.line("")
	d.paragraph("", "Versions (`go list -m all`): %s.", strings.Join(in.Versions, ", "))
}
