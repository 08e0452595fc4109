package campaign

import (
	"fmt"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// Losses counts what the runs of a lock lost.
type Losses struct {
	Runs     int // that have a verdict
	Violated int // those in which something was violated
	Bug      int // those of them in which nothing explains some of it
}

// Add takes in the runs of others.
func (l *Losses) Add(more Losses) {
	l.Runs += more.Runs
	l.Violated += more.Violated
	l.Bug += more.Bug
}

// String says it in words, the same wherever runs are counted.
func (l Losses) String() string {
	text := fmt.Sprintf("violated in %d of %d runs", l.Violated, l.Runs)
	switch {
	case l.Violated == 0:
		return text
	case l.Bug == 0:
		return text + ", each explained by a broken assumption"
	}
	return text + fmt.Sprintf(", in %d of them with nothing that explains it", l.Bug)
}

// Counts reports whether a violated oracle is a loss in the runs of a claim. A
// missed goal of a measured claim is none: how often it is missed is what is measured.
func Counts(claim string, oracle plan.Oracle) bool {
	return oracle != plan.OracleLiveness || !plan.Measured(claim)
}

// losses are those of one run.
func (r *Report) losses(claim string) Losses {
	l := Losses{Runs: 1}
	for _, o := range r.Oracles {
		if o.Status != checker.Violated || !Counts(claim, o.Oracle) {
			continue
		}
		l.Violated = 1
		if o.Bug {
			l.Bug = 1
		}
	}
	return l
}

// lossLines sum up rows, a line per subject in the order of the rows. Planted bugs are left out.
func lossLines(rows []Row) []string {
	var names, lines []string
	sums := map[string]*Losses{}
	apart := false
	for i := range rows {
		row := &rows[i]
		apart = apart || plan.Measured(row.Claim)
		if row.planted {
			continue
		}
		name, _, _ := strings.Cut(row.Subject, " ")
		if sums[name] == nil {
			names, sums[name] = append(names, name), &Losses{}
		}
		sums[name].Add(Losses{Runs: row.Runs, Violated: row.Violated, Bug: row.Bug})
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s: %s", plan.KnownAs(name), sums[name]))
	}
	if apart {
		lines = append(lines, "the liveness of a measured claim is a number, and counts as no violation here")
	}
	return lines
}
