package atlas_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

const curveFile = `claim: BA-8
title: A & B <hold>
story: told elsewhere
parameters:
  rate: { value: 500, unit: ppm, range: 0..1000, meaning: how fast the nodes run }
  spread: { value: 4ms, range: 1us..10ms, meaning: how far apart they start }
map:
  x: { rate: "0:1000:500" }
  panels: { spread: "1ms,5ms" }
  measure: MEASURE
  seeds: 1-4
lock: { ttl: 10s }
clients:
  A: { start: 0ms..$spread, steps: [ { lock: r }, { release: r } ] }
faults:
  - { name: fast, node_clock_rate: n1 n2, ppm: $rate, at: 0s }
subjects:
  SY-0: { expect: { overlap: holds } }
  SY-10: { expect: { overlap: holds } }
liveness:
  - { claim: BA-8, client: A, does: acquire, within: round }
`

// newMap makes the map of a file.
func newMap(t *testing.T, text string, change func(*atlas.Spec)) *atlas.Map {
	t.Helper()
	spec := atlas.Spec{Name: "BA-8", File: "BA-8.yaml", Text: text}
	first, err := atlas.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Map = *first.Scenario.Map
	if change != nil {
		change(&spec)
	}
	m, err := atlas.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// curves is a map over one axis of which everything is played: overlap is violated in the
// first runs of the largest rate, and one run is inconclusive, one failed.
func curves(t *testing.T, measure plan.Measure) *atlas.Map {
	m := newMap(t, strings.Replace(curveFile, "MEASURE", string(measure), 1), nil)
	jobs, err := m.Jobs(m.Places()...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		for _, seed := range jobs[i].Seeds {
			r := report(jobs[i], seed, seed <= 2 && strings.Contains(jobs[i].Scenario.Name, "rate=1000"))
			if i == 0 && seed == 4 {
				r.Answers[len(r.Answers)-1].Status = checker.Inconclusive
			}
			if i == 1 && seed == 1 {
				r = campaign.Summary{Scenario: r.Scenario, Subject: r.Subject, Seed: seed, Failure: "killed"}
			}
			m.Add(r)
		}
	}
	return m
}

// report is what a run could say.
func report(job campaign.Job, seed uint64, violated bool) campaign.Summary {
	r := campaign.Summary{
		Scenario: job.Scenario.Name, Subject: job.Subject, Seed: seed, Outcome: campaign.Finished,
		MarginNS: checker.At(int64(seed) * 10),
	}
	for _, oracle := range checker.Oracles() {
		status := checker.Holds
		if oracle == checker.OracleOverlap && violated {
			status = checker.Violated
		}
		r.Answers = append(r.Answers, checker.Answer{Oracle: oracle, Status: status})
	}
	if len(job.Scenario.Liveness) > 0 {
		r.Goals = []campaign.GoalTime{{Status: checker.Holds, TookNS: checker.At(1000)}}
	}
	return r
}

func linesOf(t *testing.T, m *atlas.Map) []atlas.Line {
	t.Helper()
	lines, err := m.Lines()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLinesCountWhatWasSeen(t *testing.T) {
	m := curves(t, plan.MeasureMargin)
	jobs, _ := m.Jobs(m.Places()...)
	if len(jobs) != 12 || jobs[0].Scenario.Name != "BA-8@rate=0@spread=1ms" || jobs[11].Scenario.Name != "BA-8@rate=1000@spread=5ms" || jobs[11].Subject != "SY-10" {
		t.Fatalf("%d jobs, %s … %s", len(jobs), jobs[0].Scenario.Name, jobs[11].Scenario.Name)
	}
	lines := linesOf(t, m)
	for i, want := range map[int][2]int{0: {3, 0}, 1: {3, 0}, 2: {4, 0}, 8: {4, 2}, 11: {4, 2}} {
		if l := lines[i]; l.Runs != want[0] || l.Violated.Count != want[1] || l.Oracles[0].Violated != want[1] ||
			l.Margin.Runs != want[0] || l.Times[0].Median != 1000 {
			t.Errorf("line %d: %+v, want %v", i, l, want)
		}
	}
	if lines[0].Oracles[len(lines[0].Oracles)-1].Inconclusive != 1 || atlas.Complete(lines) ||
		!atlas.Complete(lines[2:]) {
		t.Error("what is inconclusive or failed counts as done")
	}
	// A run that was played again replaces the one that failed.
	m.Add(report(jobs[1], 1, false))
	if lines := linesOf(t, m); lines[1].Runs != 4 {
		t.Errorf("%+v", lines[1])
	}
}

func TestWhatIsWrittenIsTheSameEachTimeAndCanBeRead(t *testing.T) {
	for _, measure := range []plan.Measure{plan.MeasureViolated, plan.MeasureMargin, plan.MeasureTime} {
		m := curves(t, measure)
		lines := linesOf(t, m)
		var first, second bytes.Buffer
		if err := errors.Join(m.WriteSVG(&first, lines), m.WriteSVG(&second, lines)); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("two pictures of the measure %s", measure)
		}
		if drawn := count(t, &first, "polyline"); drawn != 4 { // two subjects, two spreads
			t.Errorf("%s: %d curves, want 4", measure, drawn)
		}
	}
	m := curves(t, plan.MeasureMargin)
	var text bytes.Buffer
	if err := m.WriteCSV(&text, linesOf(t, m)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cell := func(record int, column string) string {
		for i, name := range records[0] {
			if name == column {
				return records[record][i]
			}
		}
		t.Fatalf("no column %s in %q", column, records[0])
		return ""
	}
	if len(records) != 13 || cell(12, "rate_ppm") != "1000" || cell(12, "spread_ns") != "5000000" || cell(12, "overlap_violated") != "2" ||
		cell(12, "violated_share") != "0.5000" || cell(12, "margin_median_ns") != "25" || cell(12, "margin_p99_ns") != "40" || cell(1, "runs") != "3" ||
		cell(12, "verdict") != "two holders" || cell(12, "from") != "2" || cell(12, "seed") != "1" || cell(3, "verdict") != "one holder" {
		t.Errorf("%q", records)
	}
}

// count counts the elements of a picture that have a name.
func count(t *testing.T, picture io.Reader, name string) (n int) {
	t.Helper()
	for decoder := xml.NewDecoder(picture); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			n++
		}
	}
}

func TestMapsThatCannotBe(t *testing.T) {
	text := strings.Replace(curveFile, "MEASURE", "margin", 1)
	if m := newMap(t, text, func(s *atlas.Spec) { s.Subjects = []string{"SY-10"} }); len(m.Places()) != 6 {
		t.Errorf("%d places of one subject, want 6", len(m.Places()))
	}
	if m := newMap(t, text, func(s *atlas.Spec) { s.Subjects = []string{"redsync"} }); len(m.Subjects) == 0 ||
		!strings.HasPrefix(m.Subjects[0], "SY-11-redsync") {
		t.Errorf("a lock that the file does not name: %v", m.Subjects)
	}
	m := newMap(t, text, nil)
	for want, change := range map[string]func(*atlas.Spec){
		"unknown subject":   func(s *atlas.Spec) { s.Subjects = []string{"SY-99"} },
		"fewer values":      func(s *atlas.Spec) { s.Map.Seeds.Last = 9_000_000 },
		"unknown axis":      func(s *atlas.Spec) { s.Pin = []plan.Setting{{Name: "rat", Value: "1"}} },
		"0 to 1000":         func(s *atlas.Spec) { s.Pin = []plan.Setting{{Name: "rate", Value: "1001"}} },
		"a condition over ": func(s *atlas.Spec) { s.Map.Predictions = []plan.Prediction{{Violated: "rat > 5"}} },
	} {
		spec := m.Spec
		change(&spec)
		if _, err := atlas.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// TestReadyMaps: each map that comes with the package is over two axes, predicts something of
// every panel, and can be made.
func TestReadyMaps(t *testing.T) {
	if n := len(atlas.Ready()); n < 9 {
		t.Errorf("only %d maps", n)
	}
	for _, name := range atlas.Ready() {
		text, err := atlas.ReadyText(name)
		if err != nil {
			t.Fatal(err)
		}
		spec := atlas.Spec{Name: name, File: name + ".yaml", Text: string(text)}
		base, err := atlas.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		spec.Map = *base.Scenario.Map
		m, err := atlas.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Map.Y == nil {
			t.Errorf("%s has one axis", name)
		}
		for _, l := range linesOf(t, m) { // nothing is played: all cells are undecided, and most are predicted
			if l.Agreement == atlas.Unpredicted || l.Verdict != atlas.Undecided {
				t.Fatalf("%s, %v of %s: %s, predicted %q", name, l.Texts, l.Subject, l.Verdict, l.Predicted)
			}
		}
	}
	if _, err := atlas.ReadyText("RP-1-mop"); err == nil || !strings.Contains(err.Error(), "RP-1-map") {
		t.Errorf("an unknown map: %v", err)
	}
}
