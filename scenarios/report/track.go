package report

import (
	"fmt"
	"strings"

	"redlocklab/scenarios"
)

// trackRecord writes what was found: every mistake of a system, and where the
// promise of package redlock ends.
func (in *Input) trackRecord(d *document) {
	d.line("## Track record")
	d.line("")
	d.line("What the systems lose with nothing broken, judged by reading their code: whose it is, and why. \"The lock\" is a mistake of the lock; \"its default\" goes away with another setting;")
	d.line("\"laboratory's reading\" is about a lock that reports no end of its validity, so that we read one; \"by design\" is no mistake. The scenario's file is the plan, made by hand with no more in it")
	d.line("than its story needs; `./simulate explain DIR` tells what the command has saved in DIR. The same words stand beside each cell in [CELLS.md](scenarios/report/CELLS.md).")
	for _, s := range scenarios.Systems() {
		in.findings(d, s)
	}
	d.line("")
	d.line("### Where package redlock's promise ends")
	d.line("")
	d.line("With an assumption broken; \"guarded\" rows have the restart guard on.")
	d.head("finding", "system", "broken", "oracles", "plan", "seed and command")
	for _, claim := range scenarios.Claims() {
		for i := range in.Results.Cells {
			c := &in.Results.Cells[i]
			t := &tally{causesOf: in.causesOf}
			t.add(c)
			if c.Claim != claim.ID || c.name() != "SY-10" || t.violated == t.bare || in.planted(c) {
				continue
			}
			d.row(in.title(c.Scenario), c.Subject, strings.Join(t.broken, ", "), oracleNames(t.oracles), planLink(c.Scenario), t.first.seedAndCommand())
		}
	}
	d.line("")
}

// findings writes what was judged about one system.
func (in *Input) findings(d *document, s scenarios.SubjectDeclaration) {
	begun := false
	for i := range in.Judgements {
		j := &in.Judgements[i]
		cells := in.stories(j)
		if len(cells) == 0 || cells[0].name() != s.Name {
			continue
		}
		if !begun {
			begun = true
			d.line("")
			d.line("### %s, %s", s.Name, s.Doc)
			d.head("finding", "whose", "broken", "claims", "oracles", "why", "plan", "seed and command")
		}
		t := &tally{causesOf: in.causesOf}
		for _, c := range cells {
			t.add(c)
		}
		d.row(strings.TrimSuffix(strings.TrimSpace(j.Finding), "."), string(j.Cause), "none", strings.Join(claimsOf(cells), ", "), oracleNames(t.oracles),
			strings.Join(strings.Fields(j.Why), " "), planLink(t.firstBare.cell.Scenario), t.firstBare.seedAndCommand())
	}
}

func planLink(scenario string) string {
	return fmt.Sprintf("[%s.yaml](scenarios/suite/%s.yaml)", scenario, scenario)
}

// seedAndCommand is how to see a run.
func (p *place) seedAndCommand() string { return fmt.Sprintf("%d: %s", p.seed, code(p.command())) }

func oracleNames(oracles []scenarios.Oracle) string {
	names := make([]string, len(oracles))
	for i, oracle := range oracles {
		names[i] = string(oracle)
	}
	return strings.Join(names, ", ")
}

func (in *Input) title(scenario string) string {
	for _, s := range in.Suite {
		if s.Name == scenario {
			return s.Title
		}
	}
	return scenario
}
