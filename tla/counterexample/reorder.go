package counterexample

import (
	"slices"

	"redlocklab/tla"
)

// crashEarly moves every crash before steps of the same tick that it commutes with:
// starts, and commands at other nodes. A crash cuts connections, and loses commands
// that execute later in the model. Their rounds should begin after the crash.
func (s *schedule) crashEarly() {
	for i := range s.steps {
		for j := i; j > 0 && s.steps[j].Action == "Crash"; j-- {
			crash, before := s.steps[j], s.steps[j-1]
			commutes := before.Action == "Start" || before.Action == "SetExecutes" && before.Node != crash.Node
			if !commutes || before.At != crash.At {
				break
			}
			s.steps[j-1], s.steps[j] = crash, before
		}
	}
}

// startLate moves a start after a crash of a later tick, for the same reason, when the
// client does nothing between the two. A later start only makes the lease end later.
func (s *schedule) startLate() {
	for i := range s.steps {
		crash := s.steps[i]
		if crash.Action != "Crash" {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			start := s.steps[j]
			if start.Action != "Start" || !s.cuts(i, start.Client) || slices.ContainsFunc(s.steps[j+1:i], func(between tla.Step) bool { return between.Client == start.Client }) {
				continue
			}
			start.At = crash.At
			s.steps = slices.Insert(slices.Delete(s.steps, j, j+1), i, start)
			i-- // the crash is one step earlier now
		}
	}
}

// cuts reports whether a crash would lose a command that a client has sent: one that
// executes at that node before the client does anything else.
func (s *schedule) cuts(crash int, client string) bool {
	for _, step := range s.steps[crash+1:] {
		switch {
		case step.Client != client:
		case step.Action != "SetExecutes":
			return false
		case step.Node == s.steps[crash].Node:
			return true
		}
	}
	return false
}
