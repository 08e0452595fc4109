package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Cluster is where a plan is played other than in the simulator: real servers and
// real client processes, whose trace has the simulator's words.
type Cluster interface {
	faults.Target
	Emit(e sim.Event)
	// Follow tells a client that the client before it has ended. It begins now when
	// that one crashed, and never when that one finished.
	Follow(client string, crashed bool)
}

// NewReferee puts the plan's schedule and goals onto a cluster.
func NewReferee(p *plan.Plan, cluster Cluster) (*Referee, error) {
	subject, can, err := implementation(p)
	if err != nil {
		return nil, err
	}
	r := newRun(p, subject, can)
	r.world = cluster
	r.crash = func(client string) { cluster.Process(client).Crash("") }
	r.notify = func(c *client, crashed bool) { cluster.Follow(c.own.Name, crashed) }
	r.installed = faults.InstallOn(cluster, p.Faults)
	cluster.Observe(r.observe)
	r.watchGoals()
	for _, c := range p.Clients {
		client := &client{plan: p, own: c}
		if subject.Clock != nil {
			client.clock = subject.Clock(p.Subject.Option)
		}
		client.whenReads = realClock(p, c.Name, client.clock)
		r.clients = append(r.clients, client)
	}
	return r, nil
}

// realClock converts the readings of a real process' clock to true time: they are
// the same, but for the time of day, which is ahead by what the plan says.
func realClock(plan *plan.Plan, client string, kind sim.ClockKind) func(reading, after time.Duration) (time.Duration, bool) {
	var ahead time.Duration
	for _, p := range plan.World.Processes {
		if p.Name == client && kind == sim.Wall {
			ahead = p.WallOffset
		}
	}
	return func(reading, after time.Duration) (time.Duration, bool) { return max(reading-ahead, after), true }
}

// Take takes a client's notes in.
func (r *Referee) Take(client string, n Notes) {
	for _, c := range r.clients {
		if c.own.Name == client {
			c.take(n)
		}
	}
}

// PlayClient plays the steps of one client of a plan in a process of its own, until
// they end or ctx does. addresses are where the process reaches the plan's nodes,
// in their order. Errors are bad plans.
func PlayClient(ctx context.Context, p *plan.Plan, name string, process Process, addresses []string) error {
	subject, can, err := implementation(p)
	if err != nil {
		return err
	}
	known := slices.IndexFunc(p.Clients, func(c plan.Client) bool { return c.Name == name })
	if known < 0 {
		return fmt.Errorf("the plan has no client %q", name)
	}
	if can.OneNode {
		addresses = addresses[:1]
	}
	client := newClient(p, p.Clients[known], process, subject, addresses)
	if !subject.Dials {
		if err := client.open(); err != nil {
			return err
		}
	}
	client.play(ctx)
	return client.broken
}
