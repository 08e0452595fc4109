package redlock

import (
	"cmp"
	"context"
	"time"

	"redlocklab/redlock/round"
)

// checkTimeout is how long Check waits when WithNodeTimeout is not given.
const checkTimeout = 2 * time.Second

// Open calls [New] and then [Locker.Check]. It does not fail because nodes are down:
// they are checked when they first answer. Its errors are those of New, [ErrSameServer]
// and the context's.
func Open(ctx context.Context, nodes []Node, options ...Option) (*Locker, error) {
	l, err := New(nodes, options...)
	if err != nil {
		return nil, err
	}
	_ = l.Check(ctx)
	if clash := l.servers.clashError(); clash != nil {
		_ = l.Close()
		return nil, clash
	}
	if err := contextError(orBackground(ctx)); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// Check asks every node for an answer and for the run id of its server. It waits for
// all nodes, up to the per-node timeout (2 s without [WithNodeTimeout]), and returns nil
// if all answered and no two are one server. Servers that refuse INFO cannot be told
// apart (claim BA-9).
//
// Otherwise it returns a [*RoundError] with the answer of each node. Its reason is
// [ErrSameServer], [ErrClosed], the context's error, or [ErrNoQuorum]. Here ErrNoQuorum means
// that at least one node did not answer, or refused (NOAUTH, LOADING). A read-only replica
// passes. A call on a closed Locker or with an ended context returns the bare error.
func (l *Locker) Check(ctx context.Context) error {
	ctx = orBackground(ctx)
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	timeout := cmp.Or(l.settings.nodeTimeout, checkTimeout)
	// A round ends at the quorum. To hear from every node, each node gets a round of
	// its own.
	state := newTokenState(nil, nil, "", len(l.queues))
	start := l.settings.clock.Now()
	fanouts := make([]*fanout, len(l.queues))
	for i, queue := range l.queues {
		f := l.newFanout(ctx, state, command{operation: OperationCheck}, start, round.NoLimit, timeout)
		f.round = round.New(1, round.NoLimit)
		f.requests = f.requests[i : i+1]
		f.requests[0].node = 0
		f.reports = f.reports[i : i+1]
		fanouts[i] = f
		if err := queue.submit(&f.requests[0], start); err != nil {
			f.recordAnswer(0, OutcomeTransport, err, start)
		}
	}
	var combined roundResult
	outcomes := make([]NodeReport, 0, len(fanouts))
	for _, f := range fanouts {
		result := f.wait(ctx, start+timeout-l.settings.clock.Now())
		if result.state != round.Granted {
			combined.state, combined.ended = round.Lost, cmp.Or(combined.ended, result.ended)
		}
		outcomes = append(outcomes, result.reports...)
	}
	if combined.state != round.Lost && l.servers.clashError() == nil {
		return nil
	}
	combined.reports = outcomes
	return fanouts[0].roundError(combined)
}
