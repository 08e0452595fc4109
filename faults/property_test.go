package faults_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/faults"
)

var topology = faults.Topology{
	Nodes: []string{"n1", "n2", "n3"}, Clients: []string{"A", "B", "client-3"}, Resources: []string{"r", "stock"},
}

// kindOfFault draws a fault of any kind, with any value of every parameter. It is no restart,
// which makes sense only beside a crash that does not end.
var kindOfFault = rapid.Custom(func(t *rapid.T) faults.Fault {
	kinds := slices.DeleteFunc(faults.Kinds(), func(k faults.Kind) bool { return k.Name == "restart" })
	kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	fields := []faults.Field{{Key: "name", Value: "drawn"}, {Key: "at", Value: "0s"}}
	for _, p := range kind.Parameters {
		if p.Unit != faults.UnitPattern { // it ends after a duration
			fields = append(fields, faults.Field{Key: p.Name, Value: value(t, p)})
		}
	}
	f, problems := faults.Parse(fields)
	if len(problems) > 0 {
		t.Fatalf("the generator wrote %v: %v", fields, problems)
	}
	return f
}).Filter(func(f faults.Fault) bool { return faults.Schedule{f}.Validate(topology) == nil })

// value draws the value of a parameter.
func value(t *rapid.T, p faults.Parameter) string {
	names := func(list []string) string {
		most := len(list)
		if p.Range == faults.OneName {
			most = 1
		}
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(list), 1, most, rapid.ID).Draw(t, p.Name), " ")
	}
	length := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, p.Name))
	switch p.Unit {
	case faults.UnitNodes:
		return names(topology.Nodes)
	case faults.UnitClients:
		return names(topology.Clients)
	case faults.UnitResources:
		return names(topology.Resources)
	case faults.UnitWord:
		return rapid.SampledFrom(p.Words).Draw(t, p.Name)
	case faults.UnitPercent:
		return faults.FormatPercent(rapid.Int64Range(1, 1_000_000).Draw(t, p.Name))
	case faults.UnitPPM:
		ppm := rapid.Int64Range(-200_000, 200_000).Filter(func(n int64) bool { return n != 0 })
		return fmt.Sprint(ppm.Draw(t, p.Name))
	case faults.UnitCount:
		return fmt.Sprint(rapid.IntRange(1, 1000).Draw(t, p.Name))
	case faults.UnitStep:
		return (length * rapid.SampledFrom([]time.Duration{1, -1}).Draw(t, "direction")).String()
	case faults.UnitSpan:
		return faults.Span{Low: length, High: 2 * length}.String()
	case faults.UnitDuration:
		return (length.Truncate(time.Millisecond) + time.Millisecond).String()
	}
	t.Fatalf("no value of the unit %q of %s", p.Unit, p.Name)
	return ""
}

// TestEveryKindIsDrawn: a kind that is never drawn would be read back in no notation.
func TestEveryKindIsDrawn(t *testing.T) {
	drawn := map[string]bool{"restart": true}
	for seed := range 1000 {
		drawn[faults.KindOf(kindOfFault.Example(seed).Effect)] = true
	}
	for _, k := range faults.Kinds() {
		if !drawn[k.Name] {
			t.Errorf("%s is never drawn", k.Name)
		}
	}
}

// fault draws a fault of any kind, with any name, trigger, ending and repetition.
func fault(t *rapid.T) faults.Fault {
	f := kindOfFault.Draw(t, "fault")
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
		f.Begin = faults.Trigger{
			When: pattern.Draw(t, "when"), Nth: rapid.IntRange(1, 9).Draw(t, "nth"), After: duration(0, "after"),
		}
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
