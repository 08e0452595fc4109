package generate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"redlocklab/faults"
)

// AnySchedule draws up to `most` faults of any kind, whatever assumptions they
// break. It is for properties that always hold: that what is lost has a cause,
// that a run ends, that it is the same each time.
func AnySchedule(t faults.Topology, horizon time.Duration, most int) *rapid.Generator[faults.Schedule] {
	return scheduleOf(Any(t, horizon), most)
}

// Any draws one fault of any kind that can apply to the topology. It begins within
// half of the horizon and, if its kind lasts, ends after at most as much. It is no
// restart, which makes sense only beside a crash that does not end.
func Any(t faults.Topology, horizon time.Duration) *rapid.Generator[faults.Fault] {
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
		fault.Begin = Begin(t, horizon/2).Draw(draw, "begin")
		return fault
	}).Filter(func(f faults.Fault) bool { return faults.Schedule{f}.Validate(t) == nil })
}

// value draws the value of a parameter, with what is small or harmless first.
func value(draw *rapid.T, t faults.Topology, horizon time.Duration, p faults.Parameter) string {
	some := func(names []string) string {
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID).Draw(draw, p.Name), " ")
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
		return strings.Join(Nodes(t, most).Draw(draw, p.Name), " ")
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
