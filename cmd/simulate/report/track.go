package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// finding is one line of the track record.
type finding struct {
	text      string
	diagnosis *Diagnosis // nil where an assumption was broken
	cells     []*Cell    // that show it
	tally     *tally
	at        *place // the run that is shown
}

// trackRecord writes what was found: every mistake of a system, and where the
// promise of package redlock ends.
func (in *Input) trackRecord(d *document) {
	d.line("## Track record")
	d.line("")
	d.paragraph("", "What the systems lose although no broken assumption explains it. People have read the code and say whose it is, and why. \"The lock\" is a mistake "+
		"of the lock; \"its default\" goes away with another setting; \"our estimate\" is about a lock that reports no end of its validity; \"by design\" is no mistake. "+
		"The picture is of a minimal plan, and the command plays it again; with `--out D`, `./simulate explain D` tells it. Why, and all plans: [CELLS.md](cmd/simulate/report/CELLS.md#findings).")
	d.head("system", "finding", "whose", "claims", "see it")
	for _, s := range plan.Systems() {
		for i, f := range in.diagnosed(s) {
			name := ""
			if i == 0 {
				name = "**" + plan.KnownAs(s.Name) + "**"
			}
			d.row(name, f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "), in.seeIt(&f))
		}
	}
	d.line("")
}

// seeIt has the picture of a finding, and the command that plays it.
func (in *Input) seeIt(f *finding) string {
	shown := f.shown()
	return fmt.Sprintf("[picture](%s) %s", shown.Picture(), in.minimalCells(f)[1])
}

// findings writes every finding with its reason and its minimal plan.
func (in *Input) findings(d *document) {
	d.line("## Findings")
	d.line("")
	d.line("Each line has the first run that shows it, and a minimal plan of that run, made by a program: its faults (each of them is needed), clients and steps.")
	d.line("`./simulate report --rerun --minimal` makes the minimal plans again.")
	for _, s := range plan.Systems() {
		findings := in.diagnosed(s)
		if len(findings) == 0 {
			continue
		}
		d.line("")
		d.line("### %s, %s", s.Name, s.Doc)
		d.head("finding", "whose", "claims", "oracles", "why", "first seen in", "minimal plan: faults, clients, steps", "again")
		for _, f := range findings {
			d.row(append([]string{f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "), checker.Join(f.tally.bugs),
				strings.Join(strings.Fields(f.diagnosis.Why), " "), f.at.seen()}, in.minimalCells(&f)...)...)
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

// diagnosed are the findings about one system.
func (in *Input) diagnosed(s plan.SubjectDeclaration) []finding {
	var list []finding
	for i := range in.Diagnoses {
		d := &in.Diagnoses[i]
		if name, _, _ := strings.Cut(d.System, " "); name != s.Name {
			continue
		}
		cells := in.choose(func(c *Cell) bool { return in.unexplained(c) && d.about(c) })
		if len(cells) > 0 {
			t := in.tally(cells...)
			list = append(list, finding{strings.TrimSuffix(strings.TrimSpace(d.Finding), "."), d, cells, t, t.bareRun()})
		}
	}
	return list
}

// promiseEnds are the cells in which package redlock loses with an assumption broken.
func (in *Input) promiseEnds() []finding {
	var list []finding
	for _, claim := range plan.Claims() {
		for _, c := range in.choose(func(c *Cell) bool { return c.Claim == claim.ID && c.name() == "SY-10" }) {
			if t := in.tally(c); t.firstBroken != nil {
				list = append(list, finding{in.scenario(c.Scenario).Title, nil, []*Cell{c}, t, t.firstBroken})
			}
		}
	}
	return list
}

// claimsOf names the claims that cells are about.
func claimsOf(cells []*Cell) []string {
	var list []string
	for _, claim := range plan.Claims() {
		if slices.ContainsFunc(cells, func(c *Cell) bool { return c.Claim == claim.ID }) {
			list = append(list, claim.ID)
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
