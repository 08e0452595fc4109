package play

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
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
		client := &client{plan: p, own: c, clock: lock.ClockOf(p.Subject)}
		// What the clocks of a real process read is true time, but for the time of day, which is
		// ahead by what the plan says.
		var ahead time.Duration
		for _, process := range p.World.Processes {
			if process.Name == c.Name && client.clock == sim.Wall {
				ahead = process.WallOffset
			}
		}
		client.whenReads = func(reading, after time.Duration) (time.Duration, bool) {
			return max(reading-ahead, after), true
		}
		r.clients = append(r.clients, client)
	}
	return r, nil
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

// Receipt answers an event of a client that is in the trace since at.
func (r *Referee) Receipt(client, lease string, at time.Duration) Receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Receipt{At: at, Token: r.tokens[client], Fence: r.fences[lease]}
}

// observe keeps what clients need of the trace, and crashes clients that ask for it.
func (r *Referee) observe(e sim.Event) {
	r.lastEvent = e.Seq
	switch e.Kind {
	case sim.Acquired, sim.Failed:
		r.ended(&e)
	case sim.ResourceRestart:
		r.restarted(&e)
	case sim.Done:
		r.notifyFollower(e.Process, false)
	case sim.Crash:
		if e.Node != "" {
			return
		}
		if _, known := r.crashed[e.Process]; !known {
			r.crashed[e.Process] = e.At
		}
		if e.Detail == "" { // requested by a client's own step
			r.crash(e.Process)
		} else {
			r.notifyFollower(e.Process, true)
		}
	}
}

// ended keeps the token of an acquisition that ended, and numbers its lease.
func (r *Referee) ended(e *sim.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[e.Process] = e.Value
	if e.Kind == sim.Acquired {
		r.lastFence++
		r.fences[e.Lease] = r.lastFence
	}
}

// notifyFollower lets the client that follows another one begin, if that one has crashed.
// If not, neither it nor those that follow it ever begin.
func (r *Referee) notifyFollower(name string, crashed bool) {
	for _, c := range r.clients {
		if c.own.Follows == name {
			r.notify(c, crashed)
			if !crashed {
				r.notifyFollower(c.own.Name, false)
			}
		}
	}
}

// Result is one run with its verdict.
type Result struct {
	Plan      *plan.Plan
	PlanHash  string
	TraceHash string // SHA-256 of the trace as NDJSON
	Outcome   string // "finished", or the bound that ended the run
	End       time.Duration
	Events    []sim.Event
	History   *checker.History
	Verdict   checker.Verdict
	Fired     []faults.Count
	Failures  []string // the last error of each client's attempts, as text
}

// Judge judges a run that is over.
func (r *Referee) Judge(outcome string, end time.Duration, events []sim.Event) *Result {
	result := &Result{
		Plan: r.plan, PlanHash: r.plan.Hash(), Outcome: outcome, End: end, Events: events, Fired: r.installed.Fired(),
	}
	result.History = r.history(end, events)
	result.History.Header.ClientsDone = outcome == string(sim.Finished)
	result.Verdict = checker.Judge(result.History, checker.Options{})
	return result
}

// Trace returns the run's trace as NDJSON, whose SHA-256 is TraceHash.
func (r *Result) Trace() []byte {
	var b bytes.Buffer
	var line []byte
	for i := range r.Events {
		line = append(r.Events[i].AppendJSON(line[:0]), '\n')
		b.Write(line)
	}
	return b.Bytes()
}

// Violated reports whether any oracle says so.
func (r *Result) Violated() bool {
	return len(r.Verdict.Answers().Violated()) > 0
}
