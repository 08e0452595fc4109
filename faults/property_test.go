package faults_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/faults"
	"redlocklab/faults/generate"
)

var topology = faults.Topology{
	Nodes: []string{"n1", "n2", "n3"}, Clients: []string{"A", "B", "client-3"}, Resources: []string{"r", "stock"},
}

// fault draws a fault of any kind, with any name, trigger, ending and repetition.
func fault(t *rapid.T) faults.Fault {
	f := generate.Any(topology, time.Hour).Draw(t, "fault")
	f.Name = rapid.StringMatching(`[A-Za-z][A-Za-z0-9_.'-]{0,6}( [A-Za-z0-9_.'-]{1,6}){0,2}`).Draw(t, "name")
	pattern := rapid.Custom(func(t *rapid.T) faults.Pattern {
		text := rapid.SampledFrom([]string{
			"A acquired", "n3 executed SET of A", "other one ended", "any crashed", "B called acquire of r", "A sent GET to n1",
		}).Draw(t, "pattern")
		p, err := faults.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	duration := func(least time.Duration, label string) time.Duration {
		return least + time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, label))
	}
	if rapid.Bool().Draw(t, "begins at a match") {
		f.Begin = faults.Trigger{When: pattern.Draw(t, "when"), Nth: rapid.IntRange(1, 9).Draw(t, "nth"), After: duration(0, "after")}
	}
	if f.End.Ends && rapid.Bool().Draw(t, "ends at a match") {
		f.End = faults.Ending{Ends: true, When: pattern.Draw(t, "until")}
	}
	if rapid.Bool().Draw(t, "begins again after a time") {
		f.Again.Every = duration(f.End.For+1, "every")
	}
	if (f.Again.Every > 0 || !f.Begin.When.IsZero()) && rapid.Bool().Draw(t, "repeat") {
		f.Again.Times = rapid.IntRange(2, 1_000_000).Draw(t, "times")
	}
	return f
}

func TestFaultsSurviveEveryNotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fault(t)
		again, problems := faults.Parse(rapid.Permutation(f.Fields()).Draw(t, "order"))
		if len(problems) > 0 || !reflect.DeepEqual(again, f) {
			t.Fatalf("the words of %s were read as %s, %v", f, again, problems)
		}
		again, err := faults.ParseLine(f.String())
		if err != nil || !reflect.DeepEqual(again, f) {
			t.Fatalf("%s was read as %s, %v", f, again, err)
		}
		data, err := json.Marshal(faults.Schedule{f})
		if err != nil {
			t.Fatal(err)
		}
		var schedule faults.Schedule
		if err := json.Unmarshal(data, &schedule); err != nil || !reflect.DeepEqual(schedule, faults.Schedule{f}) {
			t.Fatalf("%s was read as %v, %v", data, schedule, err)
		}
	})
}
