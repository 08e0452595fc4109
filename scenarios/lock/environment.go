package lock

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// Environment is what a subject gets for one lock of a client: everything that a lock in
// production takes from its machine. The locks of one process share all but Random.
type Environment struct {
	Client  string
	Token   string          // what the lock must write into its keys (Abilities.Tokens); empty: tokens of its own
	Nodes   []string        // names, for Dial
	Redis   []*redis.Client // one per node, ready to use; the laboratory closes them
	Options *redis.Options  // of these clients, for a subject that makes its own (set Addr)
	Lock    plan.Lock       // TTL, timeouts, retry
	Option  func(name, otherwise string) string
	Random  io.Reader // instead of crypto/rand; not safe for concurrent use
	Logger  *slog.Logger

	process  Process
	attempts *Attempts
}

// NewEnvironment returns the environment with the process that the lock runs in, and with
// the notes of its attempts.
func NewEnvironment(e Environment, process Process, attempts *Attempts) Environment {
	e.process, e.attempts = process, attempts
	return e
}

// Now reads one of the client's clocks.
func (e Environment) Now(kind sim.ClockKind) time.Duration { return e.process.Now(kind) }

// Date returns the time of day that the client's wall clock shows, for locks that write it
// (PXAT, timestamps as values). When a run begins, the wall clocks of nodes and clients are
// ahead of time.Now by less than e.Lock.WallError: assumption A-WALL.
func (e Environment) Date() time.Time {
	return time.Now().Add(e.process.Now(sim.Wall) - e.process.Now(sim.True))
}

// Reading returns what the clock sim.True shows at an instant of package time, for
// subjects that use package time.
func (e Environment) Reading(t time.Time) time.Duration {
	return e.process.Now(sim.True) + time.Until(t)
}

// NewTimer returns a timer on the client's monotonic clock.
func (e Environment) NewTimer(d time.Duration) Timer { return e.process.NewTimer(d) }

// Dial connects to a node, for drivers other than go-redis. A connect whose message is lost waits
// until the context ends, so give it a deadline. The address is a name in
// e.Nodes, with any port or without one ("n1", "n1:6379"), or e.Redis[i].Options().Addr.
// The network is ignored. An address that a name was resolved to is as good as the name.
func (e Environment) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, _, _ := strings.Cut(address, ":")
	name = nodeOf(name)
	if i := slices.Index(e.Nodes, name); i >= 0 {
		address = e.Redis[i].Options().Addr
	}
	return e.process.Dial(ctx, network, address)
}

// Sleep waits on the client's monotonic clock. It returns ctx's error if ctx ends first.
func (e Environment) Sleep(ctx context.Context, d time.Duration) error {
	timer := e.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Retry calls try until it succeeds, ctx is done or the scenario's number of tries is
// used up. Between two attempts it waits for a random delay from the scenario's range.
// It is [Locker.Lock] for locks without retries of their own. A lease that reports
// neither its end nor its start is taken to start with the attempt that succeeded.
func (e Environment) Retry(ctx context.Context, try func() (Lease, error)) (Lease, error) {
	return e.RetryAfter(ctx, e.RetryDelay, try)
}

// RetryAfter is [Environment.Retry] with the caller's own delays.
func (e Environment) RetryAfter(
	ctx context.Context, delay func() time.Duration, try func() (Lease, error),
) (Lease, error) {
	for n := 1; ; n++ {
		e.attempts.Begin()
		lease, err := try()
		e.attempts.End(err)
		if err == nil || ctx.Err() != nil || n == e.Lock.Retry.Tries {
			return lease, err
		}
		if err := e.Sleep(ctx, delay()); err != nil {
			return nil, err
		}
	}
}

// Compute takes d of true time, as the client's own code would.
func (e Environment) Compute(d time.Duration) {
	_ = e.process.Sleep(context.Background(), d) // it ends early only with the process
}

// Draw returns 64 random bits that depend only on the run's seed, the name of a stream and
// an index. It is for goroutines that race, which must not share [Environment.Random].
func (e Environment) Draw(stream string, index uint64) uint64 {
	return random.Value(e.process.Seed(), stream, index)
}

// OnEnd registers what to close when the run is over.
func (e Environment) OnEnd(f func()) { e.process.OnEnd(f) }

// Uint64 reads 64 bits from Random.
func (e Environment) Uint64() uint64 {
	var b [8]byte
	_, _ = io.ReadFull(e.Random, b[:]) // the world's reader never fails
	return binary.BigEndian.Uint64(b[:])
}

// RetryDelay draws a delay between two attempts from the scenario's range.
func (e Environment) RetryDelay() time.Duration {
	return random.Between(e.Uint64(), e.Lock.Retry.Delay.Low, e.Lock.Retry.Delay.High)
}

// NodeContext returns a context that ends after the scenario's timeout of one node. It does
// not end with ctx: a clean-up for a caller that has given up must still be sent.
func (e Environment) NodeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), e.Lock.NodeTimeout)
}
