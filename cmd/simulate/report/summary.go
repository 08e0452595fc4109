package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// advice is one line of the summary: what to do, and the runs that say so.
type advice struct {
	do, because string
	subject     string   // whose runs are summed up; empty: those of the systems
	claims      []string // that they are about
	systems     []string // instead of a subject: these, one by one
}

// summary is what a practitioner can act on. The advice is ours; each line
// carries what the runs behind it came to, and the command that plays them.
func (in *Input) summary(d *document) {
	d.line("## In ten sentences")
	d.line("")
	d.paragraph("", "Behind each sentence is its number, in how many runs any oracle was violated, and the command that plays them.")
	d.line("")
	promises := []string{"MX-1", "MX-2", "MX-3", "MX-4", "MX-5", "MX-6", "MX-7", "MX-8", "MX-9", "MX-10", "MX-11"}
	for i, a := range []advice{
		{"Redlock excludes, as long as what it assumes is true", in.kept("SY-10", promises) + " by package redlock, whatever the network, crashes of a minority, pauses and contention. The next lines are what it assumes.",
			"SY-10", promises, nil},
		{"Where a late effect does damage, have the resource check a fencing token at every access, reads included", "A holder that stands still, or a write that is slow on its way, arrives after the lease however right the lock is; a fence that looks at writes only still loses updates.",
			"SY-10", []string{"RS-1", "RS-2", "RS-3", "RP-5"}, nil},
		{"Do not let a node come back without its memory", "Run it with `appendfsync always`, or keep it out for longer than the largest TTL, or let every client refuse young nodes (`redlock.WithRestartGuard`). `everysec` survives a crash of the process, if no sync runs; not of the machine.",
			"SY-10", []string{"BA-2", "BA-3", "BA-4", "RP-1", "RP-2", "RP-3", "RP-4"}, nil},
		{"Do not put a node behind an asynchronous failover (Sentinel, Cluster, a managed pair)", "The promoted replica has forgotten votes. The guard sees it only in clients that knew the master; a client that comes later cannot (BA-5-newcomer).",
			"SY-10", []string{"BA-5"}, nil},
		{"Slew the clocks of nodes, never step them, and measure validity on a clock that counts suspension", "The customary allowance of 1 % + 2 ms covers clocks that err by " + bound() + " each.",
			"SY-10", []string{"BA-1", "BA-6", "BA-7", "BA-8"}, nil},
		{"Use distinct servers, always the same ones, that nobody else writes to", "Changing their number while a lock is held, an operator's DEL, eviction, or a token that clients share makes two holders. Two addresses of one server make none, but fewer crashes stop everybody (BA-9-same); package redlock refuses them.",
			"SY-0", []string{"BA-9", "BA-10", "BA-11"}, nil},
		{"Retry after a random delay, release everything that was sent, bound extensions", "Then somebody holds within a few rounds, also with a minority down and after a holder's death. Equal delays, endless extensions and endless partitions stop everybody, and clocks that are set back keep a dead holder's keys alive.",
			"SY-10", []string{"LV-1", "LV-2", "LV-3", "LV-4", "LV-6", "LV-7", "LV-8", "LV-9", "LV-11", "LV-12"}, nil},
		{"One server with SET NX PX and a script that compares and deletes is enough where losing the lock with the server is acceptable", "Stop believing before the TTL is over: the recipe takes nothing off for clocks that err, and says nothing of answers that are lost.",
			"SY-1", nil, nil},
		{"Replace the older recipes", "Plain DEL, GET and DEL, SETNX with timestamps, a watchdog that renews without comparing, a quorum in floating point, no look at the clock after the votes: each loses with nothing that explains it.",
			"", nil, []string{"SY-2", "SY-3", "SY-4", "SY-5", "SY-7", "SY-8", "SY-9"}},
		{"With redsync and redislock, give every call a deadline and stop at the end that you have counted", "With every assumption kept neither makes two holders, redsync as long as clocks keep to its 1 %, redislock where its caller stops believing a little before the TTL is over. What else they lose stands in the track record.",
			"", nil, []string{"SY-11"}},
	} {
		number, command := in.evidence(&a)
		d.paragraph("   ", "%d. **%s.** %s *%s.*", i+1, a.do, a.because, number)
		d.command(command)
	}
	d.line("")
}

// evidence says what the runs behind a line came to, and how to play them.
func (in *Input) evidence(a *advice) (number, command string) {
	seeds := fmt.Sprintf("--seeds 1-%d", in.seedsOfCell())
	if a.subject != "" {
		name := plan.KnownAs(a.subject)
		words := append(append([]string{"./simulate run"}, a.claims...), "--subject", name, seeds)
		t := in.of(a.subject, a.claims...)
		return fmt.Sprintf("%s: %s%s", name, t.summary(), t.diagnosed()), strings.Join(words, " ")
	}
	var names []string
	var cells []*Cell
	for _, s := range plan.Systems() {
		if slices.Contains(a.systems, plan.SystemOf(s.Name)) {
			names = append(names, "--subject "+plan.KnownAs(s.Name))
			cells = append(cells, in.choose(func(c *Cell) bool { return c.name() == s.Name })...)
		}
	}
	t := in.tally(cells...)
	return t.summary().String() + t.diagnosed(), "./simulate run " + strings.Join(append(names, seeds), " ")
}

// seedsOfCell is how many seeds of a cell were played.
func (in *Input) seedsOfCell() int {
	most := 0
	for i := range in.Results.Cells {
		most = max(most, in.tally(&in.Results.Cells[i]).runs)
	}
	return most
}

// of sums up a subject's cells of some claims; of all when none is named.
func (in *Input) of(subject string, claims ...string) *tally {
	return in.tally(in.choose(func(c *Cell) bool {
		return c.name() == subject && (len(claims) == 0 || slices.Contains(claims, c.Claim))
	})...)
}

// summary sums up the runs as the command that plays them does.
func (t *tally) summary() campaign.Summary {
	return campaign.Summary{Runs: t.runs, Violated: t.violated, Bug: t.bare}
}

// diagnosed says whose the violations are that nothing explains; empty when there
// are none.
func (t *tally) diagnosed() string {
	var whose []string
	if t.own > 0 {
		whose = append(whose, fmt.Sprintf("%d its own mistake", t.own))
	}
	if others := t.bare - t.own; others > 0 {
		var names []string
		for _, cause := range t.causes {
			if cause != CauseLock {
				names = append(names, string(cause))
			}
		}
		whose = append(whose, fmt.Sprintf("%d %s", others, oneOf(names)))
	}
	if len(whose) == 0 {
		return ""
	}
	return "; diagnosed as " + strings.Join(whose, ", ")
}

// oneOf lists alternatives: "A, B or C".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
