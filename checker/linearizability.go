package checker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// LinearizabilityResult is the answer of the second oracle: the calls of each
// partition can be put in one order, each at an instant between its call and
// its return, that the model of the lock, register or counter allows.
type LinearizabilityResult struct {
	Result
	// Partitions are judged one by one, in a fixed order.
	Partitions []PartitionResult `json:"partitions"`
}

// PartitionResult is the answer for one partition.
type PartitionResult struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Calls is how many calls the model had to explain, Segments into how many
	// pieces they were cut.
	Calls    int    `json:"calls"`
	Segments int    `json:"segments"`
	Reason   string `json:"reason,omitempty"`
}

func judgeLinearizability(idx *index, options Options) LinearizabilityResult {
	result := LinearizabilityResult{Result: Result{Status: Holds}, Partitions: []PartitionResult{}}
	// Real time: the search may take exponentially long. Past the limit the answer is inconclusive, never another.
	deadline := time.Now().Add(options.TimeLimit)
	for _, part := range partitions(idx) {
		answer, failure := judgePartition(part, options, deadline)
		result.take(answer)
		if failure != nil {
			result.add(failure.finding(part))
		}
	}
	for _, keys := range judgeNodeKeys(idx) {
		result.take(keys.PartitionResult)
		for _, finding := range keys.findings {
			result.add(finding)
		}
	}
	if result.Status == Violated {
		result.Reason = ""
	}
	return result
}

func (result *LinearizabilityResult) take(answer PartitionResult) {
	result.Partitions = append(result.Partitions, answer)
	result.Checked += answer.Calls
	if answer.Status == Inconclusive && result.Status == Holds {
		result.Status = Inconclusive
		result.Reason = fmt.Sprintf("%s: %s", answer.Name, answer.Reason)
	}
}

// failure is where no order explains the calls any more.
type failure struct {
	before []configuration
	piece  segment
}

func judgePartition(part *partition, options Options, deadline time.Time) (PartitionResult, *failure) {
	answer := PartitionResult{Name: part.name(), Status: Holds, Calls: len(part.calls)}
	if len(part.calls) == 0 {
		return answer, nil
	}
	s := &search{model: part.model, options: options, deadline: deadline}
	pieces := cut(part.calls, wishedSegment)
	answer.Segments = len(pieces)
	failed, err := s.firstFailure([]configuration{{state: part.model.initial()}}, pieces)
	var bound errBound
	switch {
	case errors.As(err, &bound):
		answer.Status, answer.Reason = Inconclusive, bound.text
	case failed != nil:
		answer.Status = Violated
		return answer, s.narrow(failed)
	}
	return answer, nil
}

// firstFailure goes through segments until one cannot be explained.
func (s *search) firstFailure(from []configuration, pieces []segment) (*failure, error) {
	for _, piece := range pieces {
		next, err := s.advance(from, piece)
		if err != nil {
			return nil, err
		}
		if len(next) == 0 {
			return &failure{from, piece}, nil
		}
		from = next
	}
	return nil, nil
}

// narrow cuts the segment that failed as finely as it can be cut, so that the
// evidence names the instant at which it fails. Where a bound stops that, the
// segment as it is must do.
func (s *search) narrow(whole *failure) *failure {
	for i, before := range whole.before {
		calls := slices.Concat(before.open, whole.piece.calls)
		finer, err := s.firstFailure([]configuration{{state: before.state}}, cut(calls, 1))
		if err != nil || finer == nil {
			return whole
		}
		if i == len(whole.before)-1 {
			return finer
		}
	}
	return whole
}

// blocked are the calls that had to take effect by the instant of the failure.
func (f *failure) blocked() []*call {
	var result []*call
	for _, c := range slices.Concat(f.before[0].open, f.piece.calls) {
		if c.end <= f.piece.until && c.end < forever {
			result = append(result, c)
		}
	}
	slices.SortStableFunc(result, func(a, b *call) int { return cmp.Compare(a.end, b.end) })
	return result
}

// maxBlocked bounds how many calls one finding names.
const maxBlocked = 8

func (f *failure) finding(part *partition) Finding {
	finding := Finding{Sort: part.sort, Resource: part.resource}
	blocked := f.blocked()
	var calls, states []string
	for i, c := range blocked {
		finding.AtNS = max(finding.AtNS, c.end)
		if i >= maxBlocked {
			continue
		}
		calls = append(calls, fmt.Sprintf("%s by %s (%s to %s)", part.model.describe(c), c.client, instant(c.call), instant(c.end)))
		if c.operation != "" {
			finding.Operations = append(finding.Operations, c.operation)
		}
		if c.lease != nil && !slices.Contains(finding.Leases, c.lease.ID) {
			finding.Leases = append(finding.Leases, c.lease.ID)
		}
		finding.Events = append(finding.Events, events(c.event)...)
		finding.Lines = append(finding.Lines, c.line)
	}
	for _, before := range f.before {
		text := part.model.describeState(before.state)
		if !slices.Contains(states, text) {
			states = append(states, text)
		}
		if held, ok := before.state.(lockState); ok && held.holder != nil && !slices.Contains(finding.Leases, held.holder.ID) {
			finding.Leases = append(finding.Leases, held.holder.ID)
		}
	}
	finding.Text = fmt.Sprintf("%s: no order allows %s; before it: %s", part.name(), strings.Join(calls, ", "), strings.Join(states, "; or "))
	return finding
}
