package matrix

import (
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Cell is one subject against one scenario: a row of the suite, or what could be one.
type Cell struct {
	// Scenario has the subject among its own, so that the cell can be played: it is
	// the file's, or a copy of it with one subject more.
	Scenario *plan.Scenario
	Subject  plan.Subject
	// NotApplicable says why there is nothing to play; empty when there is.
	NotApplicable string
}

// Stated reports whether the scenario's file says what is expected.
func (c Cell) Stated() bool { return !c.Subject.Unstated }

// Cells returns the whole matrix: every scenario with every system, in the order
// of the scenarios, then of the systems. A system's cells are the rows that the
// file has of it, then those of its variants that are none of them.
func Cells(suite []*plan.Scenario) []Cell {
	var cells []Cell
	for _, s := range suite {
		cells = append(cells, CellsOf(s)...)
	}
	return cells
}

// CellsOf returns one scenario's part of the matrix, and behind it the file's rows
// of subjects that are no system of the claims.
func CellsOf(s *plan.Scenario) []Cell {
	var cells []Cell
	for _, d := range plan.Systems() {
		cells = append(cells, cellsOf(s, d)...)
	}
	for _, subject := range s.Subjects {
		if plan.SystemOf(subject.Name) == "" {
			cells = append(cells, Cell{Scenario: s, Subject: subject})
		}
	}
	return cells
}

func cellsOf(s *plan.Scenario, d plan.SubjectDeclaration) []Cell {
	var cells []Cell
	for _, subject := range s.Subjects {
		if subject.Name == d.Name {
			cells = append(cells, Cell{Scenario: s, Subject: subject})
		}
	}
	for _, subject := range d.Rows() {
		if slices.ContainsFunc(cells, func(c Cell) bool { return d.Same(c.Subject, subject) }) || len(cells) > 0 && len(d.Variants) == 0 {
			continue
		}
		cell := Cell{Scenario: s, Subject: subject, NotApplicable: NotApplicable(s, subject)}
		if cell.NotApplicable == "" {
			with := *s
			with.Subjects = append(slices.Clone(s.Subjects), subject)
			cell.Scenario = &with
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

// Settles lists the scenarios that settle a claim: those with its id; for a
// system its own stories, and then all others that are a question to it.
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
