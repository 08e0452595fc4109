package redlock

import (
	"cmp"
	"context"
	"time"

	"redlocklab/redlock/round"
)

// checkTimeout is how long Check and Holder wait for each node.
func (s *settings) checkTimeout() time.Duration { return cmp.Or(s.nodeTimeout, 2*time.Second) }

// Open calls [New] and then [Locker.Check]. It does not fail because nodes are down:
// they are checked when they first answer. It fails with Check's error if so many nodes refuse
// for good that the others are no quorum. Its other errors are those of New, [ErrSameServer]
// and the context's.
func Open(ctx context.Context, nodes []Node, options ...Option) (*Locker, error) {
	l, err := New(nodes, options...)
	if err != nil {
		return nil, err
	}
	if err = l.Check(ctx); !l.refused(err) {
		err = contextError(orBackground(ctx))
	}
	if err = cmp.Or(l.servers.clashError(), err); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// Check asks every node for the run id of its server, and runs there, with a key of its own that
// it removes again, each command that the Locker needs. It waits for all nodes, up to the per-node
// timeout (2 s without [WithNodeTimeout]). It returns nil if each node could vote and no two are
// one server. Servers that refuse INFO cannot be told apart (claim BA-9); with [WithRestartGuard]
// they do not pass.
//
// The key begins with the prefix of [WithKeyPrefix], and goes on with "redlock-check:" and a
// token. Without a prefix, a user who may not use that key passes: other keys may be permitted.
//
// Otherwise Check returns a [*RoundError] with the answer of each node. Its reason is
// [ErrSameServer], [ErrClosed], the context's error, or [ErrNoQuorum]. Here ErrNoQuorum means
// that at least one node did not answer, or refused (NOAUTH, NOPERM, LOADING, READONLY, OOM). A
// call on a closed Locker or with an ended context returns the bare error.
func (l *Locker) Check(ctx context.Context) error {
	ctx = orBackground(ctx)
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	token, err := newToken(l.settings.random)
	if err != nil {
		return err
	}
	prefix := l.settings.keyPrefix
	c := command{
		operation: OperationCheck, keys: []string{prefix + "redlock-check:" + token}, token: token,
		ttl: time.Second, anyKey: prefix == "",
	}
	if l.settings.lockDefaults.fencing {
		c.keys = append(c.keys, FenceKey(c.keys[0]))
	}
	_, combined := l.askEach(ctx, nil, c)
	if combined.state == round.Granted && l.servers.clashError() == nil {
		return nil
	}
	return &RoundError{Operation: c.operation, Reason: l.reasonOf(combined), Nodes: combined.reports}
}
