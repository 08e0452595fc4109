package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// momentsOf returns a moment for each line of a story. It has the events of its line that come
// before any later line begins, and those without which the line is not true (Line.decides).
func momentsOf(run *Run, lines []Line) []Moment {
	begins := make([]int, len(lines)) // the first event of all later lines
	first := len(run.Events) + 1
	for i, l := range slices.Backward(lines) {
		begins[i] = first
		if len(l.Events) > 0 {
			first = min(first, l.Events[0])
		}
	}
	var all []Moment
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
		all = append(all, Moment{at, reached})
	}
	return all
}

// state returns the state after a step, a line for each node, client and register, and
// one for the broken assumptions. A step back starts from the beginning.
func (w *walk) state(m Moment) []string {
	if w.observer == nil || w.observer.applied > m.Events {
		w.observer = newObserver(w.digest)
	}
	var lines []string
	add := func(name, text string) {
		lines = append(lines, fmt.Sprintf("%-6s %s", name, text))
	}
	for _, node := range w.run.Nodes {
		s := w.observer.node(node, m)
		add(node, s.words(m.At))
	}
	for _, client := range w.run.Processes {
		s := w.observer.client(client, m)
		add(client, s.words(m.At))
	}
	for _, register := range w.digest.registers {
		s := w.observer.register(register, m)
		add(register, s.words())
	}
	var broken []string
	for _, b := range w.run.Broken {
		if b.Event <= m.Events {
			broken = append(broken, b.Assumption)
		}
	}
	if len(broken) > 0 {
		add("broken", words.Listed(broken))
	}
	return lines
}

func (s *NodeState) words(at time.Duration) string {
	var parts []string
	if s.Down {
		parts = append(parts, "DOWN")
	}
	for _, k := range s.Keys {
		left := "no TTL"
		if k.Ends != sim.Forever {
			left = words.Period(max(0, k.Ends-at)) + " left"
		}
		parts = append(parts, fmt.Sprintf("%s: %s %s, %s", k.Key, keyOf(k.Owner, "key"), k.Token, left))
	}
	return orNothing(parts)
}

func (s *ClientState) words(at time.Duration) string {
	var parts []string
	switch s.Status {
	case "":
	case "crashed", "paused":
		parts = append(parts, strings.ToUpper(s.Status))
	default:
		parts = append(parts, s.Status)
	}
	for _, h := range s.Holds {
		parts = append(parts, fmt.Sprintf("holds %s (%s) until %s, for %s more", h.Resource, h.Lease, words.Instant(h.Until), words.Period(h.Until-at)))
	}
	if s.Ballot != nil {
		parts = append(parts, s.Ballot.words())
	}
	return orNothing(parts)
}

// voteSigns are the signs of votes in a terminal and on a page.
var voteSigns = map[VoteMark]string{VoteYes: "✓", VoteNo: "✗", VoteOut: "○", VoteLost: "–", VoteOpen: "?"}

func (b *Ballot) words() string {
	text := fmt.Sprintf("%s of %s:", b.Purpose, b.Key)
	for _, v := range b.Votes {
		text += " " + v.Node + " " + voteSigns[v.Mark]
	}
	if b.Purpose == sim.PurposeRelease {
		return text
	}
	return fmt.Sprintf("%s, %d of the %d needed", text, b.Yes, b.Need)
}

func (s *RegisterState) words() string {
	if s.Writer == "" {
		return "-"
	}
	text := s.Writer + "'s " + s.Value
	if s.Stale {
		text += " (stale)"
	}
	return text
}

func orNothing(parts []string) string {
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}
