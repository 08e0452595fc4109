package report

import (
	"fmt"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
)

// Stale says in which cells the results are not about this suite: one is
// missing, is not known any more, or applies now and did not then.
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

// StaleCell says why the results are not about one cell; empty when they are.
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

// Compare says where runs that were played now ended otherwise than the results say.
func (r *Results) Compare(reports []campaign.Report) []string {
	var list []string
	for i := range reports {
		now := outcomeOf(&reports[i])
		then, found := r.outcome(&reports[i])
		switch {
		case !found:
			list = append(list, fmt.Sprintf("%s %s seed %d: no result; now %s", reports[i].Scenario, reports[i].Subject, reports[i].Seed, now.text()))
		case then.text() != now.text():
			list = append(list, fmt.Sprintf("%s %s seed %d: was %s; now %s", reports[i].Scenario, reports[i].Subject, reports[i].Seed, then.text(), now.text()))
		}
		list = append(list, r.firedNow(&reports[i])...)
	}
	slices.Sort(list)
	return list
}

// firedNow lists the faults that fired in a run now and in none when the results were made.
func (r *Results) firedNow(report *campaign.Report) []string {
	cell := r.cell([2]string{report.Scenario, report.Subject})
	if cell == nil {
		return nil
	}
	var list []string
	for _, f := range cell.Faults {
		if f.Runs == 0 && slices.ContainsFunc(report.Fired, func(c campaign.Count) bool { return c.Name == f.Fault && c.Times > 0 }) {
			list = append(list, fmt.Sprintf("%s %s seed %d: the fault %q fired; it did in no run", report.Scenario, report.Subject, report.Seed, f.Fault))
		}
	}
	return list
}

// outcome is how the run of a report ended when the results were made.
func (r *Results) outcome(report *campaign.Report) (Outcome, bool) {
	cell := r.cell([2]string{report.Scenario, report.Subject})
	if cell == nil {
		return Outcome{}, false
	}
	for _, o := range cell.Outcomes {
		if seeds, err := o.seeds(); err == nil && slices.Contains(seeds, report.Seed) {
			return o, true
		}
	}
	return Outcome{}, false
}
