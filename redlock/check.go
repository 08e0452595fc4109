package redlock

import (
	"context"
	"time"

	"redlocklab/redlock/round"
)

// checkTimeout is how long Check waits without WithNodeTimeout: enough to dial.
const checkTimeout = 2 * time.Second

// Open is New and then Check, of which only a wrong configuration is an error:
// ErrSameServer. Nodes that do not answer now are checked at their first contact.
func Open(ctx context.Context, nodes []Node, options ...Option) (*Locker, error) {
	l, err := New(nodes, options...)
	if err != nil {
		return nil, err
	}
	_ = l.Check(ctx)
	if clash := l.registry.verdict(); clash != nil {
		_ = l.Close()
		return nil, clash
	}
	if ctx.Err() != nil {
		_ = l.Close()
		return nil, contextError(ctx)
	}
	return l, nil
}

// Check asks every node whether it answers and which server it is, and waits for
// all of them, up to the per-node timeout. It returns nil when all answered and
// are different servers, otherwise a *RoundError with ErrSameServer or
// ErrNoQuorum (or ErrClosed, or the context's error) and what each node said;
// ErrNoQuorum here means that at least one node did not answer. Servers that do
// not tell their run id, as INFO is forbidden or missing there, cannot be told
// apart (claim BA-9).
func (l *Locker) Check(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer l.finish()
	timeout := checkTimeout
	if l.settings.nodeTimeout > 0 {
		timeout = l.settings.nodeTimeout
	}
	// A round decides at the quorum; to hear every node, each gets its own.
	t := newTenure(nil, "", len(l.lanes))
	start := l.settings.clock.Now()
	flights := make([]*flight, len(l.lanes))
	for i, lane := range l.lanes {
		f := l.newFlight(t, command{operation: OperationCheck}, start, round.NoLimit, timeout)
		f.count = round.New(1, round.NoLimit)
		f.calls = f.calls[i : i+1]
		f.calls[0].node = 0
		f.outcomes = f.outcomes[i : i+1]
		flights[i] = f
		if !lane.send(&f.calls[0], start, start+timeout) {
			f.answer(0, OutcomeTransport, errQueueFull, start)
		}
	}
	var whole result
	outcomes := make([]NodeOutcome, 0, len(flights))
	for _, f := range flights {
		end := f.wait(ctx, max(0, start+timeout-l.settings.clock.Now()))
		f.abandoned.Store(true)
		if end.state != round.Granted {
			whole.state, whole.closed = round.Lost, whole.closed || end.closed
			if whole.context == nil {
				whole.context = end.context
			}
		}
		outcomes = append(outcomes, end.outcomes...)
	}
	clash := l.registry.verdict()
	if whole.state != round.Lost && clash == nil {
		return nil
	}
	whole.outcomes = outcomes
	return flights[0].failure(whole)
}
