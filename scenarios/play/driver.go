package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

func (r *Referee) newClient(w *sim.World, own plan.Client) (*client, error) {
	p := w.Process(own.Name)
	var addresses []string
	for _, n := range w.Nodes() {
		if r.uses(n.Name) {
			addresses = append(addresses, n.Address)
		}
	}
	c := newClient(r.plan, own, simulated{p, r}, r.subject, addresses)
	c.whenReads = p.Clock(c.clockKind()).WhenReads
	if r.subject.Dials {
		return c, nil
	}
	return c, c.open()
}

// driverSettings are go-redis' timeouts, and how often it sends a command again, at once;
// -1: never. The timeouts are long against the subject's per-node timeout. They all
// differ, so that no two deadlines fall on one instant.
func driverSettings(p *plan.Plan) (timeouts sim.Timeouts, retries int) {
	node := p.Lock.NodeTimeout
	timeouts = sim.Timeouts{
		Dial:  3*node + 101*time.Microsecond,
		Read:  3*node + 203*time.Microsecond,
		Write: 3*node + 307*time.Microsecond,
	}
	if p.Subject.Option("driver", "plain") == "plain" {
		return timeouts, -1
	}
	timeouts.Read = node/5 + 203*time.Microsecond
	return timeouts, 3
}

// newClient makes a client in a process, which reaches the plan's first nodes at these
// addresses. Its lock gets those of them that the client may use; [client.open] makes it.
func newClient(
	p *plan.Plan, own plan.Client, process Process, subject lock.Implementation, addresses []string,
) *client {
	own.Lockers = max(own.Lockers, 1)
	timeouts, retries := driverSettings(p)
	environment := lock.Environment{
		Client: own.Name, Token: own.Token, Lock: p.Lock, Option: p.Subject.Option,
		Logger: slog.New(slog.DiscardHandler),
	}
	for i, address := range addresses {
		name := p.World.Nodes[i].Name
		if len(own.Nodes) > 0 && !slices.Contains(own.Nodes, name) {
			continue
		}
		o := sim.DriverOptions(address, process.Dial, timeouts)
		o.MaxRetries, o.Protocol = retries, cmp.Or(p.Lock.RESP, o.Protocol)
		if p.Lock.Pool > 0 {
			// One pool for commands and pipelines. Whoever waits for a connection does so for
			// as long as go-redis lets them by default.
			o.PoolSize, o.PipelinePoolSize, o.PoolTimeout = p.Lock.Pool, -1, o.ReadTimeout+time.Second
			o.Dialer = withoutBreaker(o.Dialer)
		}
		environment.Nodes, environment.Options = append(environment.Nodes, name), o
		environment.Redis = append(environment.Redis, redis.NewClient(o))
	}
	c := &client{plan: p, own: own, process: process, classes: subject.Errors, held: map[string]*lease{}}
	if subject.Clock != nil {
		c.clock = subject.Clock(p.Subject.Option)
	}
	c.attempts = lock.NewAttempts(c.read)
	var randoms []io.Reader // of the lockers
	for i := range own.Lockers {
		stream := "random/" + own.Name
		if i > 0 {
			stream = fmt.Sprintf("%s/%d", stream, i+1)
		}
		randoms = append(randoms, random.NewReader(p.Seed, stream))
	}
	c.open = func() error {
		for len(c.lockers) < own.Lockers {
			environment.Random = randoms[len(c.lockers)]
			locker, err := subject.New(lock.NewEnvironment(environment, process, c.attempts))
			if err != nil {
				return err
			}
			c.lockers = append(c.lockers, locker)
		}
		for _, each := range environment.Redis {
			process.OnEnd(func() { _ = each.Close() })
		}
		return nil
	}
	return c
}

// reopenAfter is how long a client waits before it makes its lock again, because a node
// could not be reached.
const reopenAfter = 100 * time.Millisecond

// opened makes the client's locks. A lock may dial when it is made, as many drivers do. If
// that fails after some time, a fault may be the reason, and the client tries again. It
// reports whether there are locks; c.broken says why not, unless ctx has ended.
func (c *client) opened(ctx context.Context) bool {
	for len(c.lockers) < c.own.Lockers {
		begun := c.process.TrueTime()
		err := c.open()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return false
		case c.process.TrueTime() == begun:
			c.broken = fmt.Errorf("client %s: New: %w", c.own.Name, err)
			return false
		default:
			c.attempts.End(fmt.Errorf("New: %w", err))
			if c.process.Sleep(ctx, reopenAfter) != nil {
				return false
			}
		}
	}
	return true
}

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// withoutBreaker hides failed dials from go-redis' pool until it uses the connection. The pool
// counts them: after as many in a row as it has connections, everybody who waits for one fails
// at one instant, and the pool dials once a second by itself. What of this came first would be
// left to chance. So everybody dials instead, one after another, as with a larger pool.
func withoutBreaker(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err != nil {
			return failedDial{inFirstUse{err}}, nil
		}
		return connection, nil
	}
}

// failedDial is a connection that was never made: whatever is done with it has the error of
// the dial. A pool that finds it among its idle ones takes it for broken.
type failedDial struct{ err error }

func (f failedDial) Read([]byte) (int, error)              { return 0, f.err }
func (f failedDial) Write([]byte) (int, error)             { return 0, f.err }
func (f failedDial) SyscallConn() (syscall.RawConn, error) { return nil, f.err }
func (failedDial) Close() error                            { return nil }
func (failedDial) LocalAddr() net.Addr                     { return &net.TCPAddr{} }
func (failedDial) RemoteAddr() net.Addr                    { return &net.TCPAddr{} }
func (failedDial) SetDeadline(time.Time) error             { return nil }
func (failedDial) SetReadDeadline(time.Time) error         { return nil }
func (failedDial) SetWriteDeadline(time.Time) error        { return nil }

// inFirstUse wraps the error of a dial, because go-redis unwraps that of a connection's first
// use. So its user gets the error of the dial.
type inFirstUse struct{ error }

func (e inFirstUse) Unwrap() error { return e.error }
