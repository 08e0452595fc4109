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

// steps are all steps of a walk, and the state after the last one that was shown.
// A step forward applies events to that state; a step back starts from the beginning.
type steps struct {
	run     *Run
	title   string
	setting []string
	verdict []string
	all     []step
	state   *state
	applied int
}

func newSteps(run *Run, options StepOptions) *steps {
	story := tell(newDigest(run), StoryOptions{CausalOnly: options.CausalOnly})
	s := &steps{run: run, title: story.Title, setting: story.Setting, verdict: append([]string{""}, story.Verdict...)}
	if options.Unit == ByEvent {
		for i := range run.Events {
			e := &run.Events[i]
			s.all = append(s.all, step{at: e.At, events: e.Seq, text: fmt.Sprintf("%d. %s — %s", e.Seq, instant(e.At), eventWords(e))})
		}
		return s
	}
	reached, begins := 0, laterBegins(story.Lines, len(run.Events))
	for i := range story.Lines {
		l := &story.Lines[i]
		if len(l.Events) > 0 {
			reached = max(reached, l.decides, reach(l, begins[i]))
		} else {
			for reached < len(run.Events) && run.Events[reached].At <= l.At {
				reached++
			}
		}
		s.all = append(s.all, step{at: max(l.At, eventAt(run, reached)), events: reached, text: l.String()})
	}
	return s
}

// reach returns the last event of a line before any later line begins. Later events
// of the line must not be part of the state that is shown with it, unless the line
// is true only after them (Line.decides).
func reach(l *Line, laterBegins int) int {
	last := l.Events[0]
	for _, seq := range l.Events {
		if seq < laterBegins {
			last = seq
		}
	}
	return last
}

// laterBegins returns, for each line, the first event of all later lines.
func laterBegins(lines []Line, events int) []int {
	begins := make([]int, len(lines))
	first := events + 1
	for i := len(lines) - 1; i >= 0; i-- {
		begins[i] = first
		if len(lines[i].Events) > 0 {
			first = min(first, lines[i].Events[0])
		}
	}
	return begins
}

func eventAt(run *Run, seq int) time.Duration {
	if seq == 0 {
		return 0
	}
	return run.Events[seq-1].At
}

// after returns the state of all nodes and processes after a step, a line for each.
func (s *steps) after(to step) []string {
	if s.state == nil || s.applied > to.events {
		s.state, s.applied = newState(s.run), 0
	}
	for ; s.applied < to.events; s.applied++ {
		s.state.apply(&s.run.Events[s.applied])
	}
	lines := []string{}
	for _, node := range s.run.Nodes {
		lines = append(lines, fmt.Sprintf("%-6s %s", node, s.state.nodeWords(node, to.at)))
	}
	for _, p := range s.state.processes {
		lines = append(lines, fmt.Sprintf("%-6s %s", p.name, strings.Join(append(p.words(), s.beliefs(p.name, to.at)...), "; ")))
	}
	return lines
}

// nodeWords returns the state of a node in one line.
func (s *state) nodeWords(node string, now time.Duration) string {
	parts := []string{}
	if s.down[node] {
		parts = append(parts, "DOWN")
	}
	for _, name := range s.keys.On(node) {
		k := s.keys.At(node, name)
		whose := "key"
		if k.Owner != "" {
			whose = k.Owner + "'s key"
		}
		left := "no TTL"
		if k.Ends != sim.Forever {
			left = period(max(0, k.Ends-now)) + " left"
		}
		parts = append(parts, fmt.Sprintf("%s: %s %s, %s", name, whose, k.Value, left))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

// words returns the state of a process.
func (p *processState) words() []string {
	switch {
	case p.crashed:
		return []string{"CRASHED"}
	case p.paused:
		return []string{"PAUSED"}
	case p.operation != "":
		return []string{"in " + p.operation}
	case p.done:
		return []string{"done"}
	}
	return []string{"-"}
}

// beliefs returns the words for the leases that a client holds at an instant.
func (s *steps) beliefs(client string, now time.Duration) []string {
	var parts []string
	for i := range s.run.Leases {
		if l := &s.run.Leases[i]; l.Client == client && l.From <= now && now < l.Until {
			parts = append(parts, fmt.Sprintf("holds %s (%s) for %s more", l.Resource, l.ID, period(l.Until-now)))
		}
	}
	return parts
}

// eventWords returns the fields of an event in short words.
func eventWords(e *sim.Event) string {
	parts := []string{string(e.Kind)}
	who := slices.DeleteFunc([]string{e.Process, e.Node}, func(name string) bool { return name == "" })
	if len(who) > 0 {
		parts = append(parts, strings.Join(who, "/"))
	}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(name+" "+value))
		}
	}
	add("", e.Command)
	add("key", e.Key)
	add("value", e.Value)
	if e.TTL > 0 {
		add("TTL", period(e.TTL))
	}
	add("lock", e.Resource)
	add("lease", e.Lease)
	if e.Duration != 0 {
		add("by", period(e.Duration))
	}
	if e.PPM != 0 {
		add("rate", ppm(e.PPM))
	}
	if e.Message != 0 {
		add("message", fmt.Sprint(e.Message))
	}
	add("", e.Detail)
	if e.Fault != "" {
		add("fault", fmt.Sprintf("%q", e.Fault))
	}
	return strings.Join(parts, ", ")
}
