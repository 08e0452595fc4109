package play

import (
	"log/slog"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// driverTimeouts are the driver's own: generous against the subject's per-node
// timeout, and all different, so that no two deadlines fall on one instant.
func driverTimeouts(node time.Duration) sim.Timeouts {
	return sim.Timeouts{
		Dial:  3*node + 101*time.Microsecond,
		Read:  3*node + 203*time.Microsecond,
		Write: 3*node + 307*time.Microsecond,
	}
}

func (r *run) newClient(w *sim.World, own plan.Client) (*client, error) {
	p := w.Process(own.Name)
	var addresses []string
	for _, n := range w.Nodes() {
		if r.uses(n.Name) {
			addresses = append(addresses, n.Address)
		}
	}
	c, err := newClient(r.plan, own, simulated{p, r}, r.subject, addresses)
	if err != nil {
		return nil, err
	}
	c.whenReads = p.Clock(c.clockKind()).WhenReads
	return c, nil
}

// driverSettings are the timeouts of the plan's driver, and how often it sends
// again by itself: at once, as its backoffs are off; -1 is never.
func driverSettings(p *plan.Plan) (timeouts sim.Timeouts, retries int) {
	timeouts, retries = driverTimeouts(p.Lock.NodeTimeout), -1
	if p.Subject.Option("driver", "plain") != "plain" {
		timeouts.Read, retries = p.Lock.NodeTimeout/5+203*time.Microsecond, 3
	}
	return timeouts, retries
}

// newClient makes a client and its lock in a process, which reaches the plan's first
// nodes at these addresses. The lock gets those of them that the client may use.
func newClient(whole *plan.Plan, p plan.Client, process Process, subject lock.Implementation, addresses []string) (*client, error) {
	timeouts, retries := driverSettings(whole)
	var nodes []string
	var options []*redis.Options
	for i, address := range addresses {
		name := whole.World.Nodes[i].Name
		if len(p.Nodes) > 0 && !slices.Contains(p.Nodes, name) {
			continue
		}
		o := sim.DriverOptions(address, process.Dial, timeouts)
		o.MaxRetries = retries
		nodes, options = append(nodes, name), append(options, o)
	}
	c := &client{whole: whole, plan: p, process: process, classes: subject.Errors, held: map[string]*lease{}}
	if subject.Clock != nil {
		c.clock = subject.Clock(whole.Subject.Option)
	}
	c.attempts = lock.NewAttempts(c.read)
	environment := lock.Environment{
		Client: p.Name, Nodes: nodes, Lock: whole.Lock, Option: whole.Subject.Option,
		Random: sim.NewRandomReader(whole.Seed, "random/"+p.Name),
		Logger: slog.New(slog.DiscardHandler),
	}
	for _, o := range options {
		environment.Options = o
		environment.Redis = append(environment.Redis, redis.NewClient(o))
	}
	locker, err := subject.New(lock.NewEnvironment(environment, process, c.attempts))
	if err != nil {
		return nil, err
	}
	for _, each := range environment.Redis {
		process.OnEnd(func() { _ = each.Close() })
	}
	c.locker = locker
	return c, nil
}
