package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/coverage"
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

// rowBuilder makes a row. It takes one report at a time and keeps none of them, so
// that a million runs need no more memory than a hundred. The row does not depend
// on the order of the reports.
type rowBuilder struct {
	job      *Job
	expected *plan.Subject
	sums     Row // what is counted so far
	reports  int
	broken   map[string]int
	points   map[string]int
	complete bool // some run shows all that is expected
	violated []violatedRun
}

// violatedRun is a run whose causes can be looked for.
type violatedRun struct {
	seed    uint64
	decided bool
}

// newRowBuilder returns the builder of a job without runs.
func newRowBuilder(job *Job) *rowBuilder {
	expected := job.Expected()
	b := &rowBuilder{job: job, expected: expected, broken: map[string]int{}, points: map[string]int{}}
	b.sums = Row{
		Scenario: job.Scenario.Name, Claim: job.Scenario.Claim, Subject: job.Subject, Planned: len(job.Seeds),
		Mode: expected.Runs, Unstated: expected.Unstated, planted: expected.Planted(), Broken: []AssumptionCount{},
		Faults: []FaultCount{}, Points: []PointCount{},
	}
	b.sums.Oracles = NewOracleCounts(expected)
	for _, fault := range job.Scenario.Faults {
		b.sums.Faults = append(b.sums.Faults, FaultCount{Fault: fault.Name})
	}
	return b
}

// add takes in one run.
func (b *rowBuilder) add(r *Summary) {
	b.reports++
	for _, d := range Compare(b.expected, r) {
		b.problem(d, r.Seed)
	}
	b.complete = b.complete || complete(b.expected, r)
	if r.Failure == "" {
		b.count(r)
	}
}

// count adds up what happened in a run that has a verdict.
func (b *rowBuilder) count(r *Summary) {
	row := &b.sums
	tally := r.tally(row.Claim)
	row.Runs += tally.Runs
	row.Violated += tally.Violated
	row.Bug += tally.Bug
	row.Oracles.Add(r.Answers)
	if len(r.Answers.Violated()) > 0 {
		b.violated = append(b.violated, violatedRun{r.Seed, r.Causes != nil})
	}
	if r.Causes != nil {
		b.decide(r.Causes)
	}
	for _, assumption := range r.Broken {
		b.broken[assumption]++
	}
	for _, point := range r.Points {
		b.points[point]++
	}
	if m := r.MarginNS; m != nil &&
		(row.WorstMarginNS == nil || *m < *row.WorstMarginNS || *m == *row.WorstMarginNS && r.Seed < row.WorstSeed) {
		row.WorstMarginNS, row.WorstSeed = m, r.Seed
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

// decide counts the causes of a run.
func (b *rowBuilder) decide(c *Causes) {
	if b.sums.Causes == nil {
		b.sums.Causes = &CauseCounts{}
	}
	b.sums.Causes.Count(b.sums.Claim, c)
}

// problem counts a difference under its kind, with the text of its first seed.
func (b *rowBuilder) problem(d Difference, seed uint64) {
	for i := range b.sums.Problems {
		p := &b.sums.Problems[i]
		if p.Class != d.Class || p.kind != d.Kind {
			continue
		}
		p.Runs++
		p.Differing = p.Differing || p.Text != d.Text
		if seed < p.Seed {
			p.Seed, p.Text = seed, d.Text
		}
		return
	}
	b.sums.Problems = append(b.sums.Problems, Problem{Class: d.Class, Text: d.Text, Runs: 1, Seed: seed, kind: d.Kind})
}

// row returns the row of the runs so far, compared with what is expected of it.
func (b *rowBuilder) row() Row {
	row := b.sums
	for _, assumption := range checker.Assumptions() {
		if n := b.broken[assumption]; n > 0 {
			row.Broken = append(row.Broken, AssumptionCount{assumption, n})
		}
	}
	for _, m := range coverage.Points() {
		if n := b.points[m.Name]; n > 0 {
			row.Points = append(row.Points, PointCount{m.Name, n})
		}
	}
	row.Oracles, row.Faults = slices.Clone(row.Oracles), slices.Clone(row.Faults)
	row.Problems = slices.Clone(row.Problems)
	slices.SortFunc(row.Problems, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(x.Seed, y.Seed), cmp.Compare(x.Text, y.Text))
	})
	for i := range row.Problems {
		row.Problems[i].Replay = ReplayCommand(b.job, row.Problems[i].Seed)
	}
	short := func(class Class, format string, args ...any) {
		row.Problems = append(row.Problems, Problem{Class: class, Text: fmt.Sprintf(format, args...)})
	}
	if missing := len(b.job.Seeds) - b.reports; missing > 0 {
		short(Incomplete, "%d of %d runs were not played", missing, len(b.job.Seeds))
	}
	if row.Runs > 0 && b.expected.Unstated && row.held() {
		row.NotApplicable = NeverFired(row.Faults)
	}
	if row.Runs > 0 && !b.expected.Unstated {
		for _, f := range row.Faults {
			if f.Runs == 0 {
				short(Incomplete, "the fault %q fired in none of %d runs", f.Fault, row.Runs)
			}
		}
		if b.expected.Runs == plan.RunsSome && !b.complete {
			row.Problems = append(row.Problems, row.nothingShown(b.expected, b.job.Scenario.Seeds.Count()))
		}
	}
	slices.SortStableFunc(row.Problems, func(x, y Problem) int {
		return slices.Index(classes, x.Class) - slices.Index(classes, y.Class)
	})
	row.AsExpected = len(row.Problems) == 0
	return row
}
