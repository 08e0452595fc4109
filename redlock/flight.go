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
	decided  chan struct{}
}

// newFlight prepares a round whose result is worth something for limit after
// start. Nothing is sent yet.
func (l *Locker) newFlight(t *tenure, c command, start, limit time.Duration) *flight {
	f := &flight{
		locker:   l,
		tenure:   t,
		command:  c,
		start:    start,
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
// order of the nodes.
func (f *flight) launch() {
	for i := range f.calls {
		f.locker.lanes[i].send(&f.calls[i])
	}
}

// arguments returns the command's words in a form, built once for all nodes.
func (f *flight) arguments(form form) []any {
	cached := &f.words[form]
	cached.once.Do(func() { cached.words = f.command.arguments(form) })
	return cached.words
}

// sending is called when a lane hands a call to the driver.
func (f *flight) sending(node int) {
	if f.command.operation != OperationRelease {
		f.tenure.touch(node)
	}
}

// deliver takes the answer to a call, read at now, and looks after what follows
// from it even when nobody waits for the round any more.
func (c *call) deliver(now time.Duration) {
	f := c.flight
	var outcome Outcome
	var cause error
	if c.err != nil {
		outcome, cause = outcomeOfError(c.err), c.err
	} else {
		outcome, cause = f.command.outcome(c.form, &c.reply)
	}
	f.answer(c.node, outcome, cause, now)
	operation := f.command.operation
	again := false
	if operation == OperationRelease {
		confirmed := outcome == OutcomeGranted || outcome == OutcomeMissing || outcome == OutcomeHeldByOther
		again = f.tenure.released(c.node, confirmed, outcome == OutcomeGranted)
	} else if outcome == OutcomeGranted || (operation == OperationExtend && outcome == OutcomeMissing) {
		again = f.tenure.land(c.node, operation)
	}
	if again {
		f.locker.releaseAgain(f.tenure, c.node, now)
	}
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
	closed   bool          // the Locker's closing ended the waiting
}

// wait returns at the decision, or when the per-node timeout has passed since
// the start, or when the context or the Locker ends; what comes first.
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
	case <-ctx.Done():
		end.context = contextError(ctx)
	case <-closing:
		end.closed = true
	}
	end.end = f.locker.settings.clock.Now()
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
