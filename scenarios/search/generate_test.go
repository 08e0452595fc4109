package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/faults"
)

// Generators of faults and schedules for the properties. A schedule is drawn before its world
// exists, one element per fault, and small or absent values are drawn as zero. So rapid can
// take faults away and simplify the rest.

// drawSchedule draws up to `most` faults that break no assumption, all of which end,
// or end a client, within the horizon. Every one of them can apply to the topology.
func drawSchedule(t faults.Topology, horizon time.Duration, most int) *rapid.Generator[faults.Schedule] {
	return scheduleOf(harmlessFault(t, horizon), most)
}

// scheduleOf draws up to `most` faults and gives them names.
func scheduleOf(fault *rapid.Generator[faults.Fault], most int) *rapid.Generator[faults.Schedule] {
	return rapid.Custom(func(draw *rapid.T) faults.Schedule {
		schedule := faults.Schedule(rapid.SliceOfN(fault, 0, most).Draw(draw, "faults"))
		for i := range schedule {
			schedule[i].Name = fmt.Sprintf("fault %d", i+1)
		}
		return schedule
	})
}

// harmlessFault draws one fault, without a name.
func harmlessFault(t faults.Topology, horizon time.Duration) *rapid.Generator[faults.Fault] {
	return rapid.Custom(func(draw *rapid.T) faults.Fault {
		lasting := func(e faults.Effect) faults.Fault {
			return faults.Fault{
				Effect: e, Begin: begin(t, horizon/2).Draw(draw, "begin"),
				End: faults.Ending{Ends: true, For: time.Millisecond + duration(horizon/2).Draw(draw, "for")},
			}
		}
		client := []string{rapid.SampledFrom(t.Clients).Draw(draw, "client")}
		nodes := drawNodes(t, len(t.Nodes)).Draw(draw, "nodes")
		direction := rapid.SampledFrom([]faults.Direction{faults.Both, faults.Requests, faults.Replies}).Draw(draw, "direction")
		switch rapid.SampledFrom([]string{"partition", "delay", "lose", "pause", "client crash"}).Draw(draw, "kind") {
		case "partition":
			return lasting(&faults.Partition{Clients: client, Nodes: nodes, Direction: direction})
		case "delay":
			by := time.Millisecond + duration(horizon/4).Draw(draw, "by")
			return lasting(&faults.Delay{
				By: faults.Span{Low: by, High: 2 * by}, ProbabilityPPM: 1_000_000,
				Clients: client, Nodes: nodes, Direction: direction,
			})
		case "lose":
			return lasting(&faults.Lose{ProbabilityPPM: 200_000, Clients: client, Nodes: nodes, Direction: direction})
		case "pause":
			return lasting(&faults.Pause{Clients: client})
		default:
			return faults.Fault{Effect: &faults.ClientCrash{Clients: client}, Begin: begin(t, horizon/2).Draw(draw, "begin")}
		}
	})
}

// begin draws when a fault begins: at a time, or soon after a client acquires or wants to.
func begin(t faults.Topology, latest time.Duration) *rapid.Generator[faults.Trigger] {
	return rapid.Custom(func(draw *rapid.T) faults.Trigger {
		word := rapid.SampledFrom([]string{"time", "acquired", "called"}).Draw(draw, "begins at")
		if word == "time" {
			return faults.Trigger{At: duration(latest).Draw(draw, "at")}
		}
		when := faults.Pattern{Subject: rapid.SampledFrom(t.Clients).Draw(draw, "whose"), Word: word}
		if word == "called" {
			when.Operation = "acquire"
		}
		return faults.Trigger{When: when, Nth: 1, After: duration(latest).Draw(draw, "after")}
	})
}

// drawNodes draws from one to `most` of the topology's nodes, in their order.
func drawNodes(t faults.Topology, most int) *rapid.Generator[[]string] {
	return rapid.Custom(func(draw *rapid.T) []string {
		n := rapid.IntRange(1, min(most, len(t.Nodes))).Draw(draw, "how many")
		first := rapid.IntRange(0, len(t.Nodes)-n).Draw(draw, "first")
		return t.Nodes[first : first+n]
	})
}

// duration draws whole microseconds from nothing to a longest.
func duration(longest time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, int64(longest/time.Microsecond)), func(n int64) time.Duration {
		return time.Duration(n) * time.Microsecond
	})
}

// anySchedule draws up to `most` faults of any kind, whatever assumptions they
// break. It is for properties that always hold: that what is lost has a cause,
// that a run ends, that it is the same each time.
func anySchedule(t faults.Topology, horizon time.Duration, most int) *rapid.Generator[faults.Schedule] {
	return scheduleOf(anyFault(t, horizon), most)
}

// anyFault draws one fault of any kind that can apply to the topology. It begins within
// half of the horizon and, if its kind lasts, ends after at most as much. It is no
// restart, which makes sense only beside a crash that does not end.
func anyFault(t faults.Topology, horizon time.Duration) *rapid.Generator[faults.Fault] {
	kinds := slices.DeleteFunc(faults.Kinds(), func(k faults.Kind) bool { return k.Name == "restart" })
	return rapid.Custom(func(draw *rapid.T) faults.Fault {
		kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(draw, "kind")]
		fields := []faults.Field{{Key: "name", Value: "drawn"}, {Key: "at", Value: "0s"}}
		for _, p := range kind.Parameters {
			if p.Unit == faults.UnitPattern { // it ends after a duration
				continue
			}
			fields = append(fields, faults.Field{Key: p.Name, Value: value(draw, t, horizon, p)})
		}
		fault, problems := faults.Parse(fields)
		if len(problems) > 0 {
			draw.Fatalf("the generator wrote %v: %v", fields, problems)
		}
		fault.Begin = begin(t, horizon/2).Draw(draw, "begin")
		return fault
	}).Filter(func(f faults.Fault) bool { return faults.Schedule{f}.Validate(t) == nil })
}

// value draws the value of a parameter, with what is small or harmless first.
func value(draw *rapid.T, t faults.Topology, horizon time.Duration, p faults.Parameter) string {
	some := func(names []string) string {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID)
		return strings.Join(chosen.Draw(draw, p.Name), " ")
	}
	length := func(longest time.Duration) time.Duration {
		return time.Millisecond + duration(longest).Draw(draw, p.Name)
	}
	switch p.Unit {
	case faults.UnitNodes:
		most := len(t.Nodes)
		if p.Range == faults.OneName {
			most = 1
		}
		return strings.Join(drawNodes(t, most).Draw(draw, p.Name), " ")
	case faults.UnitClients:
		return some(t.Clients)
	case faults.UnitResources:
		return some(t.Resources)
	case faults.UnitWord:
		return rapid.SampledFrom(p.Words).Draw(draw, p.Name)
	case faults.UnitPercent:
		return faults.FormatPercent(rapid.Int64Range(10_000, 1_000_000).Draw(draw, p.Name))
	case faults.UnitPPM:
		wrong := rapid.Int64Range(-200_000, 200_000).Filter(func(ppm int64) bool { return ppm != 0 })
		return fmt.Sprint(wrong.Draw(draw, p.Name))
	case faults.UnitCount:
		return fmt.Sprint(rapid.IntRange(1, 3).Draw(draw, p.Name))
	case faults.UnitStep:
		by := length(2 * horizon)
		if rapid.Bool().Draw(draw, "backwards") {
			by = -by
		}
		return by.String()
	case faults.UnitSpan:
		by := length(horizon / 20)
		return faults.Span{Low: by, High: 2 * by}.String()
	case faults.UnitDuration:
		return length(horizon / 2).String()
	}
	draw.Fatalf("no generator for the unit %q of %s", p.Unit, p.Name)
	return ""
}

// TestAnyDrawsEveryKind: a kind that the generator cannot draw would be one that
// no property is ever tried with.
func TestAnyDrawsEveryKind(t *testing.T) {
	topology := faults.Topology{Nodes: []string{"n1", "n2", "n3"}, Clients: []string{"A", "B"}, Resources: []string{"r"}}
	drawn := map[string]bool{"restart": true}
	generator := anyFault(topology, 10*time.Second)
	for seed := range 1000 {
		f := generator.Example(seed)
		drawn[faults.KindOf(f.Effect)] = true
		f.Name = fmt.Sprint("fault ", seed)
		if err := (faults.Schedule{f}).Validate(topology); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	for _, k := range faults.Kinds() {
		if !drawn[k.Name] {
			t.Errorf("%s is never drawn", k.Name)
		}
	}
}
