package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/redlock"
	"redlocklab/sim"
)

// crashCall is what a client says when it crashes by its own steps.
const crashCall sim.Kind = sim.Crash

// RunOptions change how a plan is played, never what happens in it.
type RunOptions struct {
	Scripts string        // "native" (default) or "lua"
	Real    time.Duration // bound in real time; 0 is none
}

// Result is one run, judged.
type Result struct {
	Plan      *Plan
	PlanHash  string
	TraceHash string // SHA-256 of the trace as NDJSON
	Outcome   string // "finished", or the bound that ended the run
	End       time.Duration
	Events    []sim.Event
	History   *checker.History
	Verdict   checker.Verdict
	Fired     []faults.Count
}

// run is one plan being played.
type run struct {
	plan      *Plan
	world     *sim.World
	installed *faults.Installed
	clients   []*client
	registers map[string]*registers
	accesses  []checker.Access
	fences    map[string]uint64 // by lease, for FencingIdeal
	fence     uint64
	tokens    map[string]string // by lease, as the trace names them
	values    int64
	lastEvent int
	goals     []goalStart
}

// goalStart is when a goal's time began to run; -1: it never did.
type goalStart struct{ at time.Duration }

// Run plays a plan in virtual time and judges it. Errors are bad plans and bugs;
// whatever happens to the run is in the result.
func Run(plan *Plan, options RunOptions) (*Result, error) {
	switch options.Scripts {
	case "", "native", "lua":
	default:
		return nil, fmt.Errorf("scripts %q; allowed: native, lua", options.Scripts)
	}
	subject, ok := implementations[plan.Subject.Name]
	if !ok {
		return nil, fmt.Errorf("subject %q is not known", plan.Subject.Name)
	}
	r := &run{
		plan: plan, registers: map[string]*registers{}, fences: map[string]uint64{}, tokens: map[string]string{},
		goals: make([]goalStart, len(plan.Liveness)),
	}
	world, err := sim.Run(plan.World, sim.Options{Keep: true, Lua: options.Scripts == "lua", Real: options.Real}, func(w *sim.World) error {
		return r.build(w, subject)
	})
	if err != nil {
		return nil, err
	}
	result := &Result{
		Plan: plan, PlanHash: plan.Hash(), TraceHash: world.Hash, Outcome: string(world.Outcome),
		End: world.End, Events: world.Events, Fired: r.installed.Fired(),
	}
	result.History = r.history(world, subject)
	result.Verdict = checker.Judge(result.History, checker.Options{})
	return result, nil
}

// build sets the world up.
func (r *run) build(w *sim.World, subject implementation) error {
	r.world = w
	for _, s := range subject.Scripts {
		w.AddScript(s)
	}
	r.installed = faults.Install(w, r.plan.Faults)
	w.Observe(r.observe)
	for i, g := range r.plan.Liveness {
		r.goals[i].at = -1
		r.installed.Watch(g.From, func() {
			if r.goals[i].at < 0 {
				r.goals[i].at = w.Now()
			}
		})
	}
	for _, plan := range r.plan.Clients {
		c, err := r.newClient(plan, subject)
		if err != nil {
			return fmt.Errorf("client %s: %w", plan.Name, err)
		}
		r.clients = append(r.clients, c)
	}
	for _, c := range r.clients {
		c.process.Go(c.play)
	}
	return nil
}

// observe keeps what clients and the history need of the trace.
func (r *run) observe(e sim.Event) {
	r.lastEvent = e.Seq
	switch e.Kind {
	case sim.Acquired:
		r.tokens[e.Lease] = e.Value
		r.fence++
		r.fences[e.Lease] = r.fence
	case sim.Failed:
		i := slices.IndexFunc(r.clients, func(c *client) bool { return c.plan.Name == e.Process })
		r.clients[i].failedWith = e.Value
	case crashCall:
		if e.Node == "" && e.Detail == "" { // a client's own step
			r.world.Process(e.Process).Crash("")
		}
	}
}

// driverTimeouts are the driver's own: generous against the subject's per-node
// timeout, and all different, so that no two deadlines fall on one instant.
func driverTimeouts(node time.Duration) sim.Timeouts {
	return sim.Timeouts{
		Dial:  3*node + 101*time.Microsecond,
		Read:  3*node + 203*time.Microsecond,
		Write: 3*node + 307*time.Microsecond,
	}
}

func (r *run) newClient(plan Client, subject implementation) (*client, error) {
	w := r.world
	p := w.Process(plan.Name)
	c := &client{run: r, plan: plan, process: p, held: map[string]*lease{}}
	if subject.Clock != nil {
		c.clock = subject.Clock(r.plan.Subject.Option)
	}
	environment := Environment{
		Client: plan.Name, Lock: r.plan.Lock, Option: r.plan.Subject.Option,
		Random: sim.NewRandomReader(r.plan.Seed, "random/"+plan.Name),
		Logger: slog.New(slog.DiscardHandler), process: p,
	}
	timeouts := driverTimeouts(r.plan.Lock.NodeTimeout)
	retrying := r.plan.Subject.Option("driver", "plain") != "plain"
	if retrying {
		timeouts.Read = r.plan.Lock.NodeTimeout/5 + 203*time.Microsecond
	}
	for _, n := range w.Nodes() {
		environment.Nodes = append(environment.Nodes, n.Name)
		options := p.RedisOptions(n, timeouts)
		if retrying {
			options.MaxRetries = 3 // at once, as the backoffs are off
		}
		environment.Options = options
		environment.Redis = append(environment.Redis, redis.NewClient(options))
	}
	locker, err := subject.New(environment)
	if err != nil {
		return nil, err
	}
	for _, each := range environment.Redis {
		p.OnEnd(func() { _ = each.Close() })
	}
	c.locker = locker
	return c, nil
}

func (r *run) registersOf(resource string) *registers {
	if r.registers[resource] == nil {
		r.registers[resource] = newRegisters(r.plan.Lock.Fencing != FencingNone && r.plan.Lock.Fencing != "")
	}
	return r.registers[resource]
}

// nextValue returns a value that no other write of the run writes: the client's
// place, and its number.
func (r *run) nextValue(name string) int64 {
	i := slices.IndexFunc(r.clients, func(c *client) bool { return c.plan.Name == name })
	c := r.clients[i]
	c.draws++
	return int64(i+1)*1_000_000 + int64(c.draws)
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

// errorClasses give errors a name that is the same in every run.
var errorClasses = []struct {
	err   error
	class string
}{
	{sim.ErrCrashed, "crashed"},
	{context.DeadlineExceeded, "deadline"},
	{context.Canceled, "cancelled"},
	{errContended, "contended"},
	{errLate, "late"},
	{errNotHeld, "not held"},
	{redlock.ErrContended, "contended"},
	{redlock.ErrNoQuorum, "no quorum"},
	{redlock.ErrLate, "late"},
	{redlock.ErrLapsed, "lapsed"},
	{redlock.ErrNotHeld, "not held"},
	{redlock.ErrReleased, "released"},
	{redlock.ErrWaitLimit, "wait limit"},
	{redlock.ErrExtensionLimit, "extension limit"},
	{redlock.ErrClosed, "closed"},
}
