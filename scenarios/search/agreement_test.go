package search_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
)

var agreementRuns = flag.Int("agreement", 120, "how many runs TestAgreement plays; with -v it prints which oracle called what violated")

// TestAgreement compares the oracles with each other on drawn runs, of healthy
// locks with and without broken assumptions and of locks with planted bugs: they differ only in
// ways that ORACLES.md explains.
func TestAgreement(t *testing.T) {
	type counts struct{ healthy, broken, planted int }
	rows, subjects := map[answers]counts{}, agreementSubjects()
	for seed := range uint64(*agreementRuns) {
		o := subjects[seed%uint64(len(subjects))]
		run, err := play.Run(drawn(t, seed, o), play.RunOptions{Real: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		report := campaign.Summarize(run)
		a, finished := answersOf(&report, slices.Contains(o.Break, checker.AssumptionWork)) // only then clients write
		if !finished {
			t.Errorf("seed %d, %+v: no verdict: %s", seed, o, report.Outcome)
			continue
		}
		row := rows[a]
		switch {
		case len(o.Settings) > 0:
			row.planted++
		case len(o.Break) > 0:
			row.broken++
		default:
			row.healthy++
		}
		rows[a] = row
	}
	for _, a := range slices.SortedFunc(maps.Keys(rows), func(x, y answers) int {
		return cmp.Compare(fmt.Sprint(x, x.Accessed), fmt.Sprint(y, y.Accessed))
	}) {
		var ways []string
		for _, d := range a.disagree() {
			ways = append(ways, d.Name)
			if !d.Explained {
				t.Errorf("%s (%+v): the oracles differ in a way that nothing explains: %s", a, rows[a], d.Name)
			}
		}
		t.Logf("%6d healthy %6d with an assumption broken %6d with a planted bug, register used %v: %s; they differ: %s", rows[a].healthy, rows[a].broken, rows[a].planted, a.Accessed, a, cmp.Or(strings.Join(ways, ", "), "not at all"))
	}
	agreed, overlap := rows[answers{}].healthy, 0
	for a, row := range rows {
		if a.Overlap && a.Lock {
			overlap += row.planted
		}
	}
	if agreed == 0 || overlap == 0 {
		t.Errorf("%d healthy runs in which all hold, %d runs of planted bugs with an overlap: too few to compare", agreed, overlap)
	}
}

// TestDisagreementsAreExplained: what is called explained is explained.
func TestDisagreementsAreExplained(t *testing.T) {
	text, err := os.ReadFile("ORACLES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range disagreements() {
		if told := strings.Contains(string(text), "| `"+d.Name+"` |"); told != d.Explained {
			t.Errorf("%s: explained %v, in ORACLES.md %v", d.Name, d.Explained, told)
		}
	}
}

// TestDisagreements: each way of differing is told from the answers that show it.
func TestDisagreements(t *testing.T) {
	for _, c := range []struct {
		answers answers
		words   string
		ways    []string
	}{
		{answers{}, "all hold", nil},
		{answers{Accessed: true}, "all hold", nil},
		{answers{Overlap: true, Lock: true, Key: true}, "overlap, lock, key", nil},
		{answers{Overlap: true, Lock: true}, "overlap, lock", []string{"quorum-in-spite"}},
		{answers{Overlap: true, Key: true}, "overlap, key", []string{"overlap-without-lock"}},
		{answers{Lock: true}, "lock", []string{"lock-passed-on"}},
		{answers{Key: true}, "key", []string{"key-taken"}},
		{answers{Quorum: true}, "quorum", []string{"too-few-votes"}},
		{answers{Register: true, Accessed: true}, "register", []string{"register-misbehaves"}},
		{answers{Fenced: true, Tokens: true, Accessed: true}, "fenced, tokens", []string{"only-the-fence-fails", "tokens-fell"}},
		{answers{Fenced: true, Unfenced: true, Counter: true, Overlap: true, Lock: true, Key: true, Accessed: true}, "overlap, lock, key, counter, unfenced, fenced", []string{"fence-fails"}},
		{answers{Tokens: true}, "tokens", []string{"tokens-fell"}},
		{answers{Counter: true, Accessed: true}, "counter", []string{"late-effect"}},
		{answers{Unfenced: true, Fenced: true, Tokens: true, Counter: true, Accessed: true}, "counter, unfenced, fenced, tokens", []string{"late-effect", "tokens-fell"}},
		{answers{Unfenced: true, Counter: true, Accessed: true}, "counter, unfenced", []string{"late-effect", "fence-refused"}},
		{answers{Unfenced: true, Fenced: true, Tokens: true, Accessed: true}, "unfenced, fenced, tokens", []string{"late-effect", "tokens-fell", "obedient-register"}},
		{answers{Overlap: true, Lock: true, Key: true, Accessed: true}, "overlap, lock, key", []string{"harmless-overlap"}},
	} {
		var ways []string
		for _, d := range c.answers.disagree() {
			ways = append(ways, d.Name)
		}
		if c.answers.String() != c.words || !slices.Equal(ways, c.ways) {
			t.Errorf("%+v: %q, %v; wanted %q, %v", c.answers, c.answers, ways, c.words, c.ways)
		}
	}
}

func TestAnswersOf(t *testing.T) {
	r := campaign.Summary{Outcome: campaign.Finished, Sorts: []string{"key", "overlap"}, Answers: checker.Answers{
		{
			Oracle: checker.OracleOverlap, Status: checker.Violated,
		}, {Oracle: checker.OracleResourceFenced, Status: checker.Holds},
		{Oracle: checker.OracleFencingTokens, Status: checker.Violated},
	}}
	if a, finished := answersOf(&r, true); !finished || a != (answers{
		Overlap: true, Key: true, Tokens: true, Accessed: true,
	}) {
		t.Errorf("%+v, %v", a, finished)
	}
	r.Answers[1].Status = checker.Inconclusive
	if _, finished := answersOf(&r, true); finished {
		t.Error("an inconclusive run is compared")
	}
	for _, o := range agreementSubjects() {
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// answers is what the oracles said of one run, as far as they can be compared:
// true is a violation. The linearizability oracle answers for each of its models.
type answers struct {
	Overlap                        bool
	Lock, Key, Quorum              bool // the models of the lock, of its keys on the nodes, and of the votes for it
	Counter, Register              bool // … of clients' operations on a register, and of the requests that it saw
	Unfenced, FencedWrites, Fenced bool // the registers of the resource oracle
	Tokens                         bool // fencing tokens did not grow from lease to lease
	Accessed                       bool // a register was used at all
}

// answersOf reads the answers out of a report; false when a run has no verdict.
func answersOf(r *campaign.Summary, accessed bool) (answers, bool) {
	violated := func(oracle checker.Oracle) bool { return slices.Contains(r.Answers.Violated(), oracle) }
	found := func(sort string) bool { return slices.Contains(r.Sorts, sort) }
	a := answers{
		Overlap: violated(checker.OracleOverlap),
		Lock:    found(checker.SortLock), Key: found(checker.SortKey), Quorum: found(checker.SortQuorum),
		Counter: found(checker.SortCounter), Register: found(checker.SortRegister),
		Unfenced: violated(checker.OracleResourceUnfenced), FencedWrites: violated(checker.OracleResourceFencedWrites),
		Fenced: violated(checker.OracleResourceFenced),
		Tokens: violated(checker.OracleFencingTokens), Accessed: accessed,
	}
	return a, r.Decided()
}

// String names the violated answers: "overlap, lock"; "all hold" when there is none.
func (a answers) String() string {
	var names []string
	for _, answer := range []struct {
		violated bool
		name     string
	}{
		{a.Overlap, "overlap"}, {a.Lock, "lock"}, {a.Key, "key"}, {a.Quorum, "quorum"}, {a.Counter, "counter"}, {a.Register, "register"},
		{a.Unfenced, "unfenced"}, {a.FencedWrites, "fenced writes"}, {a.Fenced, "fenced"}, {a.Tokens, "tokens"},
	} {
		if answer.violated {
			names = append(names, answer.name)
		}
	}
	if len(names) == 0 {
		return "all hold"
	}
	return strings.Join(names, ", ")
}

// disagreement is a way in which oracles may differ about one run. ORACLES.md
// says of each that is explained why both are right; one that is not is a bug of an
// oracle.
type disagreement struct {
	Name      string
	Explained bool
	shown     func(answers) bool
}

// disagreements lists all ways.
func disagreements() []disagreement {
	return []disagreement{
		{"overlap-without-lock", false, func(a answers) bool { return a.Overlap && !a.Lock }},
		{"register-misbehaves", false, func(a answers) bool { return a.Register }},
		{"only-the-fence-fails", false, func(a answers) bool { return a.Fenced && !a.Unfenced }},
		{"fence-fails", false, func(a answers) bool { return a.Fenced && !a.Tokens }},
		{"lock-passed-on", true, func(a answers) bool { return a.Lock && !a.Overlap }},
		{"key-taken", true, func(a answers) bool { return a.Key && !a.Overlap && !a.Lock }},
		{"too-few-votes", true, func(a answers) bool { return a.Quorum && !a.Overlap && !a.Lock }},
		{"quorum-in-spite", true, func(a answers) bool { return a.Overlap && !a.Key }},
		{"late-effect", true, func(a answers) bool { return (a.Unfenced || a.Counter) && !a.Overlap && !a.Lock }},
		{"tokens-fell", true, func(a answers) bool { return a.Tokens && !a.Overlap && !a.Lock }},
		{"harmless-overlap", true, func(a answers) bool { return a.Overlap && a.Accessed && !a.Unfenced }},
		{"fence-refused", true, func(a answers) bool { return a.Unfenced && !a.Fenced }},
		{"obedient-register", true, func(a answers) bool { return a.Unfenced && !a.Counter }},
	}
}

// disagree lists the ways in which the answers differ.
func (a answers) disagree() []disagreement {
	return slices.DeleteFunc(disagreements(), func(d disagreement) bool { return !d.shown(a) })
}

// agreementSubjects are what the oracles are compared on: the healthy locks, with
// nothing and with each assumption broken, and the planted bugs, with and without
// work on a resource.
func agreementSubjects() []search.Trial {
	var list []search.Trial
	for _, subject := range []string{"SY-0", "SY-10"} {
		list = append(list, search.Trial{Subject: subject})
		for _, id := range checker.Assumptions() {
			o := search.Trial{Subject: subject, Break: []string{id}}
			if o.Validate() == nil { // the package draws its tokens itself
				list = append(list, o)
			}
		}
	}
	for _, m := range search.Mutants() {
		if m.Subject != "SY-0" {
			continue // a patch needs a program of its own
		}
		o := m.Trial()
		list = append(list, o)
		o.Break = []string{checker.AssumptionWork}
		list = append(list, o)
	}
	return list
}
