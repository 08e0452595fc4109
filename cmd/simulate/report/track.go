package report

import (
	"fmt"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// finding is one line of the track record.
type finding struct {
	text      string
	judgement *Judgement // nil where an assumption was broken
	cells     []*Cell    // that show it
	tally     *tally
	at        *place // the run that is shown
}

// trackRecord writes what was found: every mistake of a system, and where the
// promise of package redlock ends.
func (in *Input) trackRecord(d *document) {
	d.line("## Track record")
	d.line("")
	d.line("What the systems lose with nothing that explains it, judged by reading their code: whose it is, and why. \"The lock\" is a mistake of the lock; \"its default\" goes away with another setting;")
	d.line("\"laboratory's reading\" is about a lock that reports no end of its validity, so that we read one; \"by design\" is no mistake. The same words stand beside each cell in [CELLS.md](cmd/simulate/report/CELLS.md).")
	d.line("")
	d.line("Behind each line stands the first run that shows it, and that run's plan made as small as its violation allows, by a program: its faults (each of them is needed), clients and steps.")
	d.line("The command plays it again and judges it against what it says that it shows; with `--out D`, `./simulate explain D` tells it. `./simulate report --rerun --minimal` makes them anew.")
	for _, s := range plan.Systems() {
		findings := in.judgedFindings(s)
		if len(findings) == 0 {
			continue
		}
		d.line("")
		d.line("### %s, %s", s.Name, s.Doc)
		d.head("finding", "whose", "claims", "oracles", "why", "first seen in", "minimal plan: faults, clients, steps", "again")
		for _, f := range findings {
			d.row(append([]string{f.text, string(f.judgement.Cause), strings.Join(claimsOf(f.cells), ", "), checker.Join(f.tally.bugs),
				strings.Join(strings.Fields(f.judgement.Why), " "), f.at.seen()}, in.minimalCells(&f)...)...)
		}
	}
	d.line("")
	d.line("### Where package redlock's promise ends")
	d.line("")
	d.line("With an assumption broken; \"guarded\" rows have the restart guard on.")
	d.head("finding", "system", "broken", "oracles", "first seen in", "minimal plan: faults, clients, steps", "again")
	for _, f := range in.promiseEnds() {
		d.row(append([]string{f.text, f.at.cell.Subject, strings.Join(f.tally.broken, ", "), checker.Join(f.tally.oracles), f.at.seen()}, in.minimalCells(&f)...)...)
	}
	d.line("")
}

// judgedFindings are what was judged about one system.
func (in *Input) judgedFindings(s plan.SubjectDeclaration) []finding {
	var list []finding
	for i := range in.Judgements {
		j := &in.Judgements[i]
		if name, _, _ := strings.Cut(j.System, " "); name != s.Name {
			continue
		}
		cells := in.stories(j)
		if len(cells) == 0 {
			continue
		}
		t := &tally{causesOf: in.causesOf}
		for _, c := range cells {
			t.add(c)
		}
		list = append(list, finding{strings.TrimSuffix(strings.TrimSpace(j.Finding), "."), j, cells, t, t.bareRun()})
	}
	return list
}

// promiseEnds are the cells in which package redlock loses with an assumption broken.
func (in *Input) promiseEnds() []finding {
	var list []finding
	for _, claim := range plan.Claims() {
		for i := range in.Results.Cells {
			c := &in.Results.Cells[i]
			if c.Claim != claim.ID || c.name() != "SY-10" || in.planted(c) {
				continue
			}
			t := &tally{causesOf: in.causesOf}
			t.add(c)
			if t.firstBroken != nil {
				list = append(list, finding{in.title(c.Scenario), nil, []*Cell{c}, t, t.firstBroken})
			}
		}
	}
	return list
}

// seen says where a run is.
func (p *place) seen() string {
	return fmt.Sprintf("[%s](scenarios/suite/%s.yaml), seed %d", p.cell.Scenario, p.cell.Scenario, p.seed)
}

// seedAndCommand is how to see a run.
func (p *place) seedAndCommand() string { return fmt.Sprintf("%d: %s", p.seed, code(p.command())) }

func (in *Input) title(scenario string) string {
	for _, s := range in.Suite {
		if s.Name == scenario {
			return s.Title
		}
	}
	return scenario
}
