package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A long history is cut into segments. Where it is quiet (no call under way) a
// cut loses nothing but the question in which states the model may be there:
// all of them are found and carried over. Where it is never quiet, a cut is
// made where few calls are under way, and each of them is tried on both sides.
// Where many always are (more than about four clients that hammer one register
// without a lock) that becomes slow, and the answer is inconclusive at a bound.
const (
	// wishedSegment is how many calls may pass before a cut with calls under
	// way is taken.
	wishedSegment = 128
	// maxUnderWay is how many calls a cut may have under way: 2^5 choices.
	maxUnderWay = 5
	// maxConfigurations bounds what is carried over a cut.
	maxConfigurations = 256
	// maxSearchBytes bounds the memory of one search in porcupine, which
	// keeps one bit per call for every step that it remembers.
	maxSearchBytes = 256 << 20
)

// configuration is one way in which the history up to a cut may have gone.
type configuration struct {
	state any
	// open are the calls under way that took no effect yet.
	open []*call
}

func (c configuration) equal(other configuration) bool {
	return c.state == other.state && slices.Equal(c.open, other.open)
}

// segment is a piece of a partition.
type segment struct {
	calls []*call // called in it
	until int64   // the instant of the cut; forever for the last
}

// search is the search through one partition.
type search struct {
	model    model
	options  Options
	deadline time.Time
}

// errBound says which bound stopped a search.
type errBound struct{ text string }

func (e errBound) Error() string { return e.text }

// cut splits calls into segments. A cut lies after an instant at which
// something happened and before the next one: calls that touch stay concurrent.
func cut(calls []*call, wished int) []segment {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b *call) int { return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.end, b.end)) })
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
		if underWay := started - ended; started-from >= wished/2 && underWay <= min(best.underWay, maxUnderWay) || underWay == 0 {
			best.at, best.underWay, best.started = at, underWay, started
		}
		if best.underWay == 0 || started-from >= wished && best.underWay <= maxUnderWay {
			result = append(result, segment{calls[from:best.started], best.at})
			from = best.started
			best.underWay = maxUnderWay + 1
		}
	}
	return append(result, segment{calls[from:], forever})
}

// advance takes configurations through a segment. None left means that no
// order of the calls explains the history up to the segment's end.
func (s *search) advance(from []configuration, piece segment) ([]configuration, error) {
	var result []configuration
	for _, before := range from {
		var done, underWay []*call
		for _, c := range slices.Concat(before.open, piece.calls) {
			if c.end <= piece.until && c.end < forever {
				done = append(done, c)
			} else {
				underWay = append(underWay, c)
			}
		}
		if piece.until == forever {
			// Nothing comes after. A call of unknown effect is legal in every state
			// and its interval never ends: one without effect goes last.
			explained, err := s.explains(before.state, done, underWay)
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
			states, err := s.ends(before.state, now, piece.until)
			if err != nil {
				return nil, err
			}
			for _, state := range states {
				next := configuration{state, later}
				if !slices.ContainsFunc(result, next.equal) {
					result = append(result, next)
				}
			}
			if len(result) > maxConfigurations {
				return nil, errBound{fmt.Sprintf("more than %d possible states at %s", maxConfigurations, instant(piece.until))}
			}
		}
	}
	return result, nil
}

// ends finds every state in which the calls can leave the model at an instant.
// Porcupine finds one; asked again for one that is not known yet, it finds the
// next, until it proves that there is none.
func (s *search) ends(state any, calls []*call, at int64) ([]any, error) {
	switch len(calls) {
	case 0:
		return []any{s.model.settle(state, at)}, nil
	case 1:
		next, legal := s.model.step(state, calls[0], min(calls[0].end, at))
		if !legal {
			return nil, nil
		}
		return []any{s.model.settle(next, at)}, nil
	}
	var known []any
	for {
		var found any
		last := probe{func(end any) bool {
			end = s.model.settle(end, at)
			if slices.Contains(known, end) {
				return false
			}
			found = end
			return true
		}}
		more, err := s.run(state, calls, nil, at, &last)
		if err != nil {
			return nil, err
		}
		if !more {
			return known, nil
		}
		known = append(known, found)
		if len(known) > maxConfigurations {
			return nil, errBound{fmt.Sprintf("more than %d possible states at %s", maxConfigurations, instant(at))}
		}
	}
}

// explains says whether some order of the calls is legal; the unknown ones may
// come after all others.
func (s *search) explains(state any, done, unknown []*call) (bool, error) {
	return s.run(state, done, unknown, forever, nil)
}

// probe is a last step that looks at the final state.
type probe struct{ accepts func(state any) bool }

// input is what porcupine hands to the model.
type input struct {
	call   *call
	latest int64
	probe  *probe
}

// run lets porcupine look for a legal order.
func (s *search) run(state any, calls, unknown []*call, at int64, last *probe) (bool, error) {
	operations := make([]porcupine.Operation, 0, len(calls)+len(unknown)+1)
	for _, c := range calls {
		end := min(c.end, at)
		operations = append(operations, porcupine.Operation{Call: c.call, Return: end, Input: input{call: c, latest: end}})
	}
	for _, c := range unknown {
		operations = append(operations, porcupine.Operation{Call: c.call, Return: forever, Input: input{call: c, latest: forever}})
	}
	if last != nil {
		operations = append(operations, porcupine.Operation{Call: at + 1, Return: at + 1, Input: input{probe: last}})
	}
	perStep := len(operations)/8 + 256
	bound := min(s.options.SearchSteps, maxSearchBytes/perStep)
	if bound < len(operations) {
		return false, errBound{fmt.Sprintf("%d calls without a place to cut need too much memory", len(operations))}
	}
	left := time.Until(s.deadline)
	if left <= 0 {
		return false, errBound{"the time limit was reached"}
	}
	steps := 0
	specification := porcupineModel(s.model, state, func() bool { steps++; return steps <= bound })
	switch porcupine.CheckOperationsTimeout(specification, operations, left) {
	case porcupine.Ok:
		return true, nil
	case porcupine.Unknown:
		return false, errBound{"the time limit was reached"}
	}
	if steps > bound {
		return false, errBound{fmt.Sprintf("the search took more than %d steps in one segment of %d calls", bound, len(operations))}
	}
	return false, nil
}

// porcupineModel wraps a model. After counting says no, no step is legal, so
// that the search ends.
func porcupineModel(specification model, start any, counting func() bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return start },
		Step: func(state, in, _ any) (bool, any) {
			if !counting() {
				return false, state
			}
			step := in.(input)
			if step.probe != nil {
				return step.probe.accepts(state), state
			}
			next, legal := specification.step(state, step.call, step.latest)
			if !legal {
				return false, state
			}
			return true, next
		},
		DescribeOperation: func(in, _ any) string { return specification.describe(in.(input).call) },
		DescribeState:     specification.describeState,
	}
}
