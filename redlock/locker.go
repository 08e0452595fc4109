package redlock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock/round"
)

// Locker locks resources on a fixed set of nodes. Make one per set and share it:
// it is safe for concurrent use, and concurrent calls share round trips.
type Locker struct {
	settings settings
	lanes    []*lane

	registry registry
	clashed  atomic.Bool // two nodes are one server: nothing may be locked

	lifetime context.Context // of the commands: outlives every caller's context
	end      context.CancelFunc
	closing  chan struct{}
	closed   atomic.Bool
	calls    atomic.Int64  // callers inside a round
	noCalls  chan struct{} // closed when the last of them left after Close began
	lastCall sync.Once
}

// New returns a Locker over nodes, of which a majority must agree on everything.
// It sends nothing. It fails with ErrInvalidArgument for no nodes, more than 64,
// a node without a client, names that are empty or not unique, one client given
// twice, or an option out of its bounds.
//
// Two nodes that are one server are found at the first contact (Open: at the
// start). A server tells its run id together with its first vote, and the second
// vote of one server does not count: what may be granted before both addresses
// have answered rests on a majority of different servers, and costs no safety.
// From then on every call fails with ErrSameServer.
func New(nodes []Node, options ...Option) (*Locker, error) {
	if len(nodes) == 0 || len(nodes) > round.MaximumNodes {
		return nil, invalid("%d nodes; want 1 to %d", len(nodes), round.MaximumNodes)
	}
	l := &Locker{settings: defaultSettings(), closing: make(chan struct{}), noCalls: make(chan struct{})}
	for _, option := range options {
		if option == nil {
			return nil, invalid("option is nil")
		}
		if err := option.applyToLocker(&l.settings); err != nil {
			return nil, err
		}
	}
	l.lifetime, l.end = context.WithCancel(context.Background())
	for i, node := range nodes {
		if node.Name == "" || node.Client == nil {
			l.end()
			return nil, invalid("node %d has no name or no client", i)
		}
		for _, earlier := range nodes[:i] {
			if earlier.Name == node.Name || earlier.Client == node.Client {
				l.end()
				return nil, invalid("node %q is given twice", node.Name)
			}
		}
		if err := l.addLane(node); err != nil {
			l.end()
			return nil, err
		}
	}
	l.registry.runIDs = make([]string, len(nodes))
	return l, nil
}

// addLane prepares what carries commands to a node.
func (l *Locker) addLane(node Node) error {
	_, single := node.Client.(*redis.Client)
	_, piped := node.Client.(*redis.AutoPipeliner)
	fresh := &lane{
		locker:  l,
		index:   len(l.lanes),
		node:    node,
		raw:     readsRaw(node.Client),
		keeper:  keeper(node.Client, l.settings.mostCarriers()),
		sameWay: single,
		tells:   single || piped,
	}
	if l.settings.guardTTL > 0 {
		if !fresh.tells {
			return invalid("node %q: the restart guard cannot see the connections of a %T", node.Name, node.Client)
		}
		node.Client.AddHook(dialCounter{witness: &fresh.witness})
	}
	l.lanes = append(l.lanes, fresh)
	return nil
}

// Nodes returns the nodes' names in the order given to New.
func (l *Locker) Nodes() []string {
	names := make([]string, len(l.lanes))
	for i, lane := range l.lanes {
		names[i] = lane.node.Name
	}
	return names
}

// Quorum is the number of nodes that must agree.
func (l *Locker) Quorum() int { return round.Quorum(len(l.lanes)) }

// Allowance is what is taken off the validity of a lock with this time to live
// for clock errors; see WithClockRateBound.
func (l *Locker) Allowance(ttl time.Duration) time.Duration { return l.settings.allowance(ttl) }

// Close refuses new calls, ends waiting ones with ErrClosed, gives releases that
// are still on their way up to one per-node timeout, and ends every goroutine of
// the Locker. Leases are not released; their contexts end with ErrClosed. A
// goroutine that waits for a server that does not answer ends when go-redis'
// time limits do or its client is closed: close the clients after the Locker. It
// returns ErrReleasesDropped when releases could not be sent. Closing again does
// nothing.
func (l *Locker) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	close(l.closing)
	timer := l.settings.clock.NewTimer(l.settings.closeTimeout())
	defer timer.Stop()
	l.calls.Add(1)
	l.finish()
	// First the callers leave, which hands over their releases; then the lanes
	// come to rest.
	if await(l.noCalls, timer) {
		for _, lane := range l.lanes {
			if !await(lane.drain(), timer) {
				break
			}
		}
	}
	dropped := 0
	for _, lane := range l.lanes {
		dropped += lane.close()
	}
	l.end()
	if dropped > 0 {
		return ErrReleasesDropped
	}
	return nil
}

// await reports whether a channel closed before the timer fired.
func await(done <-chan struct{}, timer Timer) bool {
	select {
	case <-done:
		return true
	case <-timer.C():
		return false
	}
}

// begin counts a caller in, or says why no call may start now.
func (l *Locker) begin(ctx context.Context) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	l.calls.Add(1)
	switch {
	case l.closed.Load():
		l.finish()
		return ErrClosed
	case l.clashed.Load():
		l.finish()
		return l.registry.verdict()
	default:
		return nil
	}
}

// finish counts a caller out.
func (l *Locker) finish() {
	if l.calls.Add(-1) == 0 && l.closed.Load() {
		l.lastCall.Do(func() { close(l.noCalls) })
	}
}

// closeTimeout is how long Close waits for releases.
func (s *settings) closeTimeout() time.Duration {
	if s.nodeTimeout > 0 {
		return s.nodeTimeout
	}
	return 250 * time.Millisecond
}
