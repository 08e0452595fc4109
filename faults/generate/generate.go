// Package generate has generators of faults and schedules for property tests
// with rapid. A schedule is drawn before its world exists, one element per fault,
// and whatever is small or absent is drawn as zero: so rapid can take faults
// away and make what is left simpler.
package generate

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"redlocklab/faults"
)

// Schedule draws up to `most` faults that break no assumption, all of which end,
// or end a client, within the horizon. Every one of them can apply to the topology.
func Schedule(t faults.Topology, horizon time.Duration, most int) *rapid.Generator[faults.Schedule] {
	return scheduleOf(Fault(t, horizon), most)
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

// Fault draws one fault, without a name.
func Fault(t faults.Topology, horizon time.Duration) *rapid.Generator[faults.Fault] {
	return rapid.Custom(func(draw *rapid.T) faults.Fault {
		lasting := func(e faults.Effect) faults.Fault {
			return faults.Fault{
				Effect: e, Begin: Begin(t, horizon/2).Draw(draw, "begin"),
				End: faults.Ending{Ends: true, For: time.Millisecond + duration(horizon/2).Draw(draw, "for")},
			}
		}
		client := []string{rapid.SampledFrom(t.Clients).Draw(draw, "client")}
		nodes := Nodes(t, len(t.Nodes)).Draw(draw, "nodes")
		direction := rapid.SampledFrom([]faults.Direction{faults.Both, faults.Requests, faults.Replies}).Draw(draw, "direction")
		switch rapid.SampledFrom([]string{"partition", "delay", "lose", "pause", "client crash"}).Draw(draw, "kind") {
		case "partition":
			return lasting(&faults.Partition{Clients: client, Nodes: nodes, Direction: direction})
		case "delay":
			by := time.Millisecond + duration(horizon/4).Draw(draw, "by")
			return lasting(&faults.Delay{By: faults.Span{Low: by, High: 2 * by}, ProbabilityPPM: 1_000_000, Clients: client, Nodes: nodes, Direction: direction})
		case "lose":
			return lasting(&faults.Lose{ProbabilityPPM: 200_000, Clients: client, Nodes: nodes, Direction: direction})
		case "pause":
			return lasting(&faults.Pause{Clients: client})
		default:
			return faults.Fault{Effect: &faults.ClientCrash{Clients: client}, Begin: Begin(t, horizon/2).Draw(draw, "begin")}
		}
	})
}

// Begin draws when a fault begins: at a time, or soon after a client acquires or wants to.
func Begin(t faults.Topology, latest time.Duration) *rapid.Generator[faults.Trigger] {
	return rapid.Custom(func(draw *rapid.T) faults.Trigger {
		switch rapid.SampledFrom([]string{"time", "acquired", "called"}).Draw(draw, "begins at") {
		case "acquired":
			who := rapid.SampledFrom(t.Clients).Draw(draw, "whose")
			return faults.Trigger{When: faults.Pattern{Subject: who, Word: "acquired"}, Nth: 1, After: duration(latest).Draw(draw, "after")}
		case "called":
			who := rapid.SampledFrom(t.Clients).Draw(draw, "whose")
			return faults.Trigger{When: faults.Pattern{Subject: who, Word: "called", Operation: "acquire"}, Nth: 1, After: duration(latest).Draw(draw, "after")}
		}
		return faults.Trigger{At: duration(latest).Draw(draw, "at")}
	})
}

// Nodes draws from one to `most` of the topology's nodes, in their order.
func Nodes(t faults.Topology, most int) *rapid.Generator[[]string] {
	return rapid.Custom(func(draw *rapid.T) []string {
		n := rapid.IntRange(1, min(most, len(t.Nodes))).Draw(draw, "how many")
		first := rapid.IntRange(0, len(t.Nodes)-n).Draw(draw, "first")
		return t.Nodes[first : first+n]
	})
}

// duration draws whole microseconds from nothing to a longest.
func duration(longest time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, int64(longest/time.Microsecond)), func(n int64) time.Duration { return time.Duration(n) * time.Microsecond })
}
