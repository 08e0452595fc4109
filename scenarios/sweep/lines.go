package sweep

import (
	"redlocklab/scenarios/campaign"
)

// Line is what was seen at one point with one subject.
type Line struct {
	Values  []int64 // of the axes, in the unit of each parameter's kind
	Texts   []string
	Subject string
	Planned int // runs that were asked for
	Runs    int // that have a verdict by every oracle
	// Oracles counts the answers of each oracle, in the order of reports.
	Oracles  campaign.OracleCounts
	Violated Share     // runs in which any oracle was violated
	Margin   *Spread   // worst margin between two beliefs of each run; nil: no run had two
	Times    []*Spread // per liveness goal, how long it took where it was met at all
}

// Lines sums up what is done, in the order of the points. Of a run that was played
// twice the later report counts.
func (s *Sweep) Lines(reports []campaign.Report) []Line {
	type row struct{ scenario, subject string }
	last := map[row]map[uint64]*campaign.Report{}
	for i := range reports {
		r := &reports[i]
		at := row{r.Scenario, r.Subject}
		if last[at] == nil {
			last[at] = map[uint64]*campaign.Report{}
		}
		last[at][r.Seed] = r
	}
	lines := make([]Line, len(s.Jobs))
	for i := range s.Jobs {
		job := &s.Jobs[i]
		var found []*campaign.Report
		for _, seed := range job.Seeds {
			if r := last[row{job.Scenario.Name, job.Subject}][seed]; r != nil {
				found = append(found, r)
			}
		}
		lines[i] = s.line(i, found)
	}
	return lines
}

func (s *Sweep) line(i int, reports []*campaign.Report) Line {
	job := &s.Jobs[i]
	line := Line{Subject: job.Subject, Planned: len(job.Seeds), Times: make([]*Spread, len(job.Scenario.Liveness))}
	for _, axis := range s.Axes {
		set, _ := job.Scenario.Parameter(axis.Parameter.Name) // New has set it
		value, _ := axis.Parameter.Parse(set.Value)
		line.Values, line.Texts = append(line.Values, value), append(line.Texts, set.Value)
	}
	line.Oracles = campaign.NewOracleCounts(job.Expected())
	violated := 0
	var margins []int64
	times := make([][]int64, len(line.Times))
	for _, r := range reports {
		if r.Failure != "" || r.Outcome != campaign.Finished {
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
	for i := range lines {
		if lines[i].Runs < lines[i].Planned {
			return false
		}
	}
	return true
}
