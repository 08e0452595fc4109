package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// cells tells every cell by itself, by claims.
func (in *Input) cells() string {
	d := &document{}
	for _, claim := range plan.Claims() {
		var own []*Cell
		for i := range in.Results.Cells {
			if in.Results.Cells[i].Claim == claim.ID {
				own = append(own, &in.Results.Cells[i])
			}
		}
		if len(own) == 0 {
			continue
		}
		var reasons []*Diagnosis
		d.line("\n## %s\n\n%s.\n\n%s", claim.ID, claim.Title, tableOf(own, func(c *Cell) []string {
			if in.notApplicable(c) != "" {
				return nil
			}
			return in.cellRow(c, &reasons)
		}, "scenario", "system", "verdict", "in runs", "worst margin", "", "seed and command"))
		in.writeNotApplicable(d, own)
		for i, j := range reasons {
			finding := strings.TrimSuffix(strings.TrimSpace(j.Finding), ".")
			d.line("\n[%d] %s, %s: %s. %s", i+1, j.System, j.Cause, finding, strings.TrimSpace(j.Why))
		}
	}
	return d.String()
}

// notApplicable says why a cell shows nothing; empty when it shows something.
func (in *Input) notApplicable(c *Cell) string { return cmp.Or(c.NotApplicable, c.idle()) }

// writeNotApplicable lists the cells that show nothing, a line per reason.
func (in *Input) writeNotApplicable(d *document, cells []*Cell) {
	var reasons []string
	names := map[string][]string{}
	for _, c := range cells {
		if why := in.notApplicable(c); why != "" {
			reasons = with(reasons, why)
			names[why] = append(names[why], c.Scenario+" "+c.Subject)
		}
	}
	if len(reasons) > 0 {
		d.line("")
	}
	for _, why := range reasons {
		d.line("- n/a, because %s: %s", why, strings.Join(names[why], "; "))
	}
}

// cellRow is a cell's line. The diagnoses that it refers to are added to reasons.
func (in *Input) cellRow(c *Cell, reasons *[]*Diagnosis) []string {
	stated := "as expected"
	switch {
	case c.Found:
		stated = "found"
	case in.planted(c):
		stated = "planted bug"
	}
	t := in.tally(c)
	verdict, runs, command := t.word(), fmt.Sprint(t.runs), ""
	switch {
	case t.violated > 0:
		verdict += ": " + t.lostOracles()
		if in.unexplained(c) {
			for _, j := range in.diagnoses(c) {
				*reasons = with(*reasons, j)
				verdict += fmt.Sprintf(" [%d]", slices.Index(*reasons, j)+1)
			}
		}
		runs = share(t.violated, t.runs)
		command = cmp.Or(t.bareRun(), t.first).seedAndCommand()
	case t.open > 0:
		runs = share(t.open, t.runs)
		command = t.firstOpen.seedAndCommand()
	}
	margin := ""
	if c.WorstMarginNS != nil {
		margin = time.Duration(*c.WorstMarginNS).String()
	}
	return []string{c.Scenario, c.Subject, verdict, runs, margin, stated, command}
}

// lostOracles names what is violated: first what nothing explains, then the rest with what explains it.
func (t *tally) lostOracles() string {
	if len(t.bugs) == 0 || len(t.oracles) == 0 {
		return checker.Join(t.bugs) + checker.Join(t.oracles)
	}
	return fmt.Sprintf("%s (and explained by %s: %s)", checker.Join(t.bugs), strings.Join(t.broken, ", "), checker.Join(t.oracles))
}
