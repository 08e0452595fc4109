package redlock

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock/round"
)

// Locker locks resources on a fixed set of nodes. Make one per set of nodes and share it.
// It is safe for concurrent use, and concurrent calls share round trips.
type Locker struct {
	settings settings
	queues   []*nodeQueue

	lines     lines
	servers   serverRegistry
	clustered bool // a node is backed by Cluster

	commandContext context.Context // of all commands; outlives every caller's context
	cancelCommands context.CancelFunc
	closing        chan struct{}
	closed         atomic.Bool
	activeCalls    atomic.Int64  // calls under way
	allLeft        chan struct{} // closed when the last call left after Close began
	allLeftOnce    sync.Once
	ended          chan struct{} // closed when Close has done its work
}

// New returns a [Locker] over 1 to 64 nodes. It sends nothing. It fails with
// [ErrInvalidArgument] if there are too few or too many nodes, a node has no name or a
// client that cannot vote (see [Node]), a name or a client is given twice, or an option is
// out of bounds.
//
// The Locker finds two nodes that are one server when both have answered; [Open] finds
// them at the start. A server tells its run id with its first vote, and the second vote of
// one server does not count (claim BA-9).
func New(nodes []Node, options ...Option) (*Locker, error) {
	if len(nodes) == 0 || len(nodes) > round.MaximumNodes {
		return nil, invalid("%d nodes; want 1 to %d", len(nodes), round.MaximumNodes)
	}
	l := &Locker{
		settings: defaultSettings(),
		closing:  make(chan struct{}), allLeft: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := applyAll(options, func(o Option) error { return o.applyToLocker(&l.settings) }); err != nil {
		return nil, err
	}
	for i, node := range nodes {
		if node.Name == "" {
			return nil, invalid("node %d has no name", i)
		}
		if err := node.check(); err != nil {
			return nil, err
		}
		_, single := node.Client.(*redis.Client)
		if l.settings.guardTTL > 0 && !single {
			return nil, invalid("node %q: WithRestartGuard cannot tell the servers of a %T apart; want a *redis.Client",
				node.Name, node.Client)
		}
		for _, earlier := range nodes[:i] {
			if earlier.Name == node.Name || earlier.Client == node.Client {
				return nil, invalid("node %q is given twice", node.Name)
			}
		}
		l.clustered = l.clustered || !single
		l.queues = append(l.queues, &nodeQueue{
			locker: l, index: i, node: node, rawReplies: readsRaw(node.Client), single: single,
		})
	}
	if ttl := l.settings.defaultTTL; ttl > 0 {
		if _, err := l.checkTTL(ttl); err != nil {
			return nil, err
		}
	}
	l.servers.runIDs = make([]string, len(nodes))
	l.commandContext, l.cancelCommands = context.WithCancel(context.Background())
	return l, nil
}

// Quorum returns how many nodes must vote for a lock: the smallest majority (claim MX-7).
func (l *Locker) Quorum() int { return round.Quorum(len(l.queues)) }

// Allowance returns how much the validity of a lock is shorter than its time to live, to
// cover clock errors; see [WithClockRateBound].
func (l *Locker) Allowance(ttl time.Duration) time.Duration { return l.settings.allowance(ttl) }

// Close refuses new calls and ends waiting ones with [ErrClosed]. It waits for pending
// releases up to one per-node timeout (250 ms without [WithNodeTimeout]), and then ends
// the Locker's goroutines. It returns [ErrReleasesDropped] if releases were not sent, or
// calls had not returned. Closing again waits for the first Close, and returns nil.
//
// The contexts of leases end with ErrClosed, and no lease is valid any more. Close waits, within
// the same time, for work of [Locker.Do] that returns then, and releases what Do holds, but no
// other leases: nothing can release or extend those, and their keys expire after their time to
// live. So release them before. A
// goroutine that waits for a server ends when go-redis times out or its client is closed,
// so close the clients after the Locker.
func (l *Locker) Close() error {
	if l.closed.Swap(true) {
		<-l.ended
		return nil
	}
	defer close(l.ended)
	close(l.closing)
	timer := l.settings.clock.NewTimer(l.settings.closeTimeout())
	defer timer.Stop()
	for _, queue := range l.queues {
		queue.repay(l.settings.clock.Now())
	}
	l.activeCalls.Add(1)
	l.leave()
	// The calls leave first, and submit their releases. Then the queues come to rest.
	left := await(l.allLeft, timer)
	if left {
		for _, queue := range l.queues {
			if !await(queue.drain(), timer) {
				break
			}
		}
	}
	now := l.settings.clock.Now()
	dropped := 0
	for _, queue := range l.queues {
		dropped += queue.close(now)
	}
	l.cancelCommands()
	if dropped > 0 || !left {
		return ErrReleasesDropped
	}
	return nil
}

func await(done <-chan struct{}, timer Timer) bool {
	select {
	case <-done:
		return true
	case <-timer.C():
		return false
	}
}

// enter counts a call in; leave must follow. It fails if the context has ended or the Locker
// is closed.
func (l *Locker) enter(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	l.activeCalls.Add(1)
	if l.closed.Load() {
		l.leave()
		return ErrClosed
	}
	return nil
}

// orBackground returns the context, or the background context in place of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

func (l *Locker) leave() {
	if l.activeCalls.Add(-1) == 0 && l.closed.Load() {
		l.allLeftOnce.Do(func() { close(l.allLeft) })
	}
}

func (s *settings) closeTimeout() time.Duration { return cmp.Or(s.nodeTimeout, 250*time.Millisecond) }
