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
)

// Locker is a lock under test, as one client uses it.
type Locker interface {
	// TryLock makes one attempt.
	TryLock(ctx context.Context, resource string) (Lease, error)
	// Lock retries, as the subject does, until it has won, gives up, or ctx is done.
	Lock(ctx context.Context, resource string) (Lease, error)
}

// Lease is one successful acquisition. A lease may offer more: see [Extender],
// [Reporter], [Fenced], [Tokened] and [Renewing].
type Lease interface {
	Release(ctx context.Context) error
}

// Extender is a lease that its holder can extend, by the scenario's TTL from the call on.
type Extender interface {
	Extend(ctx context.Context) error
}

// Reporter is a lease that says until when it is valid, on the clock that the
// subject declared ([Candidate.Clock]). Without it the laboratory reads TTL from
// the start of the attempt, with nothing taken off for clocks that err; see [Started].
type Reporter interface{ Until() time.Duration }

// Started is a lease that reports no validity, but says when the attempt that
// won it began, on the client's clock (sim.Boottime for a subject that reads none). The
// laboratory counts from there. Otherwise it counts from the start of the last attempt
// of [Environment.Retry], and without that from the call of the acquisition.
type Started interface{ Started() time.Duration }

// Fenced is a lease that comes with a fencing token; 0 is none.
type Fenced interface{ Fence() uint64 }

// Tokened is a lease that shows the value that marks its keys. The error of a
// failed acquisition may show that of its last attempt.
type Tokened interface{ Token() string }

// Renewing is a lease that its subject may prolong by itself (a watchdog). The
// function is called with the new end of the validity after each such success.
type Renewing interface {
	OnRenewal(f func(until time.Duration))
}

// Environment is what a subject gets for one client: everything that it would
// take from the machine.
type Environment struct {
	Client  string
	Nodes   []string        // names, which Dial takes
	Redis   []*redis.Client // one per node, ready to use, closed by the laboratory
	Options *redis.Options  // what they were made with, for a subject that wants clients of its own (set Addr)
	Lock    plan.Lock       // TTL, timeouts, retry
	Option  func(name, otherwise string) string
	Random  io.Reader // instead of crypto/rand; not safe for concurrent use
	Logger  *slog.Logger

	process  Process
	attempts *Attempts
}

// NewEnvironment completes an environment with the process that the lock runs in, and
// with what notes its attempts.
func NewEnvironment(public Environment, process Process, noted *Attempts) Environment {
	public.process, public.attempts = process, noted
	return public
}

// Now reads one of the client's clocks.
func (e Environment) Now(kind sim.ClockKind) time.Duration { return e.process.Now(kind) }

// Reading is what the clock sim.True shows at an instant of package time, for
// subjects that read that.
func (e Environment) Reading(t time.Time) time.Duration {
	return e.process.Now(sim.True) + time.Until(t)
}

// NewTimer returns a timer on the client's monotonic clock.
func (e Environment) NewTimer(d time.Duration) Timer { return e.process.NewTimer(d) }

// Dial connects to a node, for drivers other than go-redis. The address is a name
// in e.Nodes, alone or with any port ("n1", "n1:6379"), or what e.Redis[i].Options().Addr
// says; the network is not looked at. Clients of go-redis are made of e.Options, for by
// themselves they resolve names outside the world.
func (e Environment) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, _, _ := strings.Cut(address, ":")
	if i := slices.Index(e.Nodes, name); i >= 0 {
		address = e.Redis[i].Options().Addr
	}
	return e.process.Dial(ctx, network, address)
}

// Sleep waits on the client's monotonic clock; it returns ctx's error when that ends first.
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

// Retry attempts until one succeeds, ctx is done or the scenario's number of
// tries is used up, with the scenario's random delay between two attempts: a
// [Locker.Lock] for locks that have no retries of their own. A lease that says
// neither its end nor its start is read from the start of the attempt that won.
func (e Environment) Retry(ctx context.Context, try func() (Lease, error)) (Lease, error) {
	return e.RetryAfter(ctx, e.RetryDelay, func() (Lease, error) {
		e.attempts.Begin()
		lease, err := try()
		e.attempts.Failed(err)
		return lease, err
	})
}

// Compute spends d of true time in the client's own code.
func (e Environment) Compute(d time.Duration) {
	_ = e.process.Sleep(context.Background(), d) // which ends early only with the process
}

// Draw returns 64 random bits that depend on the run's seed, the name of a stream
// and an index alone: for goroutines that race, and so must not share [Environment.Random].
func (e Environment) Draw(stream string, index uint64) uint64 {
	return sim.Random(e.process.Seed(), stream, index)
}

// OnEnd registers what to close when the run is over.
func (e Environment) OnEnd(f func()) { e.process.OnEnd(f) }

// Implementation is a subject's code beside its declaration.
type Implementation struct {
	// Clock says which clock of the client the subject reads, by its options;
	// empty is none.
	Clock func(option func(name, otherwise string) string) sim.ClockKind
	// ReleaseConfirms says that a release that returns no error claims that the lock was still owned.
	ReleaseConfirms bool
	// Guarded says, by its options, whether the subject refuses the votes of servers
	// that have not been up for the largest TTL; nil is never.
	Guarded func(option func(name, otherwise string) string) bool
	// Errors are the classes of the errors that only this subject returns.
	Errors []ErrorClass
	// Scripts are registered with every node.
	Scripts []sim.Script
	New     func(e Environment) (Locker, error)
}

// implementations are the subjects' code, by declared name.
var implementations = map[string]Implementation{}

// Register makes a lock known: what files and plans may say of it, and its code. It is
// for init functions beside that code, and panics when the name is taken.
func Register(d plan.SubjectDeclaration, i Implementation) {
	plan.DeclareSubject(d)
	implementations[d.Name] = i
}

// Of returns the code of a subject.
func Of(name string) (i Implementation, known bool) {
	i, known = implementations[name]
	return i, known
}

// Guards reports whether a subject, with its options, refuses the votes of young servers.
func Guards(s plan.Subject) bool {
	guarded := implementations[s.Name].Guarded
	return guarded != nil && guarded(s.Option)
}

// ScriptsOf are the Lua scripts of the plan's subject.
func ScriptsOf(p *plan.Plan) []sim.Script { return implementations[p.Subject.Name].Scripts }

// Guarded reports whether the subject refuses the votes of young servers.
func Guarded(p *plan.Plan) bool {
	return Guards(p.Subject)
}

// RetryAfter is Retry with delays of the caller's own, whose attempts are not noted.
func (e Environment) RetryAfter(ctx context.Context, delay func() time.Duration, try func() (Lease, error)) (Lease, error) {
	for n := 1; ; n++ {
		lease, err := try()
		if err == nil || ctx.Err() != nil || n == e.Lock.Retry.Tries {
			return lease, err
		}
		if err := e.Sleep(ctx, delay()); err != nil {
			return nil, err
		}
	}
}

// Uint64 reads 64 bits from Random.
func (e Environment) Uint64() uint64 {
	var b [8]byte
	_, _ = io.ReadFull(e.Random, b[:]) // the world's reader never fails
	return binary.BigEndian.Uint64(b[:])
}

// RetryDelay draws a delay between two attempts from the scenario's range.
func (e Environment) RetryDelay() time.Duration {
	return sim.Between(e.Uint64(), e.Lock.Retry.Delay.Low, e.Lock.Retry.Delay.High)
}

// NodeContext ends after the time that one node may take, and not with ctx: what was
// sent for a caller that has given up must not be lost.
func (e Environment) NodeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), e.Lock.NodeTimeout)
}

// ClockOf is the clock that a subject reads with its options; empty is none.
func ClockOf(subject plan.Subject) sim.ClockKind {
	if clock := implementations[subject.Name].Clock; clock != nil {
		return clock(subject.Option)
	}
	return ""
}
