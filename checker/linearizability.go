package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// LinearizabilityResult is the result of the second oracle: the calls of each
// partition can be put into one order, each at an instant between its call and
// its return, that the model of the lock, register or counter allows.
type LinearizabilityResult struct {
	Result
	Partitions []PartitionResult `json:"partitions"`
}

// PartitionResult is the result for one partition: a lock, a register, a counter,
// or the keys of a resource on the nodes.
type PartitionResult struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Calls counts the calls that the model had to explain, Segments the pieces
	// that they were cut into.
	Calls    int    `json:"calls"`
	Segments int    `json:"segments"`
	Reason   string `json:"reason,omitempty"`
}

func judgeLinearizability(ledger *ledgerBuilder, options Options) LinearizabilityResult {
	result := LinearizabilityResult{Result: newResult(OracleLinearizability), Partitions: []PartitionResult{}}
	// The search may take exponentially long, so its limit is real time. After the
	// limit the oracle is inconclusive; it never gives another answer.
	deadline := time.Now().Add(options.TimeLimit)
	for _, part := range partitions(ledger.index) {
		result.addPartition(judgePartition(part, options, deadline))
	}
	result.judgeNodeKeys(ledger)
	return result
}

// addPartition adds the result for a partition, which holds unless something was found or
// there is a reason why it is inconclusive.
func (result *LinearizabilityResult) addPartition(answer PartitionResult, findings []Finding) {
	answer.Status = Holds
	if len(findings) > 0 {
		answer.Status = Violated
	}
	for _, finding := range findings {
		result.add(finding)
	}
	if answer.Reason != "" {
		answer.Status = Inconclusive
		result.giveUp(fmt.Sprintf("%s: %s", answer.Name, answer.Reason))
	}
	result.Checked += answer.Calls
	result.Partitions = append(result.Partitions, answer)
}

func judgePartition(part *partition, options Options, deadline time.Time) (PartitionResult, []Finding) {
	answer := PartitionResult{Name: part.name(), Calls: len(part.calls)}
	if len(part.calls) == 0 {
		return answer, nil
	}
	s := &search{options, deadline}
	segments := cut(part.calls, segmentCalls)
	answer.Segments = len(segments)
	failed, err := s.firstFailure(part.start, segments)
	switch {
	case err != nil:
		answer.Reason = err.Error()
	case failed != nil:
		return answer, []Finding{s.narrow(failed).finding(part)}
	}
	return answer, nil
}

// failure is a segment whose calls no order explains, with all the ways in which
// the history before it may have gone.
type failure struct {
	before  []configuration
	segment segment
}

// firstFailure searches segments in their order for one that no order explains.
func (s *search) firstFailure(start state, segments []segment) (*failure, error) {
	from := []configuration{{state: start}}
	for _, next := range segments {
		after, err := s.advance(from, next)
		if err != nil {
			return nil, err
		}
		if len(after) == 0 {
			return &failure{from, next}, nil
		}
		from = after
	}
	return nil, nil
}

// narrow cuts the failed segment as finely as possible, so that the evidence
// names the instant of the failure. It returns the whole segment when a bound
// stops it.
func (s *search) narrow(whole *failure) *failure {
	for i, before := range whole.before {
		calls := slices.Concat(before.open, whole.segment.calls)
		finer, err := s.firstFailure(before.state, cut(calls, 1))
		if err != nil || finer == nil {
			return whole
		}
		if i == len(whole.before)-1 {
			return finer
		}
	}
	return whole
}

// due lists the calls that had to take effect before the end of the segment, by
// their ends.
func (f *failure) due() []*call {
	var result []*call
	for _, c := range slices.Concat(f.before[0].open, f.segment.calls) {
		if c.end <= f.segment.until && c.end < forever {
			result = append(result, c)
		}
	}
	slices.SortStableFunc(result, func(a, b *call) int { return cmp.Compare(a.end, b.end) })
	return result
}

// maxNamedCalls bounds how many calls one finding names.
const maxNamedCalls = 8

func (f *failure) finding(part *partition) Finding {
	finding := Finding{Sort: part.sort, Resource: part.resource}
	var calls, states []string
	for i, c := range f.due() {
		finding.AtNS = max(finding.AtNS, c.end)
		if c.lease != nil {
			finding.Leases = mention(finding.Leases, c.lease.ID)
		}
		if i >= maxNamedCalls {
			continue
		}
		calls = append(calls, fmt.Sprintf("%s by %s (%s to %s)", c, c.client, instant(c.call), instant(c.end)))
		if c.operation != "" {
			finding.Operations = append(finding.Operations, c.operation)
		}
		finding.Events = append(finding.Events, events(c.event)...)
		finding.Lines = append(finding.Lines, c.line)
	}
	for _, before := range f.before {
		for _, c := range before.open {
			if part.sort == SortCounter && c.lease != nil {
				finding.Leases = mention(finding.Leases, c.lease.ID)
			}
		}
		states = mention(states, before.state.String())
		if lock, ok := before.state.(lockState); ok && lock.holder != nil {
			finding.Leases = mention(finding.Leases, lock.holder.ID)
		}
	}
	finding.Text = fmt.Sprintf("%s: no order allows %s; before it: %s", part.name(), strings.Join(calls, ", "), strings.Join(states, "; or "))
	return finding
}
