package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
)

// step is one step of a walk.
type step struct {
	at     time.Duration
	events int // number of events that have happened by then
	text   string
}

// stepsOf returns a step for each line of a story. The state of a step has the events
// of its line that come before any later line begins, and those without which the line
// is not true (Line.decides).
func stepsOf(run *Run, lines []Line) []step {
	begins := make([]int, len(lines)) // the first event of all later lines
	first := len(run.Events) + 1
	for i, l := range slices.Backward(lines) {
		begins[i] = first
		if len(l.Events) > 0 {
			first = min(first, l.Events[0])
		}
	}
	var all []step
	reached := 0
	for i := range lines {
		l := &lines[i]
		for _, seq := range l.Events {
			if seq == l.Events[0] || seq < begins[i] {
				reached = max(reached, l.decides, seq)
			}
		}
		for len(l.Events) == 0 && reached < len(run.Events) && run.Events[reached].At <= l.At {
			reached++
		}
		at := l.At
		if reached > 0 {
			at = max(at, run.Events[reached-1].At)
		}
		all = append(all, step{at: at, events: reached, text: l.String()})
	}
	return all
}

// state returns the state of all nodes and processes after a step, a line for each. A
// step forward applies events to the keys; a step back starts from the beginning.
func (w *walk) state(to step) []string {
	if w.applied > to.events {
		w.keys, w.applied = sim.Keys{}, 0
	}
	for ; w.applied < to.events; w.applied++ {
		w.keys.Apply(&w.run.Events[w.applied])
	}
	var lines []string
	for _, node := range w.run.Nodes {
		lines = append(lines, fmt.Sprintf("%-6s %s", node, w.nodeWords(node, to)))
	}
	for _, name := range w.run.Processes {
		words := w.processWords(name, to.events)
		for _, l := range w.run.held(name, to.at) {
			words += fmt.Sprintf("; holds %s (%s) for %s more", l.Resource, l.ID, period(l.Until-to.at))
		}
		lines = append(lines, fmt.Sprintf("%-6s %s", name, words))
	}
	return lines
}

// nodeWords returns the state of a node in one line.
func (w *walk) nodeWords(node string, to step) string {
	var parts []string
	if w.digest.in(sim.Crash, "", node, to.events) {
		parts = append(parts, "DOWN")
	}
	for _, name := range w.keys.On(node) {
		k := w.keys.At(node, name)
		left := "no TTL"
		if k.Ends != sim.Forever {
			left = period(max(0, k.Ends-to.at)) + " left"
		}
		parts = append(parts, fmt.Sprintf("%s: %s %s, %s", name, keyOf(k.Owner, "key"), k.Value, left))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

// processWords returns what a process is doing after some events.
func (w *walk) processWords(name string, events int) string {
	var latest *operation
	for _, op := range w.digest.operations {
		if op.process == name && op.call.Seq <= events {
			latest = op
		}
	}
	switch {
	case w.digest.in(sim.Crash, name, "", events):
		return "CRASHED"
	case w.digest.in(sim.Pause, name, "", events):
		return "PAUSED"
	case latest != nil && (latest.returned == nil || latest.returned.Seq > events):
		return strings.TrimSpace("in " + latest.name + " " + latest.resource)
	}
	for _, e := range w.digest.moments {
		if e.Kind == sim.Done && e.Process == name && e.Seq <= events {
			return "done"
		}
	}
	return "-"
}

// in reports whether a process or a node is in a stretch of a kind after some events.
func (d *digest) in(kind sim.Kind, process, node string, events int) bool {
	for _, s := range d.stretches {
		if b := s.begin; b.Kind == kind && b.Process == process && b.Node == node && b.Seq <= events && (s.end == nil || s.end.Seq > events) {
			return true
		}
	}
	return false
}
