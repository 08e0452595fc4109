package play

import (
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

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

// newClient makes a client and its lock in a process, which reaches the plan's first
// nodes at these addresses. The lock gets those of them that the client may use.
func newClient(p *plan.Plan, own plan.Client, process Process, subject lock.Implementation, addresses []string) (*client, error) {
	timeouts, retries := driverSettings(p)
	var nodes []string
	var options []*redis.Options
	for i, address := range addresses {
		name := p.World.Nodes[i].Name
		if len(own.Nodes) > 0 && !slices.Contains(own.Nodes, name) {
			continue
		}
		o := sim.DriverOptions(address, process.Dial, timeouts)
		o.MaxRetries = retries
		nodes, options = append(nodes, name), append(options, o)
	}
	c := &client{plan: p, own: own, process: process, classes: subject.Errors, held: map[string]*lease{}}
	if subject.Clock != nil {
		c.clock = subject.Clock(p.Subject.Option)
	}
	c.attempts = lock.NewAttempts(c.read)
	environment := lock.Environment{
		Client: own.Name, Nodes: nodes, Lock: p.Lock, Option: p.Subject.Option,
		Random: sim.NewRandomReader(p.Seed, "random/"+own.Name),
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
