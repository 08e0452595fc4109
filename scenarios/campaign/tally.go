package campaign

import (
	"fmt"
	"strings"

	"redlocklab/scenarios/plan"
)

// Tally counts the runs of a lock, those in which it violated something, and
// those in which no broken assumption explains some of that.
type Tally struct {
	Runs     int // that have a verdict
	Violated int
	Bug      int
}

// Add adds the runs of another summary.
func (s *Tally) Add(more Tally) {
	s.Runs += more.Runs
	s.Violated += more.Violated
	s.Bug += more.Bug
}

// String says the summary in words: "violated in 3 of 5 runs, 1 of them not
// explained by a broken assumption". Of one run it says no numbers.
func (s Tally) String() string {
	if s.Runs == 1 {
		return [...]string{"nothing is violated", "violated; a broken assumption explains it", "violated; no broken assumption explains it: the lock's own bug"}[s.Violated+s.Bug]
	}
	text := fmt.Sprintf("violated in %d of %d runs", s.Violated, s.Runs)
	switch {
	case s.Violated == 0:
		return text
	case s.Bug == 0:
		return text + ", all explained by broken assumptions"
	}
	return text + fmt.Sprintf(", %d of them not explained by a broken assumption", s.Bug)
}

// tally is that of one run of a claim.
func (s *Summary) tally(claim string) Tally {
	counted := Counted(s.Answers, claim)
	return Tally{Runs: 1, Violated: min(1, len(counted)), Bug: min(1, len(counted.Bugs()))}
}

// SummaryLines sums up rows, with one line per subject in the order of the rows,
// and one of its causes. They leave out rows with a planted bug.
func SummaryLines(rows []Row) []string {
	var names, lines []string
	var all CauseCounts
	sums, causes, measured := map[string]*Tally{}, map[string]*CauseCounts{}, false
	for i := range rows {
		row := &rows[i]
		measured = measured || plan.Measured(row.Claim)
		if row.planted {
			continue
		}
		name, _, _ := strings.Cut(row.Subject, " ")
		if sums[name] == nil {
			names, sums[name], causes[name] = append(names, name), &Tally{}, &CauseCounts{}
		}
		if row.Causes != nil {
			causes[name].Add(row.Causes)
			all.Add(row.Causes)
		}
		sums[name].Add(Tally{Runs: row.Runs, Violated: row.Violated, Bug: row.Bug})
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s: %s", plan.KnownAs(name), sums[name]))
		if causes[name].Runs > 0 && sums[name].Runs > 1 {
			of := causes[name].of(max(sums[name].Violated, causes[name].Runs))
			lines = append(lines, fmt.Sprintf("%s: %s", plan.KnownAs(name), of))
		}
	}
	if all.Runs > 1 {
		lines = append(lines, all.Cost())
	}
	if measured {
		lines = append(lines, "missed goals of measured claims do not count as violations here")
	}
	return lines
}
