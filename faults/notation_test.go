package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryKindHasAnExampleOfItself(t *testing.T) {
	for _, k := range Kinds() {
		f, err := ParseLine(k.Example)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if KindOf(f.Effect) != k.Name {
			t.Errorf("the example of %s is a %s", k.Name, KindOf(f.Effect))
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

// A word of one kind must be no other kind, or a fault could be read as both; nor
// may it be a word of all kinds.
func TestKindWordsAreUnambiguous(t *testing.T) {
	names := kindNames()
	for _, k := range Kinds() {
		seen := slices.Concat([]string{"name"}, namesIn(TriggerParameters()), namesIn(RepetitionParameters()))
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
		{"{name: x, partition: A, from: n1, at: 0s, every: 3s}", "every", []string{"never ends", "for", "until"}},
		{"{name: x, partition: A, from: n1, for: 3s, at: 0s, every: 3s}", "every", []string{"still lasts", "longer than its for"}},
		{"{name: x, partition: A, from: n1, when: A acquired, repeat: 3}", "repeat", []string{"never ends"}},
		{"{name: x, crash: n3, pause: A, at: 0s}", "pause", []string{"beside crash"}},
		{"{name: x, crash: , at: 0s}", "crash", []string{"found nothing", "names"}},
		{"{name: x, crash: n3 n3, at: 0s}", "crash", []string{"twice"}},
		{"{name: x, crash: n3, end: boom, at: 0s}", "end", []string{`"boom"`, "process crash, power loss"}},
		{"{name: x, crash: n3, restart_after: 1s, restart_when: A acquired, at: 0s}", "restart_when", []string{"one of the two"}},
		{"{name: x, crash: n3, for: 1s, at: 0s}", "for", []string{"unknown word", "restart_after"}},
		{"{name: x, crash: n3}", "", []string{"no beginning"}},
		{"{name: x, crash: n3, at: 0s, when: A acquired}", "when", []string{"one of the two"}},
		{"{name: x, crash: n3, at: -1s}", "at", []string{`"-1s"`, "0s to"}},
		{"{name: x, crash: n3, at: 5}", "at", []string{`"5"`, "unit"}},
		{"{name: x, crash: n3, at: 0s, at: 1s}", "at", []string{"twice"}},
		{"{name: x, crash: n3, at: 0s, nth: 2}", "nth", []string{"without when"}},
		{"{name: x, crash: n3, at: 0s, after: 2s}", "after", []string{"without when"}},
		{"{name: x, crash: n3, when: A acquired, nth: 0}", "nth", []string{`"0"`, "from 1"}},
		{"{name: x, crash: n3, when: A acquried}", "when", []string{"nearest: acquired"}},
		{"{name: x, node_clock_step: n3, by: 0s, at: 0s}", "by", []string{`"0s"`, "not 0s"}},
		{"{name: x, node_clock_step: n3, at: 0s}", "", []string{"no by"}},
		{"{name: x, node_clock_rate: n3, ppm: -1000001, at: 0s}", "ppm", []string{`"-1000001"`, "-1000000 to"}},
		{"{name: x, node_clock_rate: n3, ppm: 1.5, at: 0s}", "ppm", []string{"whole number"}},
		{"{name: x, node_clock_drift: n3, ppm: 0, period: 1s, at: 0s}", "ppm", []string{`"0"`, "not 0"}},
		{"{name: x, client_clock_step: A, by: 1s, at: 0s}", "", []string{"no clock", "wall | monotonic | boottime"}},
		{"{name: x, client_clock_step: A, by: 1s, clock: sun, at: 0s}", "clock", []string{`"sun"`, "wall, monotonic, boottime"}},
		{"{name: x, pause: A, at: 0s}", "", []string{"no end", "for", "until"}},
		{"{name: x, pause: A, for: 0s, at: 0s}", "for", []string{`"0s"`, "above 0s"}},
		{"{name: x, lose: 101%, at: 0s}", "lose", []string{"101%", "100%"}},
		{"{name: x, lose: 5, at: 0s}", "lose", []string{`"5"`, "2.5%"}},
		{"{name: x, lose: 5%, direction: up, at: 0s}", "direction", []string{"both, requests, replies"}},
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

func TestRangesEndWhereTheySay(t *testing.T) {
	const tooLong = "10000h0m0.000000001s"
	for _, test := range []struct {
		line            string // with %s for a value
		inside, outside string
	}{
		{"{name: x, reset: A, at: %s}", "0s 10000h", "-1ns " + tooLong},
		{"{name: x, reset: A, when: A acquired, after: %s}", "0s 10000h", "-1ns " + tooLong},
		{"{name: x, reset: A, when: A acquired, nth: %s}", "1 1000001", "-1 0 1.5"},
		{"{name: x, reset: A, at: 0s, every: %s}", "1ns 10000h", "-1ns 0s " + tooLong},
		{"{name: x, reset: A, when: A acquired, repeat: %s}", "2 1000000", "0 1 1000001"},
		{"{name: x, pause: A, for: %s, at: 0s}", "1ns 10000h", "-1ns 0s " + tooLong},
		{"{name: x, crash: n1, restart_after: %s, at: 0s}", "0s 10000h", "-1ns " + tooLong},
		{"{name: x, crash: n1, loading: %s, at: 0s}", "0s 10000h", "-1ns " + tooLong},
		{"{name: x, node_clock_step: n1, by: %s, at: 0s}", "-10000h -1ns 1ns 10000h", "0s " + tooLong + " -" + tooLong},
		{"{name: x, node_clock_rate: n1, ppm: %s, at: 0s}", "-1000000 0 10000000", "-1000001 10000001"},
		{"{name: x, node_clock_drift: n1, ppm: %s, period: 1s, at: 0s}", "-1000000 -1 1 1000000", "-1000001 0 1000001"},
		{"{name: x, node_clock_drift: n1, ppm: 1, period: %s, at: 0s}", "1ms 10000h", "999999ns " + tooLong},
		{"{name: x, lose: %s, at: 0s}", "0.0001% 100%", "0% 100.0001%"},
		{"{name: x, delay: %s, at: 0s}", "1ns 0s..1ns 10000h", "-1ns 0s 0s..0s 2ms..1ms 1ms.." + tooLong},
		{"{name: x, evict: n1, count: %s, at: 0s}", "1 1000000", "0 1000001"},
		{"{name: x, crash: %s, at: 0s}", "n1 majority minority one 1 15", "all any 0 -1 1.5"},
		{"{name: x, restart: %s, at: 0s}", "n1", "all majority one"},
		{"{name: x, partition: %s, from: all, at: 0s}", "A all", "any"},
	} {
		for _, value := range strings.Fields(test.inside) {
			if _, err := ParseLine(fmt.Sprintf(test.line, value)); err != nil {
				t.Errorf(test.line+": %v", value, err)
			}
		}
		for _, value := range strings.Fields(test.outside) {
			if _, err := ParseLine(fmt.Sprintf(test.line, value)); err == nil || !strings.Contains(err.Error(), "allowed: ") {
				t.Errorf(test.line+" gave: %v", value, err)
			}
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
