package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// overviewLocks are the columns of the overview.
var overviewLocks = []overviewLock{{"SY-0", "textbook"}, {"SY-10", "redlock"}, {"SY-11-redsync", "redsync"}}

type overviewLock struct{ subject, head string }

// Silence is how long the overview may say nothing. Its lines show how far it is,
// so that few lines of progress are needed between them.
const Silence = 15 * time.Second

// overviewLine says how a line of the overview is laid out: at most 100 columns.
const overviewLine = "%-6s %-43s %-9s %-9s %-9s %s"

// Overview is the first minute: each claim, played with three locks, in one line.
type Overview struct {
	Jobs    []campaign.Job // what is to be played
	Claims  int
	Strange int // rows that are not as their file expects

	out, log io.Writer
	lines    []*claimLine // that are not written yet
	rows     map[[2]string]*claimRow
	spoken   time.Time // when the last line was written
	done     int
}

// claimLine is a claim with the rows that are about it.
type claimLine struct {
	plan.Claim
	rows []*claimRow
	left int // runs that are to come
}

type claimRow struct {
	line    *claimLine
	job     campaign.Job
	reports []campaign.Summary
}

// NewOverview chooses what is played: of each scenario the three locks with their defaults,
// with these seeds. It writes the lines of claims to out, and lines of progress to log.
func NewOverview(out, log io.Writer, suite []*plan.Scenario, seeds func(matrix.Cell) []uint64) *Overview {
	o := &Overview{out: out, log: log, spoken: time.Now(), rows: map[[2]string]*claimRow{}}
	for _, claim := range plan.Claims() {
		if claim.Kind == plan.KindSystem {
			continue
		}
		line := &claimLine{Claim: claim}
		o.lines = append(o.lines, line)
		for _, s := range suite {
			if s.Claim != claim.ID {
				continue
			}
			cells := matrix.CellsOf(s)
			for _, c := range cells {
				if c.NotApplicable != "" || !asShipped(c.Subject, claim.Kind, cells) || !promised(s, c.Subject) {
					continue
				}
				job := campaign.Job{Scenario: c.Scenario, Subject: c.Subject.Title(), Seeds: seeds(c)}
				row := &claimRow{line: line, job: job}
				o.Jobs, o.rows[[2]string{s.Name, job.Subject}] = append(o.Jobs, job), row
				line.rows = append(line.rows, row)
				line.left += len(job.Seeds)
			}
		}
	}
	o.Claims = len(o.lines)
	return o
}

// asShipped reports whether a row is one of the three locks without a planted bug. Of
// redlock it is a row with the guard; of other repairs, which have none, one without it.
func asShipped(s plan.Subject, kind plan.Kind, cells []matrix.Cell) bool {
	known := slices.ContainsFunc(overviewLocks, func(l overviewLock) bool { return l.subject == s.Name })
	guarded := func(s plan.Subject) bool { return s.Option("guard", "true") == "true" }
	hasGuarded := slices.ContainsFunc(cells, func(c matrix.Cell) bool {
		return c.Subject.Name == s.Name && guarded(c.Subject)
	})
	if s.Unstated && s.Name != "SY-11-redsync" {
		return false // a file says of the textbook and of redlock what it asks of them
	}
	asWritten := !s.Planted() && s.Patch() == "none" && s.Option("fail_fast", "false") == "false"
	return known && asWritten && (guarded(s) || kind == plan.KindHolds && !hasGuarded)
}

// promised reports whether a lock promises what a scenario asks for: the textbook is not
// blamed for what only package redlock does.
func promised(s *plan.Scenario, subject plan.Subject) bool {
	d, _ := plan.Declared(subject.Name)
	return d.Abilities.BeyondTextbook || !s.BeyondTextbook()
}

// Add takes in a run, and prints the lines of the claims that are done.
func (o *Overview) Add(r campaign.Summary) {
	o.done++
	row := o.rows[[2]string{r.Scenario, r.Subject}]
	row.reports = append(row.reports, r)
	row.line.left--
	for len(o.lines) > 0 && o.lines[0].left == 0 {
		o.print()
	}
	if time.Since(o.spoken) > Silence {
		fmt.Fprintf(o.log, "played %d of %d runs\n", o.done, campaign.Runs(o.Jobs))
		o.spoken = time.Now()
	}
}

// Head writes the line above the claims.
func (o *Overview) Head() {
	fmt.Fprintf(o.out, overviewLine+"\n", "CLAIM", "WHAT HAPPENS, OR MUST HOLD", "TEXTBOOK", "REDLOCK", "REDSYNC", "THE CLAIM")
}

// Rest writes the lines of claims that are not all played, by what was.
func (o *Overview) Rest() {
	for len(o.lines) > 0 {
		o.print()
	}
}

// print prints the line of the next claim.
func (o *Overview) print() {
	claim := o.lines[0]
	o.lines, o.spoken = o.lines[1:], time.Now()
	cells := map[string]cell{}
	var broken []string
	asClaimed := true
	for _, r := range claim.rows {
		if len(r.reports) == 0 {
			continue
		}
		row := campaign.NewRow(&r.job, r.reports)
		name := r.job.Expected().Name
		cells[name] = cells[name].with(&row, claim.Kind)
		if !row.Unstated && !row.AsExpected && len(r.reports) == len(r.job.Seeds) {
			asClaimed = false
			o.Strange++
		}
		for _, b := range row.Broken {
			if row.Violated > row.Bug && !slices.Contains(broken, b.Assumption) {
				broken = append(broken, b.Assumption)
			}
		}
	}
	words := []any{claim.ID, claim.Short}
	var hold, not []string // locks
	for _, l := range overviewLocks {
		word := cells[l.subject].String()
		words = append(words, word)
		switch word {
		case "-":
		case "holds":
			hold = append(hold, l.head)
		default:
			not = append(not, l.head)
		}
	}
	says := "holds"
	switch {
	case len(cells) == 0:
		says = "not played"
	case !asClaimed:
		says = "NOT AS EXPECTED"
	case claim.Kind == plan.KindMeasured:
		says = "measured"
	case claim.Kind == plan.KindViolated && len(broken) > 1:
		says = "true: " + broken[0] + ", …"
	case claim.Kind == plan.KindViolated && len(broken) == 1:
		says = "true: " + broken[0]
	case claim.Kind == plan.KindViolated:
		says = "true"
	case len(not) == 1:
		says = "not with " + not[0]
	case len(not) > 1 && len(hold) == 0:
		says = "with none of them"
	case len(not) > 1:
		says = strings.Join(hold, ", ") + " alone"
	}
	fmt.Fprintln(o.out, fmt.Sprintf(overviewLine, append(words, says)...))
}

// cell sums up the rows of one lock in one claim.
type cell struct {
	held, bug bool
	violated  []checker.Oracle
}

// with is the cell with another row.
func (c cell) with(row *campaign.Row, kind plan.Kind) cell {
	if row.NotApplicable != "" || row.Runs == 0 {
		return c
	}
	c.held, c.bug = true, c.bug || row.Bug > 0
	for _, o := range row.Oracles {
		// A claim that holds is about a resource that is fenced.
		unfenced := o.Oracle == checker.OracleResourceUnfenced || o.Oracle == checker.OracleResourceFencedWrites
		if o.Violated > 0 && !(kind == plan.KindHolds && unfenced) && campaign.Counts(row.Claim, o.Oracle) {
			c.violated = append(c.violated, o.Oracle)
		}
	}
	return c
}

// String is a word of at most nine columns; the worst of what was seen decides.
func (c cell) String() string {
	switch {
	case !c.held:
		return "-"
	case c.bug:
		return "own bug"
	}
	for _, worst := range []struct {
		word    string
		oracles []checker.Oracle
	}{
		{"2 holders", []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}},
		{"stale", []checker.Oracle{
			checker.OracleResourceFenced, checker.OracleResourceFencedWrites, checker.OracleResourceUnfenced,
		}},
		{"token", []checker.Oracle{checker.OracleFencingTokens}},
		{"late", []checker.Oracle{checker.OracleLiveness}},
	} {
		if slices.ContainsFunc(worst.oracles, func(o checker.Oracle) bool { return slices.Contains(c.violated, o) }) {
			return worst.word
		}
	}
	return "holds"
}
