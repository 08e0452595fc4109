package counterexample

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
	"redlocklab/tla"
)

// faults are the delays and losses of messages, and what happens to nodes and clocks.
func (s *schedule) faults() faults.Schedule {
	b := &builder{schedule: s}
	for _, o := range s.operations {
		call := s.at[o.call]
		switch o.kind {
		case "release":
			b.releases(o, call)
		default:
			b.commands(o, call)
			if o.kind == "trylock" && o.lost >= 0 {
				b.releases(o, call+s.timeout)
			}
		}
	}
	for i, step := range s.steps {
		b.happens(i, step)
	}
	if !s.exact() {
		b.rates()
	}
	return b.list
}

const million = 1_000_000 // parts

// builder collects faults.
type builder struct {
	*schedule
	list faults.Schedule
}

func (b *builder) add(effect faults.Effect, at, lasts time.Duration, format string, arguments ...any) {
	name := fmt.Sprintf("f%d ", len(b.list)+1) + fmt.Sprintf(format, arguments...)
	f := faults.Fault{Name: name, Effect: effect, Begin: faults.Trigger{At: at}}
	if lasts > 0 {
		f.End = faults.Ending{Ends: true, For: lasts}
	}
	b.list = append(b.list, f)
}

// late delays what passes a link around an instant.
func (b *builder) late(process, node string, direction faults.Direction, around, by time.Duration) {
	if by <= 0 {
		return
	}
	b.add(&faults.Delay{
		By: faults.Span{Low: by, High: by}, ProbabilityPPM: million,
		Clients: []string{process}, Nodes: []string{node}, Direction: direction,
	}, around-window, 2*window, "late %s %s", process, node)
}

// lose loses requests to a node that are sent in a span of time.
func (b *builder) lose(process, node string, from, length time.Duration) {
	b.add(&faults.Partition{Clients: []string{process}, Nodes: []string{node}, Direction: faults.Requests},
		from, length, "lost %s %s", process, node)
}

func (b *builder) crash(node string, at, away time.Duration) {
	b.add(&faults.Crash{Nodes: []string{node}, How: sim.ProcessCrash, TimedBy: faults.TrueTime}, at, away, "crash %s", node)
}

// commands makes each SET or extension of a round execute at its step, or loses it. The
// deciding answer is late when the model decides later; silence is late by itself.
func (b *builder) commands(o *operation, call time.Duration) {
	for _, n := range b.nodes() {
		if i, executes := o.executes[n]; executes {
			b.late(o.process, n, faults.Requests, call, b.at[i]-call)
			if o.retries[n] {
				b.add(&faults.Partition{Clients: []string{o.process}, Nodes: []string{n}, Direction: faults.Replies},
					b.at[i]-window, 2*window, "lost answer %s %s", o.process, n)
			}
		} else {
			b.lose(o.process, n, call-window, 2*window)
		}
	}
	if last, where := b.deciding(o); last >= 0 && last < o.decided-1 && !b.bySilence {
		b.late(o.process, where, faults.Replies, b.at[last], b.at[o.decided]-b.at[last])
	}
}

// releases makes each release that leaves at an instant execute at its step. One that
// the model does not execute is lost, unless there is no key that it could remove.
func (b *builder) releases(o *operation, leaves time.Duration) {
	end := o.call
	if o.kind == "trylock" {
		end = o.lost
	}
	for _, n := range b.nodes() {
		i, executes := o.deletes[n]
		switch {
		case executes:
			b.late(o.process, n, faults.Requests, leaves, b.at[i]-leaves)
		case b.steps[end].State.Owner(n) != "none":
			b.lose(o.process, n, leaves-window, 2*window)
		}
	}
}

// happens turns a step of a node into a fault.
func (b *builder) happens(i int, step tla.Step) {
	nodes := []string{step.Node}
	switch step.Action {
	case "Crash":
		away := time.Millisecond
		if ticks := b.number("RestartTicks"); ticks > 0 && !guarded(b.constants) {
			// Up again when that many ticks have begun.
			away = first + time.Duration(step.At+ticks)*b.tick - b.at[i]
		}
		b.crash(step.Node, b.at[i], away)
	case "ClockSteps":
		b.add(&faults.NodeClockStep{Nodes: nodes, By: ttl + time.Second}, b.at[i], 0, "clock of %s", step.Node)
	case "KeyRemoved":
		b.add(&faults.OperatorDelete{Nodes: nodes, Resources: []string{resource}}, b.at[i], 0, "operator at %s", step.Node)
	}
}

// rates makes nodes fast and clients slow, as far as the model's clocks err.
func (b *builder) rates() {
	lifetime, drift, margin := b.number("TTL"), b.number("Drift"), b.number("Margin")
	fast := int64(million*lifetime/(lifetime-drift)) - million
	belief := time.Duration(lifetime-margin+drift) * b.tick
	slow := int64(float64(ttl-allowance)/float64(belief)*million) - million
	b.add(&faults.NodeClockRate{Nodes: b.nodes(), PPM: fast}, 0, 0, "nodes run fast")
	var processes []string
	for _, o := range b.operations {
		if !slices.Contains(processes, o.process) {
			processes = append(processes, o.process)
		}
	}
	b.add(&faults.ClientClockRate{Clients: processes, Clock: sim.Boottime, PPM: slow}, 0, 0, "clients run slow")
}
