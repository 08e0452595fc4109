package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Ground is where a plan can be played other than in the simulator: real servers
// and real processes that speak the simulator's words.
type Ground interface {
	faults.Stage
	Emit(e sim.Event)
	CrashClient(name string)
}

// Referee does on any ground what [Run] does in the simulator: it sets the
// schedule to work, answers the clients, and judges. All methods are for
// controller context.
type Referee struct{ run *run }

// NewReferee puts the plan's schedule and goals onto a ground.
func NewReferee(p *plan.Plan, ground Ground) (*Referee, error) {
	subject, ok := lock.Of(p.Subject.Name)
	if !ok {
		return nil, fmt.Errorf("subject %q is not known", p.Subject.Name)
	}
	d, _ := plan.Declared(p.Subject.Name)
	r := newRun(p, subject, d.Abilities)
	r.world, r.crash = ground, ground.CrashClient
	r.installed = faults.InstallOn(ground, p.Faults)
	ground.Observe(r.observe)
	r.watchGoals()
	for _, c := range p.Clients {
		client := &client{plan: c, whole: p}
		if subject.Clock != nil {
			client.clock = subject.Clock(p.Subject.Option)
		}
		client.whenReads = settledClock(p, c.Name, client.clock)
		r.clients = append(r.clients, client)
	}
	return &Referee{r}, nil
}

// settledClock is a client's clock on a real ground: true time, but for the time of
// day, which is set as the plan says.
func settledClock(plan *plan.Plan, client string, kind sim.ClockKind) func(reading, after time.Duration) (time.Duration, bool) {
	var ahead time.Duration
	for _, p := range plan.World.Processes {
		if p.Name == client && kind == sim.Wall {
			ahead = p.WallOffset
		}
	}
	return func(reading, after time.Duration) (time.Duration, bool) { return max(reading-ahead, after), true }
}

// Numbers are what a client's last acquisition was given when the trace had its end.
func (r *Referee) Numbers(client, lease string) Numbers { return r.run.numbers(client, lease) }

// Arrive lets a client's access take effect on the protected resource.
func (r *Referee) Arrive(client string, request Request) map[checker.Register]int64 {
	return r.run.arrive(client, request)
}

// Take takes a client's notes in.
func (r *Referee) Take(client string, n Notes) {
	for _, c := range r.run.clients {
		if c.plan.Name == client {
			c.take(n)
		}
	}
}

// Judge judges the run, which is over.
func (r *Referee) Judge(outcome string, end time.Duration, events []sim.Event) *Result {
	return r.run.result(outcome, end, events)
}

// Player is one client of a plan, ready in a process of its own.
type Player struct{ client *client }

// NewPlayer makes the client and its lock. addresses are where the process
// reaches the plan's nodes, in their order; a client with a list of its own uses
// those only.
func NewPlayer(p *plan.Plan, name string, process Process, addresses []string) (*Player, error) {
	subject, ok := lock.Of(p.Subject.Name)
	if !ok {
		return nil, fmt.Errorf("subject %q is not known", p.Subject.Name)
	}
	known := slices.IndexFunc(p.Clients, func(c plan.Client) bool { return c.Name == name })
	if known < 0 {
		return nil, fmt.Errorf("the plan has no client %q", name)
	}
	own := p.Clients[known]
	timeouts, retries := driverSettings(p)
	var nodes []string
	var options []*redis.Options
	for i, n := range p.World.Nodes {
		if len(own.Nodes) > 0 && !slices.Contains(own.Nodes, n.Name) {
			continue
		}
		o := sim.DriverOptions(addresses[i], process.Dial, timeouts)
		o.MaxRetries = retries
		nodes, options = append(nodes, n.Name), append(options, o)
	}
	client, err := newClient(p, own, process, subject, nodes, options)
	return &Player{client}, err
}

// Play plays the client's steps.
func (p *Player) Play(ctx context.Context) { p.client.play(ctx) }
