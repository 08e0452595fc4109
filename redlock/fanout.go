package redlock

import (
	"context"
	"slices"
	"sync"
	"time"

	"redlocklab/redlock/round"
)

// fanout is one round under way: one command to every node, and what they answered.
// Senders record the answers; the caller waits only for the decision.
type fanout struct {
	locker     *Locker
	context    driverContext
	tokenState *tokenState
	command    command
	start      time.Duration // just before the first send, on the Clock
	timeout    time.Duration // per node, from start
	deadline   time.Duration // on the Clock; nothing is sent from then on. noDeadline: none
	requests   []request     // one per node

	encoded [formCount]struct { // the words of the command in each form
		once  sync.Once
		words []any
	}
	abandoned moment // no caller waits any more: what was not sent need not be

	mu       sync.Mutex
	round    round.Round
	reports  []NodeReport
	counter  int64         // the highest that a granting node returned
	decided  chan struct{} // closed when the round is decided
	restores bool          // a granted extension: nodes that lost the key get it back
}

// driverContext gives the driver the values of the caller's context, so that traces keep
// their parent. It ends only with the Locker.
type driverContext struct {
	context.Context
	values context.Context
}

// Value returns the caller's value.
func (c *driverContext) Value(key any) any { return c.values.Value(key) }

// newFanout prepares a round whose votes count while less than limit has passed since
// start. It sends nothing.
func (l *Locker) newFanout(
	ctx context.Context, state *tokenState, c command, start, limit, timeout time.Duration,
) *fanout {
	f := &fanout{
		locker:     l,
		context:    driverContext{l.commandContext, ctx},
		tokenState: state,
		command:    c,
		start:      start,
		timeout:    timeout,
		deadline:   noDeadline,
		requests:   make([]request, len(l.queues)),
		round:      round.New(len(l.queues), limit),
		reports:    make([]NodeReport, len(l.queues)),
		decided:    make(chan struct{}),
	}
	if limit != round.NoLimit {
		f.deadline = start + limit
	}
	for i := range f.requests {
		f.requests[i].fanout, f.requests[i].node = f, i
		f.reports[i].Node = l.queues[i].node.Name
	}
	return f
}

// sendAll submits the command to every node, in the caller's goroutine and in the order
// of the nodes. It leaves out nodes with an open circuit, unless the others cannot make
// a quorum.
func (f *fanout) sendAll() {
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
	for i := range queues {
		if skipped[i] {
			f.recordAnswer(i, OutcomeCircuitOpen, nil, f.start)
		} else {
			f.sendTo(i, f.start)
		}
	}
}

// sendTo submits the command to one node. A node that does not take a release is owed one.
func (f *fanout) sendTo(node int, now time.Duration) {
	queue := f.locker.queues[node]
	err := queue.submit(&f.requests[node], now)
	if err == nil {
		return
	}
	f.recordAnswer(node, OutcomeTransport, err, now)
	if f.command.operation == OperationRelease && f.tokenState.releaseRefused(node, f) {
		queue.oweRelease(f.tokenState)
	}
}

// arguments returns the command's words in a form, built once for all nodes.
func (f *fanout) arguments(form form) []any {
	cached := &f.encoded[form]
	cached.once.Do(func() { cached.words = f.command.arguments(form) })
	return cached.words
}

// recordAnswer records the outcome of a node in its report and as a vote. It reports whether
// the node has lost the key and must get it back.
func (f *fanout) recordAnswer(node int, outcome NodeOutcome, cause error, now time.Duration) (restore bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if outcome == OutcomeGranted && f.command.returnsCounter() {
		f.counter = max(f.counter, f.requests[node].reply.integer)
	}
	report := &f.reports[node]
	report.Outcome, report.Latency, report.Cause = outcome, now-f.start, cause
	undecided := f.round.State() == round.Undecided
	state := f.round.Add(node, voteOf(f.command.operation, outcome), now-f.start)
	if undecided && state != round.Undecided {
		close(f.decided)
	}
	return f.restores && outcome == OutcomeMissing
}

// restore makes nodes that have lost the key get it back, now that a majority has
// extended it. It returns the nodes that have answered so already; recordAnswer reports the
// others.
func (f *fanout) restore() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.restores = true
	var nodes []int
	for i, report := range f.reports {
		if report.Outcome == OutcomeMissing {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

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

// roundResult is the result of a round when its caller stops waiting.
type roundResult struct {
	state   round.State
	loss    round.Loss
	refuted bool          // the votes against alone rule out a quorum
	endedAt time.Duration // when the waiting ended, on the Clock
	reports []NodeReport  // a copy that late answers do not change
	counter int64         // the highest fencing counter that a granting node returned
	ended   error         // the context's cause or ErrClosed, if it ended the waiting
}

// wait waits for the decision, the timeout, the end of the context or the closing of the
// Locker, whichever is first. Afterwards the round is decided.
func (f *fanout) wait(ctx context.Context, timeout time.Duration) roundResult {
	timer := f.locker.settings.clock.NewTimer(max(timeout, 1))
	defer timer.Stop()
	closing := f.locker.closing
	if f.command.operation == OperationRelease {
		closing = nil // Close does not cut a release short
	}
	var result roundResult
	timedOut := false
	select {
	case <-f.decided:
	case <-timer.C():
		timedOut = true
	case <-ctx.Done():
		result.ended = contextError(ctx)
	case <-closing:
		result.ended = ErrClosed
	}
	result.endedAt = f.locker.settings.clock.Now()
	f.conclude(&result, timedOut)
	if timedOut {
		for _, queue := range f.locker.queues {
			queue.bypassOverdue(result.endedAt)
		}
	}
	return result
}

// conclude decides the round, and abandons it if it was not granted. That comes before
// other requests overtake overdue ones: a sender must not race with its caller for whether
// a request of this round still goes out.
func (f *fanout) conclude(result *roundResult, timedOut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.round.State() == round.Undecided {
		f.round.Expire(result.endedAt - f.start)
		if timedOut {
			for i := range f.reports {
				if f.reports[i].Outcome == OutcomePending {
					f.reports[i].Outcome, f.reports[i].Latency = OutcomeTimeout, result.endedAt-f.start
				}
			}
		}
		close(f.decided)
	} else {
		result.ended = nil
	}
	result.state, result.loss, result.refuted = f.round.State(), f.round.Loss(), f.round.Refuted()
	result.reports, result.counter = slices.Clone(f.reports), f.counter
	if result.state != round.Granted {
		f.abandoned.set(result.endedAt)
	}
}
