package matrix

import (
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Select returns the cells of some subjects, in the order of the cells; none named is
// all. A subject is named by its name, its alias or its system, which takes all of its
// cells, or by its title, which takes one in each scenario. A name without a cell is
// an error.
func Select(cells []Cell, subjects []string) ([]Cell, error) {
	if len(subjects) == 0 {
		return cells, nil
	}
	wanted := make([]bool, len(cells))
	for _, name := range subjects {
		declarations, label, err := plan.SubjectNamed(name)
		if err != nil {
			return nil, fmt.Errorf("--subject: %w", err)
		}
		var near, all []string // titles
		found := false
		for i, c := range cells {
			title := c.Subject.Title()
			all = append(all, title)
			if slices.ContainsFunc(declarations, func(d plan.SubjectDeclaration) bool { return d.Name == c.Subject.Name }) {
				near = append(near, title)
				if label == "" || label == c.Subject.Label {
					wanted[i], found = true, true
				}
			}
		}
		if len(near) == 0 {
			near = all
		}
		if !found {
			slices.Sort(near)
			return nil, fmt.Errorf("--subject: found %q, which no chosen scenario has; %s", name, faults.Allowed(name, slices.Compact(near)))
		}
	}
	var list []Cell
	for i, c := range cells {
		if wanted[i] {
			list = append(list, c)
		}
	}
	return list, nil
}
