package report

import (
	"fmt"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
)

// Stale lists the cells that the results do not fit: cells of the suite without a
// result, or with one from before they changed, and results of no cell.
func (r *Results) Stale(cells []matrix.Cell) []string {
	var list []string
	known := map[[2]string]bool{}
	for i := range cells {
		known[keyOf(&cells[i])] = true
		if why := r.StaleCell(&cells[i]); why != "" {
			list = append(list, why)
		}
	}
	for _, cell := range r.Cells {
		if !known[[2]string{cell.Scenario, cell.Subject}] {
			list = append(list, fmt.Sprintf("%s %s: a result of what is not in the suite", cell.Scenario, cell.Subject))
		}
	}
	return list
}

// StaleCell says why the results do not fit one cell; empty when they do.
func (r *Results) StaleCell(c *matrix.Cell) string {
	key := keyOf(c)
	name := key[0] + " " + key[1]
	switch cell := r.cell(key); {
	case cell == nil:
		return name + ": no result"
	case cell.NotApplicable != c.NotApplicable:
		return name + ": applicable or not, and why, has changed"
	case cell.Found == c.Stated():
		return name + ": whether an expectation is stated has changed"
	}
	return ""
}

func keyOf(c *matrix.Cell) [2]string {
	return [2]string{c.Scenario.Name, c.Subject.Title()}
}

func (r *Results) cell(key [2]string) *Cell {
	i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Scenario == key[0] && c.Subject == key[1] })
	if i < 0 {
		return nil
	}
	return &r.Cells[i]
}

// Compare lists the differences between runs that were played now and the results:
// another end, or a fault that fired now and in no run then.
func (r *Results) Compare(reports []campaign.Report) []string {
	var list []string
	for i := range reports {
		run := &reports[i]
		cell, then, now := r.cell([2]string{run.Scenario, run.Subject}), "no result", outcomeOf(run)
		if cell == nil {
			cell = &Cell{}
		}
		for _, o := range cell.Outcomes {
			if slices.Contains(o.Seeds, run.Seed) {
				then = o.text()
			}
		}
		name := fmt.Sprintf("%s %s seed %d", run.Scenario, run.Subject, run.Seed)
		if then != now.text() {
			list = append(list, fmt.Sprintf("%s: was %s; now %s", name, then, now.text()))
		}
		for _, f := range cell.Faults {
			if f.Runs == 0 && slices.ContainsFunc(run.Fired, func(c campaign.Count) bool { return c.Name == f.Fault && c.Times > 0 }) {
				list = append(list, fmt.Sprintf("%s: the fault %q fired; it did in no run", name, f.Fault))
			}
		}
	}
	slices.Sort(list)
	return list
}
