package redlock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"redlocklab/redlock/round"
)

// flight is one round on its way: the same command to every node, the pure
// round that counts the answers, and what each node answered. The carriers of
// the lanes deliver; the caller waits for the decision only.
type flight struct {
	locker  *Locker
	tenure  *tenure
	command command
	start   time.Duration // the instant before the first send
	timeout time.Duration // per node, from start
	calls   []call

	words [formCount]struct {
		once  sync.Once
		words []any
	}

	// abandoned is set when nobody waits for the answers any more and calls
	// that were not sent yet need not be.
	abandoned atomic.Bool

	mu       sync.Mutex
	count    round.Round
	outcomes []NodeOutcome
	highest  int64 // of the counters that granting nodes told
	decided  chan struct{}
}

// newFlight prepares a round whose result is worth something for limit after
// start. Nothing is sent yet.
func (l *Locker) newFlight(t *tenure, c command, start, limit, timeout time.Duration) *flight {
	f := &flight{
		locker:   l,
		tenure:   t,
		command:  c,
		start:    start,
		timeout:  timeout,
		calls:    make([]call, len(l.lanes)),
		count:    round.New(len(l.lanes), limit),
		outcomes: make([]NodeOutcome, len(l.lanes)),
		decided:  make(chan struct{}),
	}
	for i := range f.calls {
		f.calls[i].flight, f.calls[i].node = f, i
		f.outcomes[i].Node, f.outcomes[i].Operation = l.lanes[i].node.Name, c.operation
	}
	return f
}

// launch sends the command to every node, in the caller's goroutine and in the
// order of the nodes. Nodes with an open circuit are left out, unless the others
// could not make a quorum: then there is nothing to lose. Nothing that sets a
// token is sent once its release has begun (claim MX-10); launch reports whether
// it sent.
func (f *flight) launch() bool {
	lanes := f.locker.lanes
	skipped := make([]bool, len(lanes))
	asked := len(lanes)
	for i, lane := range lanes {
		if skipped[i] = lane.skips(f.start); skipped[i] {
			asked--
		}
	}
	if asked < f.locker.Quorum() {
		clear(skipped)
	}
	f.tenure.gate.RLock()
	defer f.tenure.gate.RUnlock()
	if f.tenure.ending.Load() {
		return false
	}
	for i, lane := range lanes {
		switch {
		case skipped[i]:
			f.answer(i, OutcomeCircuitOpen, nil, f.start)
		case !lane.send(&f.calls[i], f.start, f.start+f.timeout):
			f.answer(i, OutcomeTransport, errQueueFull, f.start)
		}
	}
	return true
}

// arguments returns the command's words in a form, built once for all nodes.
func (f *flight) arguments(form form) []any {
	cached := &f.words[form]
	cached.once.Do(func() { cached.words = f.command.arguments(form) })
	return cached.words
}

// sending is asked before a lane hands a call to the driver: it reports whether
// the lane may, and notes that the node may carry the token then.
func (f *flight) sending(node int) bool {
	return f.command.operation == OperationRelease || f.tenure.touch(node)
}

// answer counts what a node's answer, or the lack of one, proves.
func (f *flight) answer(node int, outcome Outcome, cause error, now time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	report := &f.outcomes[node]
	report.Outcome, report.Latency, report.Cause = outcome, now-f.start, cause
	vote := voteOf(f.command.operation, outcome)
	if f.command.operation == OperationExtend && vote == round.For && f.tenure.isTopUp(node) {
		vote = round.Against
	}
	undecided := f.count.State() == round.Undecided
	state := f.count.Add(node, vote, now-f.start)
	if f.command.operation == OperationExtend && outcome == OutcomeMissing && state != round.Granted {
		f.tenure.topUp(node)
	}
	if undecided && state != round.Undecided {
		close(f.decided)
	}
}

// tell takes the counter that a granting node answered with.
func (f *flight) tell(counter int64) {
	f.mu.Lock()
	f.highest = max(f.highest, counter)
	f.mu.Unlock()
}

// highestCounter is the highest counter that was told so far.
func (f *flight) highestCounter() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.highest
}

// voteOf says what an outcome proves in a round.
func voteOf(operation Operation, outcome Outcome) round.Vote {
	switch outcome {
	case OutcomeGranted:
		return round.For
	case OutcomeHeldByOther, OutcomeMissing:
		if operation == OperationRelease {
			return round.For
		}
		return round.Against
	case OutcomeNotAsked:
		// Only releases leave nodes out: those that cannot carry the token.
		return round.For
	default:
		return round.Unknown
	}
}

// result is the end of a caller's waiting.
type result struct {
	state    round.State
	loss     round.Loss
	refuted  bool          // the votes against alone rule out a quorum
	end      time.Duration // when the waiting ended, on the Clock
	outcomes []NodeOutcome // a copy: late answers do not change it
	context  error         // the context's cause, if it ended the waiting
	timedOut bool          // the timer fired
	closed   bool          // the Locker's closing ended the waiting
}

// wait returns at the decision, after the timeout, or when the context or the
// Locker ends; what comes first.
func (f *flight) wait(ctx context.Context, timeout time.Duration) result {
	timer := f.locker.settings.clock.NewTimer(timeout)
	defer timer.Stop()
	closing := f.locker.closing
	if f.command.operation == OperationRelease {
		closing = nil // a release that is under way is not cut short
	}
	var end result
	select {
	case <-f.decided:
	case <-timer.C():
		end.timedOut = true
	case <-ctx.Done():
		end.context = contextError(ctx)
	case <-closing:
		end.closed = true
	}
	end.end = f.locker.settings.clock.Now()
	if end.timedOut {
		for _, lane := range f.locker.lanes {
			lane.relieve(end.end)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count.State() == round.Undecided {
		f.count.Expire(end.end - f.start)
		if end.context == nil && !end.closed {
			for i := range f.outcomes {
				if f.outcomes[i].Outcome == OutcomePending {
					f.outcomes[i].Outcome, f.outcomes[i].Latency = OutcomeTimeout, end.end-f.start
				}
			}
		}
		close(f.decided)
	} else {
		end.context, end.closed = nil, false
	}
	end.state, end.loss = f.count.State(), f.count.Loss()
	end.refuted = f.count.Refuted()
	end.outcomes = append([]NodeOutcome(nil), f.outcomes...)
	return end
}
