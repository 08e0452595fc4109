package campaign

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios"
)

// RowsVersion is the version of the rows as JSON, which FORMATS.md describes.
const RowsVersion = 1

// Row is one line of the table: all runs of a scenario with one of its subjects.
type Row struct {
	Scenario string         `json:"scenario"`
	Claim    string         `json:"claim"`
	Subject  string         `json:"subject"`
	Planned  int            `json:"planned"` // runs that were asked for
	Runs     int            `json:"runs"`    // runs that have a verdict
	Mode     scenarios.Runs `json:"expected_in,omitempty"`
	Unstated bool           `json:"unstated,omitempty"` // nobody said what is expected: what was found is shown

	Oracles []OracleCount     `json:"oracles"`
	Broken  []AssumptionCount `json:"broken"` // in the order of the ledger
	// WorstMarginNS is the smallest margin of all runs, and WorstSeed the first
	// seed that has it; absent when no run had two beliefs.
	WorstMarginNS *int64       `json:"worst_margin_ns,omitempty"`
	WorstSeed     uint64       `json:"worst_seed,omitempty"`
	Faults        []FaultCount `json:"faults"` // in the schedule's order

	AsExpected bool      `json:"as_expected"`
	Problems   []Problem `json:"problems,omitempty"` // worst first
}

// OracleCount is one oracle over all runs of a row.
type OracleCount struct {
	Oracle       scenarios.Oracle  `json:"oracle"`
	Expected     scenarios.Verdict `json:"expected,omitempty"`
	Holds        int               `json:"holds"`
	Violated     int               `json:"violated"`
	Inconclusive int               `json:"inconclusive"`
}

// AssumptionCount is in how many runs an assumption was broken.
type AssumptionCount struct {
	Assumption string `json:"assumption"`
	Runs       int    `json:"runs"`
}

// FaultCount is in how many runs a scripted fault fired, and how often in all.
type FaultCount struct {
	Fault string `json:"fault"`
	Runs  int    `json:"runs"`
	Times int    `json:"times"`
}

// Problem is one way in which a row is not as expected.
type Problem struct {
	Class Class  `json:"class"`
	Text  string `json:"text"`
	// Runs is how many runs have it; 0 when it is about the row as a whole.
	Runs int `json:"runs,omitempty"`
	// Seed is the first seed that has it, when Runs is not 0.
	Seed uint64 `json:"seed,omitempty"`
	// Replay is the command that shows it again; empty when there is none.
	Replay string `json:"replay,omitempty"`
}

// Sum makes a row of a job's reports, in whatever order they came.
func Sum(job *Job, reports []Report) Row {
	reports = slices.Clone(reports)
	slices.SortFunc(reports, func(a, b Report) int {
		switch {
		case a.Seed < b.Seed:
			return -1
		case a.Seed > b.Seed:
			return 1
		}
		return 0
	})
	expected := job.Expected()
	row := Row{Scenario: job.Scenario.Name, Claim: job.Scenario.Claim, Subject: job.Subject, Planned: len(job.Seeds), Mode: expected.Runs, Unstated: expected.Unstated, Broken: []AssumptionCount{}, Faults: []FaultCount{}}
	row.count(job, expected, reports)
	row.judge(job, expected, reports)
	row.AsExpected = len(row.Problems) == 0
	return row
}

// count fills in what happened.
func (row *Row) count(job *Job, expected *scenarios.Subject, reports []Report) {
	for _, oracle := range scenarios.Oracles() {
		row.Oracles = append(row.Oracles, OracleCount{Oracle: oracle, Expected: expected.Expect[oracle]})
	}
	for _, fault := range job.Scenario.Faults {
		row.Faults = append(row.Faults, FaultCount{Fault: fault.Name})
	}
	broken := map[string]int{}
	for i := range reports {
		r := &reports[i]
		if r.Failure != "" {
			continue
		}
		row.Runs++
		for _, o := range r.Oracles {
			for j := range row.Oracles {
				if row.Oracles[j].Oracle == o.Oracle {
					row.Oracles[j].add(o.Status)
				}
			}
		}
		for _, assumption := range r.Broken {
			broken[assumption]++
		}
		if r.MarginNS != nil && (row.WorstMarginNS == nil || *r.MarginNS < *row.WorstMarginNS) {
			row.WorstMarginNS, row.WorstSeed = r.MarginNS, r.Seed
		}
		for _, fired := range r.Fired {
			for j := range row.Faults {
				if row.Faults[j].Fault == fired.Name && fired.Times > 0 {
					row.Faults[j].Runs++
					row.Faults[j].Times += fired.Times
				}
			}
		}
	}
	for _, assumption := range scenarios.Assumptions() {
		if n := broken[assumption]; n > 0 {
			row.Broken = append(row.Broken, AssumptionCount{assumption, n})
		}
	}
}

func (c *OracleCount) add(status checker.Status) {
	switch status {
	case checker.Holds:
		c.Holds++
	case checker.Violated:
		c.Violated++
	default:
		c.Inconclusive++
	}
}

// judge compares the row with its expectation.
func (row *Row) judge(job *Job, expected *scenarios.Subject, reports []Report) {
	anyComplete := false
	for i := range reports {
		for _, d := range Judge(expected, &reports[i]) {
			row.problem(job, d, reports[i].Seed)
		}
		anyComplete = anyComplete || complete(expected, &reports[i])
	}
	if missing := len(job.Seeds) - len(reports); missing > 0 {
		row.Problems = append(row.Problems, Problem{Class: Incomplete, Text: fmt.Sprintf("%d of %d runs were not played", missing, len(job.Seeds))})
	}
	if row.Runs > 0 && !expected.Unstated {
		for _, f := range row.Faults {
			if f.Runs == 0 {
				row.Problems = append(row.Problems, Problem{Class: Incomplete, Text: fmt.Sprintf("the fault %q fired in none of %d runs", f.Fault, row.Runs)})
			}
		}
		if expected.Runs == scenarios.RunsSome && !anyComplete {
			row.Problems = append(row.Problems, row.nothingShown(expected))
		}
	}
	slices.SortStableFunc(row.Problems, func(a, b Problem) int {
		return slices.Index(classes, a.Class) - slices.Index(classes, b.Class)
	})
}

// problem counts a difference under its text.
func (row *Row) problem(job *Job, d Difference, seed uint64) {
	for i := range row.Problems {
		if p := &row.Problems[i]; p.Class == d.Class && p.Text == d.Text {
			p.Runs++
			return
		}
	}
	row.Problems = append(row.Problems, Problem{Class: d.Class, Text: d.Text, Runs: 1, Seed: seed, Replay: ReplayCommand(job, seed)})
}

// nothingShown is the problem of a random family in which no run is as expected.
func (row *Row) nothingShown(expected *scenarios.Subject) Problem {
	class := Safety
	var short []string
	for _, o := range row.Oracles {
		if o.Expected == scenarios.Violated && o.Violated == 0 {
			short = append(short, string(o.Oracle)+" violated")
		}
	}
	if len(short) == 1 && expected.Expect[scenarios.OracleLiveness] == scenarios.Violated && strings.HasPrefix(short[0], string(scenarios.OracleLiveness)) {
		class = Liveness
	}
	text := fmt.Sprintf("none of %d runs shows all that is expected", row.Runs)
	if len(short) > 0 {
		text += "; never seen: " + strings.Join(short, ", ")
	}
	return Problem{Class: class, Text: text}
}

// ReplayCommand is the command that plays one run of a job again.
func ReplayCommand(job *Job, seed uint64) string {
	name := job.Scenario.Name
	if !strings.HasPrefix(job.Scenario.Path, "suite/") {
		name = job.Scenario.Path
	}
	return fmt.Sprintf("./simulate run %s --subject %s --seed %d --out out/%s-%d", quoteWord(name), quoteWord(job.Subject), seed, job.Scenario.Name, seed)
}

// quoteWord quotes a word for a shell when it needs that.
func quoteWord(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ExitCode is the exit code for rows: that of the worst class of problem.
func ExitCode(rows []Row) int {
	for _, class := range classes {
		for _, row := range rows {
			for _, p := range row.Problems {
				if p.Class == class {
					return class.ExitCode()
				}
			}
		}
	}
	return 0
}
