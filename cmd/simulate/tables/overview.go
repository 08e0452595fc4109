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
	Claims  []plan.Claim
	Strange int // rows that are not as their file expects

	out, log io.Writer
	claim    map[string]int                  // that a row, by scenario and subject, is about
	reports  []map[string][]campaign.Summary // by claim, then by row
	left     []int                           // runs of each claim that are to come
	printed  int                             // claims whose line is written
	spoken   time.Time                       // when the last line was written
	done     int
}

// NewOverview chooses what is played: of each scenario the three locks with their defaults,
// with these seeds. It writes the lines of claims to out, and lines of progress to log.
func NewOverview(out, log io.Writer, suite []*plan.Scenario, seeds func(matrix.Cell) []uint64) *Overview {
	o := &Overview{out: out, log: log, spoken: time.Now(), claim: map[string]int{}}
	for _, claim := range plan.Claims() {
		if claim.Kind == plan.KindSystem {
			continue
		}
		o.Claims, o.left = append(o.Claims, claim), append(o.left, 0)
		o.reports = append(o.reports, map[string][]campaign.Summary{})
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
				at := len(o.Claims) - 1
				o.Jobs, o.claim[rowOf(s.Name, job.Subject)] = append(o.Jobs, job), at
				o.left[at] += len(job.Seeds)
			}
		}
	}
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

func rowOf(scenario, subject string) string { return scenario + "\t" + subject }

// Add takes in a run, and prints the lines of the claims that are done.
func (o *Overview) Add(r campaign.Summary) {
	o.done++
	row := rowOf(r.Scenario, r.Subject)
	at := o.claim[row]
	o.reports[at][row] = append(o.reports[at][row], r)
	o.left[at]--
	for o.printed < len(o.Claims) && o.left[o.printed] == 0 {
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
	for o.printed < len(o.Claims) {
		o.print()
	}
}

// print prints the line of the next claim.
func (o *Overview) print() {
	claim := o.Claims[o.printed]
	cells := map[string]*cell{}
	var broken []string
	asClaimed := true
	for _, job := range o.Jobs {
		reports := o.reports[o.printed][rowOf(job.Scenario.Name, job.Subject)]
		if job.Scenario.Claim != claim.ID || len(reports) == 0 {
			continue
		}
		row := campaign.NewRow(&job, reports)
		name := job.Expected().Name
		if cells[name] == nil {
			cells[name] = &cell{}
		}
		cells[name].add(&row, claim.Kind)
		if !row.Unstated && !row.AsExpected && len(reports) == len(job.Seeds) {
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
	o.printed++
	o.spoken = time.Now()
}

// cell sums up the rows of one lock in one claim.
type cell struct {
	held, bug bool
	violated  []checker.Oracle
}

func (c *cell) add(row *campaign.Row, kind plan.Kind) {
	if row.NotApplicable != "" || row.Runs == 0 {
		return
	}
	c.held = true
	c.bug = c.bug || row.Bug > 0
	for _, oracle := range row.Oracles {
		// A claim that holds is about a resource that is fenced.
		unfenced := oracle.Oracle == checker.OracleResourceUnfenced ||
			oracle.Oracle == checker.OracleResourceFencedWrites
		fenced := kind == plan.KindHolds && unfenced
		if oracle.Violated > 0 && !fenced && campaign.Counts(row.Claim, oracle.Oracle) {
			c.violated = append(c.violated, oracle.Oracle)
		}
	}
}

// String is a word of at most nine columns; the worst of what was seen decides.
func (c *cell) String() string {
	switch {
	case c == nil || !c.held:
		return "-"
	case c.bug:
		return "own bug"
	}
	for _, worst := range []struct {
		oracle checker.Oracle
		word   string
	}{
		{checker.OracleOverlap, "2 holders"}, {checker.OracleLinearizability, "2 holders"},
		{checker.OracleResourceFenced, "stale"}, {checker.OracleResourceFencedWrites, "stale"},
		{checker.OracleResourceUnfenced, "stale"}, {checker.OracleFencingTokens, "token"},
		{checker.OracleLiveness, "late"},
	} {
		if slices.Contains(c.violated, worst.oracle) {
			return worst.word
		}
	}
	return "holds"
}
