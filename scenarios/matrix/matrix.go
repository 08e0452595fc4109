package matrix

import (
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// Cell is one scenario with one subject: a row of the suite, or a combination that no file
// has.
type Cell struct {
	// Scenario is the file's, or a copy with one subject more, so that the cell can be
	// played.
	Scenario *plan.Scenario
	Subject  plan.Subject
	// NotApplicable says why the cell cannot be played; empty when it can.
	NotApplicable string
}

// Stated reports whether the scenario's file says what is expected.
func (c Cell) Stated() bool { return !c.Subject.Unstated }

// Cells returns the matrix: every scenario with every system, in the order of the
// scenarios, then of the systems.
func Cells(suite []*plan.Scenario) []Cell {
	var cells []Cell
	for _, s := range suite {
		cells = append(cells, CellsOf(s)...)
	}
	return cells
}

// CellsOf returns one scenario's cells: those of all systems, then the file's rows of
// subjects that are not systems.
func CellsOf(s *plan.Scenario) []Cell {
	var cells []Cell
	for _, d := range plan.Systems() {
		cells = append(cells, cellsOf(s, d)...)
	}
	systems := func(c Cell) bool { return plan.SystemOf(c.Subject.Name) != "" }
	return append(cells, slices.DeleteFunc(Rows(s), systems)...)
}

// cellsOf returns the cells of one system: the file's rows of it, then its variants that
// are not among them.
func cellsOf(s *plan.Scenario, d plan.SubjectDeclaration) []Cell {
	cells := slices.DeleteFunc(Rows(s), func(c Cell) bool { return c.Subject.Name != d.Name })
	for _, subject := range d.Rows() {
		subject = subject.With(s.Options)
		same := func(c Cell) bool { return d.Same(c.Subject, subject) }
		if slices.ContainsFunc(cells, same) || len(cells) > 0 && len(d.Variants) == 0 {
			continue
		}
		can := d.Abilities
		can.Guards = can.Guards || lock.Guards(subject)
		cell := Cell{Scenario: s, Subject: subject, NotApplicable: NotApplicable(s, can, lock.ClockOf(subject))}
		if cell.NotApplicable == "" {
			cell.Scenario = s.With(subject)
		}
		cells = append(cells, cell)
	}
	return cells
}

// Rows returns the cells that are rows of a scenario's own file.
func Rows(s *plan.Scenario) []Cell {
	cells := make([]Cell, len(s.Subjects))
	for i, subject := range s.Subjects {
		cells[i] = Cell{Scenario: s, Subject: subject}
	}
	return cells
}

// Settles lists the scenarios that settle a claim: its own, and, if it is a system, all
// others that are applicable to it.
func Settles(c plan.Claim, suite []*plan.Scenario) (own, others []*plan.Scenario) {
	for _, s := range suite {
		switch {
		case s.Claim == c.ID:
			own = append(own, s)
		case c.Kind == plan.KindSystem && slices.ContainsFunc(CellsOf(s), func(x Cell) bool {
			return x.NotApplicable == "" && plan.SystemOf(x.Subject.Name) == c.ID
		}):
			others = append(others, s)
		}
	}
	return own, others
}

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
			same := func(d plan.SubjectDeclaration) bool { return d.Name == c.Subject.Name }
			if slices.ContainsFunc(declarations, same) {
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
