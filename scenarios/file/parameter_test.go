package file

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// swept is a scenario with a parameter of every kind.
const swept = `claim: BA-8
title: Prices in $ are left alone
story: It costs $5.
parameters:
  rate: { value: 500, unit: ppm, range: 0..1000, meaning: how fast the nodes run }
  spread: { value: 4ms, range: 0ms..10ms, meaning: how far apart they start }
  loss: { value: 1%, range: 0%..50%, meaning: how much is lost }
  order: { value: parallel, words: [parallel, shuffled], meaning: how nodes are asked }
map: { x: { rate: "0:1000:250" }, panels: { order: "parallel,shuffled" }, measure: margin, seeds: 1-20 }
network: { loss: $loss }
lock: { ttl: 10s }
clients:
  A: { start: 0ms..$spread, steps: [ { lock: r }, { release: r } ] }
faults:
  - { name: fast, node_clock_rate: n1 n2, ppm: $rate, at: 0s }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds }, options: { order: $order } }
liveness:
  - { claim: BA-8, client: A, does: acquire, within: $spread + round }
`

func TestParametersGoIntoFields(t *testing.T) {
	s, err := Parse("BA-8.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	if s.Network.LossPPM != 10_000 || s.Clients[0].Start.High != 4*time.Millisecond ||
		s.Subjects[0].Option("order", "") != "parallel" ||
		!strings.Contains(s.Faults[0].String(), "ppm: 500") || s.Story != "It costs $5." {
		t.Errorf("%+v", s)
	}
	set, err := With(s, plan.Setting{Name: "spread", Value: "6000us"}, plan.Setting{Name: "order", Value: "shuffled"},
		plan.Setting{Name: "loss", Value: "2.5%"})
	if err != nil {
		t.Fatal(err)
	}
	if set.Name != "BA-8@spread=6ms@order=shuffled@loss=2.5%" || set.Network.LossPPM != 25_000 || set.Clients[0].Start.High != 6*time.Millisecond ||
		set.Subjects[0].Option("order", "") != "shuffled" ||
		set.Liveness[0].Within.Value-s.Liveness[0].Within.Value != 2*time.Millisecond {
		t.Errorf("%s: %+v", set.Name, set)
	}
	if again, err := With(s); err != nil || again.Name != "BA-8" || s.Network.LossPPM != 10_000 {
		t.Errorf("%v: a setting went into the scenario that it was made from", err)
	}
	c := s.Map
	if c == nil || c.Measure != plan.MeasureMargin || c.Seeds != (plan.Seeds{First: 1, Last: 20}) || c.Y != nil ||
		len(c.X.Values) != 5 || c.X.Values[4] != 1000 || len(c.Panels.Values) != 2 {
		t.Errorf("%+v", c)
	}
}

func TestErrorsOfParametersSayWhereWhatAndWhatIsAllowed(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		line           int
		want           []string
	}{
		{"unknown parameter", "ttl: 10s", "ttl: $tl", 11, []string{"lock.ttl", `"tl"`, "allowed: rate, spread, loss, order"}},
		{"no name", "ttl: 10s", "ttl: $", 11, []string{"lock.ttl", `""`}},
		{"no use", "ppm: $rate", "ppm: 7", 5, []string{"parameters.rate", "without use", "$rate"}},
		{"value that does not fit its field", "value: 4ms, range: 0ms..10ms", "value: 4, unit: ms, range: 0..10", 13, []string{"clients.A.start", `"0ms..4"`}},
		{"value beyond its range", "value: 500", "value: 5000", 5, []string{"parameters.rate.value", `"5000"`, "from 0 to 1000, in ppm"}},
		{"range of another kind", "0ms..10ms", "0..10", 6, []string{"parameters.spread.range", `"0..10"`}},
		{"backward range", "0..1000", "1000..0", 5, []string{"parameters.rate.range"}},
		{"no range", "range: 0ms..10ms, ", "", 6, []string{"parameters.spread.range", "found no range"}},
		{"unit that says it twice", "value: 4ms, ", "value: 4ms, unit: ms, ", 6, []string{"parameters.spread.unit"}},
		{"word without words", "words: [parallel, shuffled], ", "", 8, []string{"parameters.order.value", "and no words"}},
		{"word that is not one of them", "value: parallel", "value: random", 8, []string{`"random"`, "parallel, shuffled"}},
		{"no meaning", ", meaning: how much is lost", "", 7, []string{"parameters.loss.meaning", "found no meaning"}},
		{"name of a parameter", "  rate:", "  Rate:", 5, []string{`"Rate"`, "a small letter"}},
		{"map over nothing known", "rate: \"0:1000:250\"", "rat: \"0:1000:250\"", 9, []string{"map.x.rat", "nearest: rate"}},
		{"map without a step", "0:1000:250", "0:1000", 9, []string{"map.x.rate", "from:to:step"}},
		{"map that stands still", "0:1000:250", "0:1000:0", 9, []string{"map.x.rate", "a step above zero"}},
		{"map beyond the range", "0:1000:250", "0:2000:250", 9, []string{"map.x.rate", `"2000"`}},
		{"map over times without a goal", "measure: margin", "measure: time", 9, []string{"map.measure", "no liveness goal"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(swept, test.old, test.new, 1)
			if text == swept {
				t.Fatalf("%q is not in the file", test.old)
			}
			if strings.HasPrefix(test.name, "map over times") {
				text = text[:strings.Index(text, "liveness:\n")]
			}
			_, err := Parse("BA-8.yaml", []byte(text))
			var list FileErrors
			if err == nil {
				t.Fatal("no error")
			}
			list = err.(FileErrors)
			if list[0].Line != test.line {
				t.Errorf("line %d, want %d", list[0].Line, test.line)
			}
			for _, want := range test.want {
				if !strings.Contains(list[0].Error(), want) {
					t.Errorf("%v does not say %q", list[0], want)
				}
			}
		})
	}
}

func TestSettingsThatDoNotFit(t *testing.T) {
	s, err := Parse("BA-8.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[plan.Setting]string{
		{Name: "rat", Value: "1"}:       "nearest: rate",
		{Name: "rate", Value: "1001"}:   "from 0 to 1000, in ppm",
		{Name: "rate", Value: "1ms"}:    "a whole number",
		{Name: "spread", Value: "11ms"}: "a duration from 0s to 10ms",
		{Name: "loss", Value: "0.1"}:    "a percent from 0% to 50%",
		{Name: "order", Value: "none"}:  "parallel, shuffled",
	} {
		if _, err := With(s, setting); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v does not say %q", setting, err, want)
		}
	}
	if _, err := With(s, plan.Setting{Name: "rate", Value: "1"}, plan.Setting{Name: "rate", Value: "2"}); err == nil ||
		!strings.Contains(err.Error(), "twice") {
		t.Errorf("a parameter that is set twice: %v", err)
	}
	for _, text := range []string{"rate", "=1", "rate="} {
		if _, err := plan.ParseSetting(text); err == nil {
			t.Errorf("%q is a setting", text)
		}
	}
}

// TestCells: one number is for both axes, in files as in --cells.
func TestCells(t *testing.T) {
	for text, want := range map[string][2]int{"20x10": {20, 10}, "3": {3, 3}, "20x": {}, "x3": {}, "1": {}, "3x3x3": {}, "1001": {}} {
		if got, err := ParseCells(text); got != want || (err == nil) != (want != [2]int{}) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestCountsNeedNoUnit: a whole number may be a plain count.
func TestCountsNeedNoUnit(t *testing.T) {
	s, err := Parse("BA-8.yaml", []byte(strings.Replace(swept, "unit: ppm, ", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Parameters[0]; p.Kind != plan.NumberParameter || p.Allowed() != "a whole number from 0 to 1000" {
		t.Errorf("%+v", p)
	}
}

// TestMapsVaryFields: the axis of a map names any field that --set can change, and formulas know it.
func TestMapsVaryFields(t *testing.T) {
	text := strings.Replace(swept, `map: { x: { rate: "0:1000:250" }, panels: { order: "parallel,shuffled" }, measure: margin, seeds: 1-20 }`,
		`map: { x: { nodes: "3:7:2" }, y: { rate: "0,500" }, predicts: [ { violated: nodes > 3 and rate > 1, because: told elsewhere } ] }`, 1)
	s, err := Parse("BA-8.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if x := s.Map.X; x.Parameter.Name != "nodes" || len(x.Values) != 3 || x.Values[2] != 7 {
		t.Errorf("%+v", x)
	}
	set, err := With(s, plan.Setting{Name: "nodes", Value: "7"})
	if err != nil || set.Nodes.Count != 7 || set.Map.X.Values[2] != 7 {
		t.Errorf("%v: %+v", err, set)
	}
	for old, want := range map[string]string{
		`nodes: "3:7:2"`:  `map.x.nods: found the unknown parameter "nods" of BA-8`,
		`violated: nodes`: `map.predicts[0].violated: found "nods > 3 and rate > 1"`,
	} {
		wrong := strings.Replace(text, old, strings.Replace(old, "nodes", "nods", 1), 1)
		if _, err := Parse("BA-8.yaml", []byte(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFaultsTakeCounts: a fault takes a number of nodes, which a parameter, --set and an axis change;
// each run draws them.
func TestFaultsTakeCounts(t *testing.T) {
	text := strings.Replace(swept, "parameters:", "parameters:\n  cut: { value: 2, range: 1..5, meaning: how many nodes are cut off }", 1)
	text = strings.Replace(text, "faults:", "faults:\n  - { name: some are cut off, partition: all, from: $cut, at: 1s }\n  - { name: some crash, crash: 3, at: 1s }", 1)
	s, err := Parse("BA-8.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cut", "crash", "faults.1.crash"} {
		for _, count := range []int{1, 4} {
			set, err := With(s, plan.Setting{Name: name, Value: strconv.Itoa(count)})
			if err != nil {
				t.Fatal(err)
			}
			p, err := set.Plan("SY-0", 7)
			if err != nil {
				t.Fatal(err)
			}
			if drawn := faults.NodesOf(p.Faults[btoi(name != "cut")].Effect); len(drawn) != count {
				t.Errorf("%s=%d: %v", name, count, drawn)
			}
		}
	}
	for _, wrong := range []string{"crash: 0", "crash: 6", "crash: n1 2", "crash: -1"} {
		_, err := Parse("BA-8.yaml", []byte(strings.Replace(text, "crash: 3", wrong, 1)))
		if err == nil || !strings.Contains(err.Error(), "faults[1].crash: found") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
