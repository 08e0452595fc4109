package checker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A long history is cut into segments. A cut at a quiet instant, when no call is
// under way, loses only the state of the model at that instant. The search finds
// all possible states there and carries them over. A history that is never quiet
// is cut where few calls are under way, and each of them is tried on both sides
// of the cut. That becomes slow when more than about four clients use one
// register all the time without a lock. The search then ends inconclusive at a bound.
const (
	// segmentCalls is how many calls a segment has before it may end with calls
	// under way.
	segmentCalls = 128
	// maxUnderWay bounds the calls under way at a cut; there are 2^5 ways to place them.
	maxUnderWay = 5
	// maxConfigurations bounds what is carried over a cut.
	maxConfigurations = 256
	// maxSearchBytes bounds the memory of one search. Porcupine keeps one bit per
	// call for every step that it remembers.
	maxSearchBytes = 256 << 20
)

// configuration is one way in which the history up to a cut may have gone.
type configuration struct {
	state state
	// open lists the calls under way that have not taken effect.
	open []*call
}

func (c configuration) equal(other configuration) bool {
	return c.state == other.state && slices.Equal(c.open, other.open)
}

// segment is a piece of a partition.
type segment struct {
	calls []*call // those called in it
	until int64   // the instant of the cut at its end; forever for the last segment
}

// search is the search through one partition. Its errors say which bound stopped it.
type search struct {
	options  Options
	deadline time.Time
}

// cut splits calls into segments, of about the given number of calls where the
// history is not quiet. A cut lies after an instant with a call or a return, and
// before the next one, so that calls that touch stay concurrent.
func cut(calls []*call, preferred int) []segment {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b *call) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.end, b.end))
	})
	var ends []int64
	for _, c := range calls {
		if c.end < forever {
			ends = append(ends, c.end)
		}
	}
	slices.Sort(ends)
	var result []segment
	from, started, ended := 0, 0, 0
	best := struct {
		at                int64
		underWay, started int
	}{underWay: maxUnderWay + 1}
	for started < len(calls) {
		at := calls[started].call
		if ended < len(ends) {
			at = min(at, ends[ended])
		}
		for started < len(calls) && calls[started].call == at {
			started++
		}
		for ended < len(ends) && ends[ended] == at {
			ended++
		}
		if started == len(calls) {
			break // the rest is the last segment
		}
		underWay := started - ended
		if underWay == 0 || started-from >= preferred/2 && underWay <= min(best.underWay, maxUnderWay) {
			best.at, best.underWay, best.started = at, underWay, started
		}
		if best.underWay == 0 || started-from >= preferred && best.underWay <= maxUnderWay {
			result = append(result, segment{calls[from:best.started], best.at})
			from = best.started
			best.underWay = maxUnderWay + 1
		}
	}
	return append(result, segment{calls[from:], forever})
}

// advance returns the configurations after a segment, for those before it. There
// are none when no order of the calls explains the history up to there.
func (s *search) advance(from []configuration, next segment) ([]configuration, error) {
	var result []configuration
	for _, before := range from {
		var done, underWay []*call
		for _, c := range slices.Concat(before.open, next.calls) {
			if c.end <= next.until && c.end < forever {
				done = append(done, c)
			} else {
				underWay = append(underWay, c)
			}
		}
		if next.until == forever {
			// Nothing comes later. A call of unknown outcome is legal in every state
			// and never ends, so one without effect can come last.
			explained, err := s.run(before.state, done, underWay, forever, nil)
			if err != nil {
				return nil, err
			}
			if explained {
				return []configuration{{}}, nil
			}
			continue
		}
		for chosen := range 1 << len(underWay) {
			now, later := slices.Clone(done), []*call(nil)
			for i, c := range underWay {
				if chosen&(1<<i) != 0 {
					now = append(now, c)
				} else {
					later = append(later, c)
				}
			}
			states, err := s.ends(before.state, now, next.until)
			if err != nil {
				return nil, err
			}
			for _, state := range states {
				after := configuration{state, later}
				if !slices.ContainsFunc(result, after.equal) {
					result = append(result, after)
				}
			}
			if len(result) > maxConfigurations {
				return nil, tooManyStates(next.until)
			}
		}
	}
	return result, nil
}

// ends finds every state in which the calls can leave the model at an instant.
// It asks porcupine for a state that is not known yet, until there is none.
func (s *search) ends(from state, calls []*call, at int64) ([]state, error) {
	switch len(calls) {
	case 0:
		return []state{from.forget(at)}, nil
	case 1:
		next, legal := from.step(calls[0], min(calls[0].end, at))
		if !legal {
			return nil, nil
		}
		return []state{next.forget(at)}, nil
	}
	var known []state
	for {
		var found state
		more, err := s.run(from, calls, nil, at, func(end state) bool {
			found = end.forget(at)
			return !slices.Contains(known, found)
		})
		if err != nil {
			return nil, err
		}
		if !more {
			return known, nil
		}
		known = append(known, found)
		if len(known) > maxConfigurations {
			return nil, tooManyStates(at)
		}
	}
}

func tooManyStates(at int64) error {
	return fmt.Errorf("more than %d possible states at %s", maxConfigurations, instant(at))
}

var errTime = errors.New("the time limit was reached")

// probe is a last step that accepts or refuses the final state.
type probe func(state) bool

// input is what porcupine passes to the model: a call or a probe.
type input struct {
	call   *call
	latest int64
	probe  probe
}

// run lets porcupine search for a legal order. Calls of unknown outcome may come last. The
// probe, if any, must accept the final state.
func (s *search) run(from state, calls, unknown []*call, at int64, last probe) (bool, error) {
	operations := make([]porcupine.Operation, 0, len(calls)+len(unknown)+1)
	add := func(from, until int64, in input) {
		operations = append(operations, porcupine.Operation{Call: from, Return: until, Input: in})
	}
	for _, c := range calls {
		end := min(c.end, at)
		add(c.call, end, input{call: c, latest: end})
	}
	for _, c := range unknown {
		add(c.call, forever, input{call: c, latest: forever})
	}
	if last != nil {
		add(at+1, at+1, input{probe: last})
	}
	perStep := len(operations)/8 + 256
	bound := min(s.options.SearchSteps, maxSearchBytes/perStep)
	if bound < len(operations) {
		return false, fmt.Errorf("%d calls without a place to cut need too much memory", len(operations))
	}
	left := time.Until(s.deadline)
	if left <= 0 {
		return false, errTime
	}
	steps := 0
	specification := porcupineModel(from, func() bool { steps++; return steps <= bound })
	switch porcupine.CheckOperationsTimeout(specification, operations, left) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Unknown:
		return false, errTime
	}
	if steps > bound {
		return false, fmt.Errorf("the search took more than %d steps in one segment of %d calls", bound, len(operations))
	}
	return false, nil
}

// porcupineModel is the model for porcupine that begins with a state. When goOn returns false no step is
// legal any more, so that the search ends.
func porcupineModel(start state, goOn func() bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return start },
		Step: func(before, in, _ any) (bool, any) {
			now, step := before.(state), in.(input)
			switch {
			case !goOn():
				return false, now
			case step.probe != nil:
				return step.probe(now), now
			}
			next, legal := now.step(step.call, step.latest)
			return legal, next
		},
	}
}
