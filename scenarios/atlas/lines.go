package atlas

import (
	"errors"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Line is what was seen in one cell with one subject, by one judge.
type Line struct {
	Place
	Judge   string
	Texts   []string // the values of the axes
	Subject string
	Planned int // runs that were asked for
	Runs    int // that have a verdict by every oracle
	Verdict Verdict
	From    int    // runs that show the verdict
	Seed    uint64 // of the first of them
	Cause   string // of that run's findings, found by taking breaks away; "" when nothing is violated
	// Predicted is what the file predicts; "" when it says nothing.
	Predicted Verdict
	Agreement Agreement
	// Oracles counts the answers of each oracle, in the order of reports.
	Oracles  campaign.OracleCounts
	Violated Share     // runs in which any oracle was violated
	Margin   *Spread   // worst margin between two beliefs of each run; nil: no run had two
	Times    []*Spread // per liveness goal, how long it took where it was met at all
}

// Lines sums up what is done of the grid.
func (m *Map) Lines() ([]Line, error) {
	var lines []Line
	var errs []error
	for _, p := range m.grid {
		base := m.line(p)
		for _, judge := range m.judges {
			l := base
			l.Judge = judge
			l.Verdict, l.Seed, l.From = m.verdict(p, judge)
			if l.Verdict.Grade() == campaign.Violated {
				l.Cause = cause(m.report(p, l.Seed), judge)
			}
			var err error
			l.Predicted, l.Agreement, err = m.prediction(p, judge, l.Verdict)
			errs = append(errs, err)
			lines = append(lines, l)
		}
	}
	return lines, errors.Join(errs...)
}

func (m *Map) line(p Place) Line {
	goals := len(m.Scenario.Liveness)
	line := Line{Place: p, Subject: m.Subjects[p.Subject], Planned: len(m.seeds()), Times: make([]*Spread, goals)}
	for i, axis := range m.Axes {
		line.Texts = append(line.Texts, axis.Parameter.Format(p.Values[i]))
	}
	line.Oracles = campaign.NewOracleCounts(&m.expected[p.Subject])
	violated := 0
	var margins []int64
	times := make([][]int64, goals)
	for _, seed := range m.seeds() {
		r := m.report(p, seed)
		if r == nil || r.Failure != "" || r.Outcome != campaign.Finished {
			continue
		}
		line.Oracles.Add(r.Answers)
		if len(r.Answers.Inconclusive()) > 0 {
			continue
		}
		line.Runs++
		if len(r.Answers.Violated()) > 0 {
			violated++
		}
		if r.MarginNS != nil {
			margins = append(margins, *r.MarginNS)
		}
		for j, goal := range r.Goals {
			if goal.TookNS != nil {
				times[j] = append(times[j], *goal.TookNS)
			}
		}
	}
	line.Violated, line.Margin = NewShare(violated, line.Runs), NewSpread(margins)
	for j := range times {
		line.Times[j] = NewSpread(times[j])
	}
	return line
}

// Complete reports whether every run that was asked for has a verdict.
func Complete(lines []Line) bool {
	return !slices.ContainsFunc(lines, func(l Line) bool { return l.Runs < l.Planned })
}

// Tally counts the lines of one panel, by verdict and by agreement.
type Tally struct {
	Panel  string
	Grades map[campaign.Grade]int
	Agree  map[Agreement]int
	Causes []string // each once, in the order of the lines
	Lines  []*Line  // those that disagree
}

// Tallies counts the lines of each panel, in the order of the panels.
func (m *Map) Tallies(lines []Line) []Tally {
	var tallies []Tally
	for _, p := range m.panels(lines) {
		t := Tally{Panel: p.name, Grades: map[campaign.Grade]int{}, Agree: map[Agreement]int{}}
		for _, i := range p.lines {
			l := &lines[i]
			t.Grades[l.Verdict.Grade()]++
			t.Agree[l.Agreement]++
			if l.Cause != "" && !slices.Contains(t.Causes, l.Cause) {
				t.Causes = append(t.Causes, l.Cause)
			}
			if l.Agreement == Disagrees {
				t.Lines = append(t.Lines, l)
			}
		}
		tallies = append(tallies, t)
	}
	return tallies
}

// panel is the lines, by their indices, that share a panel.
type panel struct {
	name  string
	lines []int
}

// panels groups lines by their panels, in the order of the first line of each.
func (m *Map) panels(lines []Line) []panel {
	return grouped(lines, func(l *Line) string { return m.PanelName(l.Place, l.Judge) })
}

func grouped(lines []Line, name func(*Line) string) (groups []panel) {
	for i := range lines {
		of := name(&lines[i])
		at := slices.IndexFunc(groups, func(p panel) bool { return p.name == of })
		if at < 0 {
			at = len(groups)
			groups = append(groups, panel{name: of})
		}
		groups[at].lines = append(groups[at].lines, i)
	}
	return groups
}

// PanelName names the panel of a place: its subject, the value of the panels' axis, the judge.
func (m *Map) PanelName(p Place, judge string) string {
	subject := m.expected[p.Subject]
	subject.Name = plan.KnownAs(subject.Name)
	name := subject.Title()
	if m.Spec.Map.Panels != nil {
		i := len(m.Axes) - 1
		name += ", " + m.Axes[i].Parameter.Name + " " + m.Axes[i].Parameter.Format(p.Values[i])
	}
	if judge != holders {
		name += ", " + judge
	}
	return name
}
