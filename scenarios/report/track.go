package report

import (
	"fmt"
	"strings"

	"redlocklab/scenarios"
)

// trackRecord writes what was found: every system that lost a claim.
func (in *Input) trackRecord(d *document) {
	d.line("## Track record")
	d.line("")
	d.line("What the systems lose, once per claim: first with nothing broken, which is a mistake in the lock; then, for package redlock, with an assumption")
	d.line("broken, which is where its promise ends. The scenario's file is the minimal plan, made by hand; `./simulate explain DIR` tells what the command has saved.")
	d.head("finding", "system", "broken", "oracles", "minimal plan", "seed and command")
	for _, s := range scenarios.Systems() {
		for _, claim := range scenarios.Claims() {
			if measured(claim.ID) {
				continue
			}
			t := in.cells(func(c *Cell) bool { return c.Claim == claim.ID && c.name() == s.Name })
			if t.violated == 0 || t.bare == 0 && s.Name != "SY-10" {
				continue
			}
			at, broken := t.first, strings.Join(t.broken, ", ")
			if t.bare > 0 {
				at, broken = t.firstBare, "none"
			}
			oracles := &tally{}
			oracles.add(at.cell)
			names := make([]string, len(oracles.oracles))
			for i, oracle := range oracles.oracles {
				names[i] = string(oracle)
			}
			file := at.cell.Scenario + ".yaml"
			d.row(in.title(at.cell.Scenario), at.cell.Subject, broken, strings.Join(names, ", "),
				fmt.Sprintf("[%s](scenarios/suite/%s)", file, file), fmt.Sprintf("%d: %s", at.seed, code(at.command())))
		}
	}
	d.line("")
}

func (in *Input) title(scenario string) string {
	for _, s := range in.Suite {
		if s.Name == scenario {
			return s.Title
		}
	}
	return scenario
}
