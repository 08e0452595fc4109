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
	at        *witness // the run that is shown
}

// trackRecord is the table of what was found: every mistake of a system, with the picture of a
// minimal plan and the command that plays it.
func (in *Input) trackRecord() string {
	var rows [][]string
	for _, s := range plan.Systems() {
		for i, f := range in.diagnosed(s) {
			name := ""
			if i == 0 {
				name = "**" + plan.KnownAs(s.Name) + "**"
			}
			shown := f.shown()
			rows = append(rows, []string{
				name, f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "),
				fmt.Sprintf("[picture](%s) %s", shown.Picture(), in.minimalCells(&f)[1]),
			})
		}
	}
	return table([]string{"system", "finding", "whose", "claims", "see it"}, rows)
}

// minimalHeads are the last columns of a table of findings.
var minimalHeads = []string{"first seen in", "minimal plan: faults, clients, steps", "again"}

// findings tells every finding with its reason and its minimal plan, by systems.
func (in *Input) findings() string {
	d := &document{}
	for _, s := range plan.Systems() {
		var rows [][]string
		for _, f := range in.diagnosed(s) {
			rows = append(rows, append([]string{
				f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "), checker.Join(f.tally.bugs),
				strings.Join(strings.Fields(f.diagnosis.Why), " "), f.at.seen(),
			}, in.minimalCells(&f)...))
		}
		if len(rows) > 0 {
			heads := append([]string{"finding", "whose", "claims", "oracles", "why"}, minimalHeads...)
			d.line("\n### %s, %s\n\n%s", s.Name, s.Doc, table(heads, rows))
		}
	}
	return d.String()
}

// promises is the table of what package redlock loses with an assumption broken.
func (in *Input) promises() string {
	var rows [][]string
	for _, f := range in.promiseEnds() {
		rows = append(rows, append([]string{
			f.text, f.at.cell.Subject, strings.Join(f.tally.broken, ", "), checker.Join(f.tally.oracles), f.at.seen(),
		}, in.minimalCells(&f)...))
	}
	return table(append([]string{"finding", "system", "broken", "oracles"}, minimalHeads...), rows)
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
		for _, c := range in.chosen(claim.ID, "SY-10") {
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
func (p *witness) seen() string {
	return fmt.Sprintf("[%s](scenarios/suite/%s.yaml), seed %d", p.cell.Scenario, p.cell.Scenario, p.seed)
}

// seedAndCommand is how to see a run.
func (p *witness) seedAndCommand() string { return fmt.Sprintf("%d: %s", p.seed, code(p.command())) }
