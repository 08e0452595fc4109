package campaign

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// RowsVersion is the version of the rows as JSON, which FORMATS.md describes.
const RowsVersion = 2

// Row is one line of the table: all runs of a scenario with one of its subjects,
// summed up and compared with what is expected of it.
type Row struct {
	Scenario string    `json:"scenario"`
	Claim    string    `json:"claim"`
	Subject  string    `json:"subject"`
	Planned  int       `json:"planned"` // runs that were asked for
	Runs     int       `json:"runs"`    // runs that have a verdict
	Mode     plan.Runs `json:"expected_in,omitempty"`
	Unstated bool      `json:"unstated,omitempty"` // without expectations: what was found is shown

	Oracles OracleCounts      `json:"oracles"`
	Broken  []AssumptionCount `json:"broken"` // in the order of the ledger
	// WorstMarginNS is the smallest margin of all runs, and WorstSeed the first
	// seed that has it; absent when no run had two beliefs.
	WorstMarginNS *int64       `json:"worst_margin_ns,omitempty"`
	WorstSeed     uint64       `json:"worst_seed,omitempty"`
	Faults        []FaultCount `json:"faults"` // in the schedule's order
	// Points are the coverage points that the runs came to, in the order of package coverage.
	Points []PointCount `json:"moments"`

	// Violated and Bug are those of the row's [Tally].
	Violated int `json:"violated"`
	Bug      int `json:"bug"`
	// Causes are those of the runs whose causes were looked for; nil: of none.
	Causes *CauseCounts `json:"causes,omitempty"`
	// NotApplicable says why the runs say nothing about the lock: a fault never
	// fired, nobody said what to expect, and nothing was violated.
	NotApplicable string `json:"not_applicable,omitempty"`

	planted bool // a row with a bug on purpose

	AsExpected bool      `json:"as_expected"`
	Problems   []Problem `json:"problems,omitempty"` // worst first
}

// OracleCount counts the answers of one oracle over many runs.
type OracleCount struct {
	Oracle       checker.Oracle `json:"oracle"`
	Expected     checker.Status `json:"expected,omitempty"`
	Holds        int            `json:"holds"`
	Violated     int            `json:"violated"`
	Inconclusive int            `json:"inconclusive"`
}

// OracleCounts counts the answers of all oracles, in the order of reports.
type OracleCounts []OracleCount

// NewOracleCounts returns the counts of no runs, with what is expected of a subject.
func NewOracleCounts(expected *plan.Subject) OracleCounts {
	var counts OracleCounts
	for _, oracle := range checker.Oracles() {
		counts = append(counts, OracleCount{Oracle: oracle, Expected: expected.Expect[oracle]})
	}
	return counts
}

// Add counts the answers of one run.
func (counts OracleCounts) Add(answers checker.Answers) {
	for _, answer := range answers {
		i := slices.IndexFunc(counts, func(c OracleCount) bool { return c.Oracle == answer.Oracle })
		switch {
		case i < 0:
		case answer.Status == checker.Holds:
			counts[i].Holds++
		case answer.Status == checker.Violated:
			counts[i].Violated++
		default:
			counts[i].Inconclusive++
		}
	}
}

// AssumptionCount is in how many runs an assumption was broken.
type AssumptionCount struct {
	Assumption string `json:"assumption"`
	Runs       int    `json:"runs"`
}

// PointCount is how many runs came to a coverage point.
type PointCount struct {
	Point string `json:"moment"`
	Runs  int    `json:"runs"`
}

// FaultCount is in how many runs a scripted fault fired, and how often in all.
type FaultCount struct {
	Fault string `json:"fault"`
	Runs  int    `json:"runs"`
	Times int    `json:"times"`
}

// Problem is one way in which a row is not as expected.
type Problem struct {
	Class Class `json:"class"`
	// Text is what the first seed says of it.
	Text string `json:"text"`
	// Differing says that other runs say it with other words, such as other times.
	Differing bool `json:"differing,omitempty"`
	// Runs is how many runs have it; 0 when it is about the row as a whole.
	Runs int `json:"runs,omitempty"`
	// Seed is the first seed that has it, when Runs is not 0.
	Seed uint64 `json:"seed,omitempty"`
	// Replay is the command that shows it again; empty when there is none.
	Replay string `json:"replay,omitempty"`

	kind string
}

// NewRow makes the row of a job from its reports, in any order.
func NewRow(job *Job, reports []Summary) Row {
	builder := newRowBuilder(job)
	for i := range reports {
		builder.add(&reports[i])
	}
	return builder.row()
}

// NeverFired says why runs show nothing when some of these faults never fired. It
// is empty when all fired.
func NeverFired(faults []FaultCount) string {
	var names []string
	for _, f := range faults {
		if f.Runs == 0 {
			names = append(names, f.Fault)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "what the fault waits for never happens with this lock: " + strings.Join(names, ", ")
}

// held reports whether every oracle held in every run.
func (row *Row) held() bool {
	return !slices.ContainsFunc(row.Oracles, func(o OracleCount) bool { return o.Violated+o.Inconclusive > 0 })
}

// nothingShown is the problem of a random family in which no run is as expected. It decides
// nothing while fewer seeds were played than the file states.
func (row *Row) nothingShown(expected *plan.Subject, stated int) Problem {
	class := Safety
	var short []string
	for _, o := range row.Oracles {
		if o.Expected == checker.Violated && o.Violated == 0 {
			short = append(short, string(o.Oracle)+" violated")
		}
	}
	if len(short) == 1 && expected.Expect[checker.OracleLiveness] == checker.Violated &&
		strings.HasPrefix(short[0], string(checker.OracleLiveness)) {
		class = Liveness
	}
	text := fmt.Sprintf("none of %d runs shows all that is expected", row.Runs)
	if row.Runs < stated {
		class = Incomplete
		text += fmt.Sprintf(", and the file states %d seeds", stated)
	}
	if len(short) > 0 {
		text += "; never seen: " + strings.Join(short, ", ")
	}
	return Problem{Class: class, Text: text}
}

// ReplayCommand is the command that plays one run of a job again.
func ReplayCommand(job *Job, seed uint64) string {
	settings := strings.Split(job.Scenario.Name, "@")
	name, file := settings[0], settings[0]
	if path := job.Scenario.Path; path != "" && !strings.HasPrefix(path, "suite/") {
		file = path
	}
	set := ""
	for _, setting := range settings[1:] {
		set += " --set " + Quote(setting)
	}
	out := fmt.Sprintf("out/%s-%d", name, seed)
	return fmt.Sprintf("./simulate run %s%s --subject %s --seed %d --out %s", Quote(file), set, Quote(job.Subject), seed, Quote(out))
}

// Quote quotes a word for a shell when it needs that.
func Quote(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
