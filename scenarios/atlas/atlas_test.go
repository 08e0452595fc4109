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
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

const curveFile = `claim: BA-8
title: A & B <hold>
story: told elsewhere
parameters:
  rate: { value: 500, unit: ppm, range: 0..1000, meaning: how fast the nodes run }
  spread: { value: 4ms, range: 1us..10ms, meaning: how far apart they start }
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

func newSweep(t *testing.T, subjects ...string) *sweep.Sweep {
	t.Helper()
	s, err := file.Parse("BA-8.yaml", []byte(curveFile))
	if err != nil {
		t.Fatal(err)
	}
	var axes []plan.Axis
	for _, text := range [][2]string{{"rate", "0:1000:500"}, {"spread", "1ms,5ms"}} {
		axis, err := s.ParseAxis(text[0], text[1])
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, axis)
	}
	made, err := sweep.New(s, axes, subjects, plan.Seeds{First: 1, Last: 4})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// reports are what a campaign could say: overlap is violated in the first runs of
// the largest rate, and one run is inconclusive, one failed.
func reports(s *sweep.Sweep) []campaign.Report {
	var all []campaign.Report
	for i := range s.Jobs {
		job := &s.Jobs[i]
		for _, seed := range job.Seeds {
			r := campaign.Report{Scenario: job.Scenario.Name, Subject: job.Subject, Seed: seed, Outcome: campaign.Finished, MarginNS: checker.At(int64(seed) * 10)}
			for _, oracle := range checker.Oracles() {
				status := checker.Holds
				if oracle == checker.OracleOverlap && seed <= 2 && strings.Contains(job.Scenario.Name, "rate=1000") {
					status = checker.Violated
				}
				if oracle == checker.OracleLiveness && i == 0 && seed == 4 {
					status = checker.Inconclusive
				}
				r.Answers = append(r.Answers, checker.Answer{Oracle: oracle, Status: status})
			}
			r.Goals = []campaign.GoalTime{{Status: checker.Holds, TookNS: checker.At(1000)}}
			if i == 1 && seed == 1 {
				r = campaign.Report{Scenario: r.Scenario, Subject: r.Subject, Seed: seed, Failure: "killed"}
			}
			all = append(all, r)
		}
	}
	return all
}

func TestLinesCountWhatWasSeen(t *testing.T) {
	s := newSweep(t)
	if len(s.Jobs) != 12 || s.Jobs[0].Scenario.Name != "BA-8@rate=0@spread=1ms" || s.Jobs[11].Scenario.Name != "BA-8@rate=1000@spread=5ms" || s.Jobs[11].Subject != "SY-10" {
		t.Fatalf("%d jobs, %s … %s", len(s.Jobs), s.Jobs[0].Scenario.Name, s.Jobs[11].Scenario.Name)
	}
	all := reports(s)
	lines := s.Lines(all)
	for i, want := range map[int][2]int{0: {3, 0}, 1: {3, 0}, 2: {4, 0}, 8: {4, 2}, 11: {4, 2}} {
		if l := lines[i]; l.Runs != want[0] || l.Violated.Count != want[1] || l.Oracles[0].Violated != want[1] || l.Margin.Runs != want[0] || l.Times[0].Median != 1000 {
			t.Errorf("line %d: %+v, want %v", i, l, want)
		}
	}
	if lines[0].Oracles[len(lines[0].Oracles)-1].Inconclusive != 1 || sweep.Complete(lines) || !sweep.Complete(lines[2:]) {
		t.Error("what is inconclusive or failed counts as done")
	}
	// A run that was played again replaces the one that failed.
	again := all[5]
	again.Seed = 1
	if lines := s.Lines(append(all, again)); lines[1].Runs != 4 {
		t.Errorf("%+v", lines[1])
	}
}

func TestWhatIsWrittenIsTheSameEachTimeAndCanBeRead(t *testing.T) {
	s := newSweep(t)
	lines := s.Lines(reports(s))
	for _, measure := range []plan.Measure{plan.MeasureViolated, plan.MeasureMargin, plan.MeasureTime} {
		s.Measure = measure
		var first, second bytes.Buffer
		if err := errors.Join(s.WriteSVG(&first, lines), s.WriteSVG(&second, lines)); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("two pictures of the measure %s", measure)
		}
		decoder, drawn := xml.NewDecoder(&first), 0
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "polyline" {
				drawn++
			}
		}
		if drawn != 4 { // two subjects, two spreads
			t.Errorf("%s: %d curves, want 4", measure, drawn)
		}
	}
	var text bytes.Buffer
	if err := s.WriteCSV(&text, lines); err != nil {
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
		cell(12, "violated_share") != "0.5000" || cell(12, "margin_median_ns") != "25" || cell(1, "runs") != "3" {
		t.Errorf("%q", records)
	}
}

func TestSweepsThatCannotBe(t *testing.T) {
	s := newSweep(t, "SY-10")
	if len(s.Jobs) != 6 {
		t.Errorf("%d jobs of one subject, want 6", len(s.Jobs))
	}
	if _, err := sweep.New(s.Scenario, s.Axes, []string{"SY-1"}, plan.Seeds{First: 1, Last: 1}); err == nil || !strings.Contains(err.Error(), "SY-0, SY-10") {
		t.Errorf("an unknown subject: %v", err)
	}
	if _, err := sweep.New(s.Scenario, s.Axes, nil, plan.Seeds{First: 1, Last: 9_000_000}); err == nil || !strings.Contains(err.Error(), "fewer values") {
		t.Errorf("a sweep without end: %v", err)
	}
}
