package faults

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEveryKindHasAnExampleOfItself(t *testing.T) {
	for _, k := range Kinds() {
		f, err := ParseLine(k.Example)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if f.Effect.Kind() != k.Name {
			t.Errorf("the example of %s is a %s", k.Name, f.Effect.Kind())
		}
		if f.String() != k.Example {
			t.Errorf("%s prints as\n%s, not as its example\n%s", k.Name, f, k.Example)
		}
		if k.Parameters[0].Name != k.Name {
			t.Errorf("%s: its first word is %s", k.Name, k.Parameters[0].Name)
		}
		for _, p := range k.Parameters {
			if p.Unit == "" || p.Range == "" || p.Meaning == "" {
				t.Errorf("%s.%s lacks a unit, a range or a meaning", k.Name, p.Name)
			}
		}
		if k.Summary == "" || k.Condition == "" {
			t.Errorf("%s lacks a summary or a condition", k.Name)
		}
	}
}

// The words of one kind must not be another kind, or a fault could be read as
// both; and a word of a fault itself cannot be a kind's.
func TestKindWordsAreUnambiguous(t *testing.T) {
	names := kindNames()
	for _, k := range Kinds() {
		seen := slices.Clone(wordsOfAll)
		for i, p := range k.Parameters {
			if i > 0 && slices.Contains(names, p.Name) {
				t.Errorf("%s.%s is a kind too", k.Name, p.Name)
			}
			if slices.Contains(seen, p.Name) {
				t.Errorf("%s.%s stands twice", k.Name, p.Name)
			}
			seen = append(seen, p.Name)
		}
	}
}

// drawFault draws any fault that a file could hold.
func drawFault(t *rapid.T) Fault {
	kinds := registry()
	k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	fields := []Field{{"name", rapid.StringMatching(`[A-Za-z][A-Za-z0-9_.'-]{0,6}( [A-Za-z0-9_.'-]{1,6}){0,2}`).Draw(t, "name")}}
	duration := func(low time.Duration, label string) string {
		return time.Duration(rapid.Int64Range(int64(low), int64(time.Hour)).Draw(t, label)).String()
	}
	for _, p := range k.new().parameters() {
		if p.Default != "" && rapid.Bool().Draw(t, "left out") {
			continue
		}
		var value string
		switch {
		case p.refers == nodeNames:
			value = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"n1", "n2", "n3", "n4", "n5"}), 1, 5, rapid.ID).Draw(t, p.Name), " ")
		case p.refers == clientNames:
			value = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "client-3"}), 1, 3, rapid.ID).Draw(t, p.Name), " ")
		case p.refers == resourceNames:
			value = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"r", "s", "stock"}), 1, 3, rapid.ID).Draw(t, p.Name), " ")
		case p.Unit == "word":
			value = rapid.SampledFrom(strings.Split(p.Range, " | ")).Draw(t, p.Name)
		case p.Unit == "percent":
			value = FormatPercent(rapid.Int64Range(1, 1_000_000).Draw(t, p.Name))
		case p.Unit == "ppm" && strings.Contains(p.Range, "not 0"):
			value = fmt.Sprint(rapid.SampledFrom([]int64{-1_000_000, -4_500, 1, 20_000, 1_000_000}).Draw(t, p.Name))
		case p.Unit == "ppm":
			value = fmt.Sprint(rapid.SampledFrom([]int64{-1_000_000, -4_500, 1, 20_000, 10_000_000}).Draw(t, p.Name))
		case p.Unit == "duration" && strings.Contains(p.Range, "negative"):
			value = rapid.SampledFrom([]string{"-1ns", "15s", "-5s", "1h0m0.5s"}).Draw(t, p.Name)
		case p.Unit == "count":
			value = fmt.Sprint(rapid.IntRange(1, 1_000_000).Draw(t, p.Name))
		case p.Unit == "duration" && !strings.Contains(p.Range, ".."):
			value = duration(time.Millisecond, p.Name)
		case p.Unit == "duration":
			low := rapid.Int64Range(1, int64(time.Second)).Draw(t, p.Name)
			value = Span{time.Duration(low), time.Duration(low + rapid.Int64Range(0, int64(time.Second)).Draw(t, "width"))}.String()
		default:
			t.Fatalf("no generator for %s of unit %q", p.Name, p.Unit)
		}
		fields = append(fields, Field{p.Name, value})
	}
	ends, endsByTime := false, false
	patterns := []string{"A acquired", "n3 executed SET of A", "other one ended", "any crashed", "B called acquire of r", "A sent GET to n1"}
	if k.ending.lasts && (k.ending.must || rapid.Bool().Draw(t, "ends")) {
		ends = true
		if endsByTime = rapid.Bool().Draw(t, "ends by time"); endsByTime {
			fields = append(fields, Field{k.ending.duration, duration(1, "for")})
		} else {
			fields = append(fields, Field{k.ending.pattern, rapid.SampledFrom(patterns).Draw(t, "until")})
		}
	}
	again := (ends || !k.ending.lasts || k.ending.atOnce) && rapid.Bool().Draw(t, "again")
	every := again && rapid.Bool().Draw(t, "by time")
	if every {
		low := time.Duration(1)
		if endsByTime {
			low = time.Hour + 1
		}
		fields = append(fields, Field{"every", (low + time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "every"))).String()})
	}
	byTime := rapid.Bool().Draw(t, "begins by time")
	if again && (!every && !byTime || every && rapid.Bool().Draw(t, "with an end")) {
		fields = append(fields, Field{"repeat", fmt.Sprint(rapid.IntRange(2, mostRepetitions).Draw(t, "repeat"))})
	}
	if byTime {
		fields = append(fields, Field{"at", duration(0, "at")})
	} else {
		fields = append(fields, Field{"when", rapid.SampledFrom(patterns).Draw(t, "when")},
			Field{"nth", fmt.Sprint(rapid.IntRange(1, 9).Draw(t, "nth"))}, Field{"after", duration(0, "after")})
	}
	f, problems := Parse(rapid.Permutation(fields).Draw(t, "order"))
	if len(problems) > 0 {
		t.Fatalf("%v: %v", fields, problems)
	}
	return f
}

func TestSchedulesSurviveEveryNotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var schedule Schedule
		for range rapid.IntRange(0, 4).Draw(t, "faults") {
			schedule = append(schedule, drawFault(t))
		}
		for _, f := range schedule {
			again, err := ParseLine(f.String())
			if err != nil || !reflect.DeepEqual(again, f) {
				t.Fatalf("%s was read back as %s, %v", f, again, err)
			}
		}
		data, err := json.Marshal(schedule)
		if err != nil {
			t.Fatal(err)
		}
		var again Schedule
		if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(again, schedule) {
			t.Fatalf("%s was read back as %v, %v", data, again, err)
		}
	})
}

func TestParseSaysWhatIsWrongAndWhatIsAllowed(t *testing.T) {
	for _, test := range []struct {
		line  string
		field string // of the problem
		want  []string
	}{
		{"{crash: n3, at: 0s}", "", []string{"no name"}},
		{"{name: 3, crash: n3, at: 0s}", "name", []string{`"3"`, "a letter"}},
		{"{name: x, at: 0s}", "", []string{"no kind", "crash", "partition"}},
		{"{name: x, crsh: n3, at: 0s}", "crsh", []string{"nearest: crash"}},
		{"{name: x, reset: A, at: 0s, repeat: 3}", "repeat", []string{"without every"}},
		{"{name: x, reset: A, at: 0s, every: 0s}", "every", []string{"above 0s"}},
		{"{name: x, reset: A, when: A acquired, repeat: 1}", "repeat", []string{"from 2"}},
		{"{name: x, partition: A, from: n1, at: 0s, every: 3s}", "every", []string{"never ends", "for", "until"}},
		{"{name: x, partition: A, from: n1, for: 3s, at: 0s, every: 3s}", "every", []string{"over before", "longer than its for"}},
		{"{name: x, partition: A, from: n1, when: A acquired, repeat: 3}", "repeat", []string{"never ends"}},
		{"{name: x, crash: n3, pause: A, at: 0s}", "pause", []string{"beside crash"}},
		{"{name: x, crash: , at: 0s}", "crash", []string{"found nothing", "names"}},
		{"{name: x, crash: n3 n3, at: 0s}", "crash", []string{"twice"}},
		{"{name: x, crash: all, at: 0s}", "crash", []string{`"all"`}},
		{"{name: x, crash: n3, end: boom, at: 0s}", "end", []string{`"boom"`, "process crash, power loss"}},
		{"{name: x, crash: n3, restart_after: -1s, at: 0s}", "restart_after", []string{`"-1s"`, "0s to"}},
		{"{name: x, crash: n3, restart_after: 1s, restart_when: A acquired, at: 0s}", "restart_when", []string{"one of the two"}},
		{"{name: x, crash: n3, for: 1s, at: 0s}", "for", []string{"unknown word", "restart_after"}},
		{"{name: x, crash: n3}", "", []string{"no beginning"}},
		{"{name: x, crash: n3, at: 0s, when: A acquired}", "when", []string{"one of the two"}},
		{"{name: x, crash: n3, at: -1s}", "at", []string{`"-1s"`, "0s to"}},
		{"{name: x, crash: n3, at: 5}", "at", []string{`"5"`, "unit"}},
		{"{name: x, crash: n3, at: 0s, at: 1s}", "at", []string{"twice"}},
		{"{name: x, crash: n3, at: 0s, nth: 2}", "nth", []string{"without when"}},
		{"{name: x, crash: n3, at: 0s, after: 2s}", "after", []string{"without when"}},
		{"{name: x, crash: n3, when: A acquired, nth: 0}", "nth", []string{`"0"`, "never", "from 1"}},
		{"{name: x, crash: n3, when: A acquired, after: -1ms}", "after", []string{`"-1ms"`}},
		{"{name: x, crash: n3, when: A acquried}", "when", []string{"nearest: acquired"}},
		{"{name: x, node_clock_step: n3, by: 0s, at: 0s}", "by", []string{`"0s"`, "not 0s"}},
		{"{name: x, node_clock_step: n3, at: 0s}", "", []string{"no by"}},
		{"{name: x, node_clock_rate: n3, ppm: -1000001, at: 0s}", "ppm", []string{`"-1000001"`, "-1000000 to"}},
		{"{name: x, node_clock_rate: n3, ppm: 1.5, at: 0s}", "ppm", []string{"whole number"}},
		{"{name: x, node_clock_drift: n3, ppm: 1000001, period: 1s, at: 0s}", "ppm", []string{`"1000001"`, "-1000000 to 1000000"}},
		{"{name: x, node_clock_drift: n3, ppm: 0, period: 1s, at: 0s}", "ppm", []string{`"0"`, "no drift", "not 0"}},
		{"{name: x, client_clock_drift: A, clock: wall, ppm: -1000001, period: 1s, at: 0s}", "ppm", []string{`"-1000001"`, "-1000000 to 1000000"}},
		{"{name: x, client_clock_step: A, by: 1s, at: 0s}", "", []string{"no clock", "wall | monotonic | boottime"}},
		{"{name: x, client_clock_step: A, by: 1s, clock: sun, at: 0s}", "clock", []string{`"sun"`, "wall, monotonic, boottime"}},
		{"{name: x, pause: A, at: 0s}", "", []string{"no end", "for", "until"}},
		{"{name: x, pause: A, for: 0s, at: 0s}", "for", []string{`"0s"`, "above 0s"}},
		{"{name: x, lose: 0%, at: 0s}", "lose", []string{"never happens"}},
		{"{name: x, lose: 101%, at: 0s}", "lose", []string{"101%", "100%"}},
		{"{name: x, lose: 5, at: 0s}", "lose", []string{`"5"`, "2.5%"}},
		{"{name: x, lose: 5%, direction: up, at: 0s}", "direction", []string{"both, requests, replies"}},
		{"{name: x, delay: 0s, at: 0s}", "delay", []string{"above 0s"}},
		{"{name: x, delay: 5ms..1ms, at: 0s}", "delay", []string{"not below its beginning"}},
		{"{name: x, partition: A, at: 0s}", "", []string{"no from"}},
	} {
		inner := strings.Trim(test.line, "{}")
		var fields []Field
		for _, part := range strings.Split(inner, ", ") {
			key, value, _ := strings.Cut(part, ":")
			fields = append(fields, Field{key, strings.TrimSpace(value)})
		}
		_, problems := Parse(fields)
		found := false
		for _, p := range problems {
			all := p.Field == test.field
			for _, want := range test.want {
				all = all && strings.Contains(p.Message, want)
			}
			found = found || all
		}
		if !found {
			t.Errorf("%s\n\tgives %v\n\tand nothing about %q that says %q", test.line, problems, test.field, test.want)
		}
		if _, err := ParseLine(test.line); err == nil {
			t.Errorf("ParseLine accepted %s", test.line)
		}
	}
}

func TestFaultsThatAreNoJSONObjectsOfText(t *testing.T) {
	for _, text := range []string{`[]`, `{"name":3}`, `{"name":"x","crash":["n3"],"at":"0s"}`, `{"name":"x"}`, `{"name":"x","crash":"n3","at":"0s","at":"1s"}`} {
		var f Fault
		if err := json.Unmarshal([]byte(text), &f); err == nil {
			t.Errorf("%s was read as %s", text, f)
		}
	}
}

func TestPercentIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ppm := rapid.Int64Range(0, 1_000_000).Draw(t, "ppm")
		if again, err := ParsePercent(FormatPercent(ppm)); err != nil || again != ppm {
			t.Fatalf("%d ppm is %s is %d, %v", ppm, FormatPercent(ppm), again, err)
		}
	})
	for text, want := range map[string]int64{"2.5%": 25_000, "0.0001%": 1, "100%": 1_000_000, "0%": 0} {
		if got, err := ParsePercent(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "1", "-1%", "100.1%", "1.%", "1.00001%", ".5%", "1e1%", "1 %"} {
		if got, err := ParsePercent(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

// A crash that is built in Go is timed by true time unless it says otherwise.
func TestCrashIsTimedByTrueTime(t *testing.T) {
	f := Fault{Name: "x", Effect: &Crash{Nodes: []string{"n1"}, How: ProcessCrash}}
	if err := (Schedule{f}).Validate(fiveNodes); err != nil {
		t.Error(err)
	}
	if want := "{name: x, crash: n1, at: 0s}"; f.String() != want {
		t.Errorf("it prints as %s, want %s", f, want)
	}
}
