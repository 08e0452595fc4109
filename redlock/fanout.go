package redlock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"redlocklab/redlock/round"
)

// fanout is one round under way: one command to every node, the round.Round that counts
// the answers, and a report per node. Senders record the answers; the caller waits only
// for the decision.
type fanout struct {
	locker     *Locker
	tokenState *tokenState
	command    command
	start      time.Duration // just before the first send, on the Clock
	timeout    time.Duration // per node, from start
	requests   []request     // one per node

	// encoded caches the words of the command in each form.
	encoded [formCount]struct {
		once  sync.Once
		words []any
	}

	// abandoned is set when no caller waits for the round any more and requests
	// that were not sent need not be.
	abandoned atomic.Bool

	mu      sync.Mutex
	round   round.Round
	reports []NodeReport
	highest int64         // counter that a granting node returned
	decided chan struct{} // closed when the round is decided
}

// newFanout prepares a round whose votes count while less than limit has passed since
// start. It sends nothing.
func (l *Locker) newFanout(state *tokenState, c command, start, limit, timeout time.Duration) *fanout {
	f := &fanout{
		locker:     l,
		tokenState: state,
		command:    c,
		start:      start,
		timeout:    timeout,
		requests:   make([]request, len(l.queues)),
		round:      round.New(len(l.queues), limit),
		reports:    make([]NodeReport, len(l.queues)),
		decided:    make(chan struct{}),
	}
	for i := range f.requests {
		f.requests[i].fanout, f.requests[i].node = f, i
		f.reports[i].Node, f.reports[i].Operation = l.queues[i].node.Name, c.operation
	}
	return f
}

// sendAll submits the command to every node, in the caller's goroutine and in the order
// of the nodes. It leaves out nodes with an open circuit, unless the others cannot make
// a quorum. It sends nothing and returns false once the release of the token has begun
// (claim MX-10).
func (f *fanout) sendAll() bool {
	queues := f.locker.queues
	skipped := make([]bool, len(queues))
	asked := len(queues)
	for i, queue := range queues {
		if skipped[i] = queue.skip(f.start); skipped[i] {
			asked--
		}
	}
	if asked < f.locker.Quorum() {
		clear(skipped)
	}
	f.tokenState.sendGate.RLock()
	defer f.tokenState.sendGate.RUnlock()
	if f.tokenState.stopped.Load() {
		return false
	}
	for i, queue := range queues {
		switch {
		case skipped[i]:
			f.recordAnswer(i, OutcomeCircuitOpen, nil, f.start)
		case !queue.submit(&f.requests[i], f.start, f.start+f.timeout):
			f.recordAnswer(i, OutcomeTransport, errQueueFull, f.start)
		}
	}
	return true
}

// arguments returns the command's words in a form, built once for all nodes.
func (f *fanout) arguments(form form) []any {
	cached := &f.encoded[form]
	cached.once.Do(func() { cached.words = f.command.arguments(form) })
	return cached.words
}

// recordSend is called before a request goes to the driver. It reports whether it may
// go, and if so records that the node may carry the token from now on.
func (f *fanout) recordSend(node int) bool {
	return f.command.operation == OperationRelease || f.tokenState.recordSend(node)
}

// recordAnswer records the outcome of a node in its report and as a vote.
func (f *fanout) recordAnswer(node int, outcome NodeOutcome, cause error, now time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	report := &f.reports[node]
	report.Outcome, report.Latency, report.Cause = outcome, now-f.start, cause
	vote := voteOf(f.command.operation, outcome)
	if f.command.operation == OperationExtend && vote == round.For && f.tokenState.isRestored(node) {
		vote = round.Against
	}
	undecided := f.round.State() == round.Undecided
	state := f.round.Add(node, vote, now-f.start)
	if f.command.operation == OperationExtend && outcome == OutcomeMissing && state != round.Granted {
		f.tokenState.markRestored(node)
	}
	if undecided && state != round.Undecided {
		close(f.decided)
	}
}

// recordCounter records the counter that a granting node returned.
func (f *fanout) recordCounter(counter int64) {
	f.mu.Lock()
	f.highest = max(f.highest, counter)
	f.mu.Unlock()
}

// highestCounter returns the highest counter recorded so far.
func (f *fanout) highestCounter() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.highest
}

// voteOf returns the vote that an outcome is in a round.
func voteOf(operation Operation, outcome NodeOutcome) round.Vote {
	switch outcome {
	case OutcomeGranted:
		return round.For
	case OutcomeHeldByOther, OutcomeMissing:
		if operation == OperationRelease {
			return round.For
		}
		return round.Against
	case OutcomeNotAsked:
		// Only releases leave nodes out: nodes that cannot carry the token.
		return round.For
	default:
		return round.Unknown
	}
}

// roundResult is what a caller knows when it stops waiting for a round.
type roundResult struct {
	state    round.State
	loss     round.Loss
	refuted  bool          // the votes against alone rule out a quorum
	endedAt  time.Duration // when the waiting ended, on the Clock
	reports  []NodeReport  // a copy that late answers do not change
	context  error         // the context's cause, if it ended the waiting
	timedOut bool          // the timer fired
	closed   bool          // Locker.Close ended the waiting
}

// wait waits for the decision, the timeout, the end of the context or the closing of the
// Locker, whichever is first. Afterwards the round is decided.
func (f *fanout) wait(ctx context.Context, timeout time.Duration) roundResult {
	timer := f.locker.settings.clock.NewTimer(timeout)
	defer timer.Stop()
	closing := f.locker.closing
	if f.command.operation == OperationRelease {
		closing = nil // Close does not cut a release short
	}
	var result roundResult
	select {
	case <-f.decided:
	case <-timer.C():
		result.timedOut = true
	case <-ctx.Done():
		result.context = contextError(ctx)
	case <-closing:
		result.closed = true
	}
	result.endedAt = f.locker.settings.clock.Now()
	if result.timedOut {
		for _, queue := range f.locker.queues {
			queue.bypassOverdue(result.endedAt)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.round.State() == round.Undecided {
		f.round.Expire(result.endedAt - f.start)
		if result.context == nil && !result.closed {
			for i := range f.reports {
				if f.reports[i].Outcome == OutcomePending {
					f.reports[i].Outcome, f.reports[i].Latency = OutcomeTimeout, result.endedAt-f.start
				}
			}
		}
		close(f.decided)
	} else {
		result.context, result.closed = nil, false
	}
	result.state, result.loss = f.round.State(), f.round.Loss()
	result.refuted = f.round.Refuted()
	result.reports = append([]NodeReport(nil), f.reports...)
	return result
}
