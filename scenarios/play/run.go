package play

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// crashCall is what a client says when it crashes by its own steps.
const crashCall sim.Kind = sim.Crash

// RunOptions change how a plan is played, never what happens in it.
type RunOptions struct {
	Scripts   string        // "native" (default) or "lua"
	Real      time.Duration // bound in real time; 0 is none
	Processor time.Duration // bound on the processor time of this process meanwhile; 0 is none
}

// Result is one run, judged.
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
	Failures  []string // the last error of each client's attempts, for people
}

// run is one plan being played.
type run struct {
	plan      *plan.Plan
	world     stage
	crash     func(client string)
	installed *faults.Installed
	clients   []*client
	registers map[string]*registers
	accesses  []checker.Access
	given     sync.Mutex        // guards the three below: the controller gives, clients read
	fences    map[string]uint64 // by lease, for FencingIdeal
	fence     uint64
	named     map[string]string // by client: the token that its last acquisition ended with, as the trace names it
	values    int64
	lastEvent int
	goals     []goalStart
	oneNode   bool // the subject keeps its locks on the first node only
}

// goalStart is when a goal's time began to run; -1: it never did.
type goalStart struct{ at time.Duration }

// stage is where a run is played.
type stage interface {
	Now() time.Duration // true time
	Emit(e sim.Event)   // controller context only
}

// Run plays a plan in virtual time and judges it. Errors are bad plans and bugs;
// whatever happens to the run is in the result.
func Run(p *plan.Plan, options RunOptions) (*Result, error) {
	subject, ok := lock.Of(p.Subject.Name)
	if !ok {
		return nil, fmt.Errorf("subject %q is not known", p.Subject.Name)
	}
	if patch := p.Subject.Patch(); patch != overlay.Carried {
		return nil, fmt.Errorf("the run needs a program with the patch %q; this one carries %q", patch, overlay.Carried)
	}
	d, _ := plan.Declared(p.Subject.Name)
	return RunLock(p, options, subject, d.Abilities)
}

// play is Run for a subject that need not be declared.
func RunLock(plan *plan.Plan, options RunOptions, subject lock.Implementation, can plan.Abilities) (*Result, error) {
	switch options.Scripts {
	case "", "native", "lua":
	default:
		return nil, fmt.Errorf("scripts %q; allowed: native, lua", options.Scripts)
	}
	r := newRun(plan)
	r.oneNode = can.OneNode
	world, err := sim.Run(plan.World, sim.Options{Keep: true, Lua: options.Scripts == "lua", Real: options.Real, Processor: options.Processor}, func(w *sim.World) error {
		return r.build(w, subject)
	})
	if err != nil {
		return nil, err
	}
	result := r.result(string(world.Outcome), world.End, world.Events, subject)
	result.TraceHash = world.Hash
	for _, c := range r.clients {
		if last := c.attempts.Last(); last != "" {
			result.Failures = append(result.Failures, c.plan.Name+": "+last)
		}
	}
	return result, nil
}

func newRun(p *plan.Plan) *run {
	d, _ := plan.Declared(p.Subject.Name)
	return &run{
		plan: p, oneNode: d.Abilities.OneNode, registers: map[string]*registers{}, fences: map[string]uint64{}, named: map[string]string{},
		goals: make([]goalStart, len(p.Liveness)),
	}
}

// result judges a run that is over.
func (r *run) result(outcome string, end time.Duration, events []sim.Event, subject lock.Implementation) *Result {
	result := &Result{
		Plan: r.plan, PlanHash: r.plan.Hash(), Outcome: outcome, End: end, Events: events, Fired: r.installed.Fired(),
	}
	result.History = r.history(end, events, subject)
	result.Verdict = checker.Judge(result.History, checker.Options{})
	return result
}

// build sets the world up.
func (r *run) build(w *sim.World, subject lock.Implementation) error {
	r.world = w
	r.crash = func(name string) { w.Process(name).Crash("") }
	for _, s := range subject.Scripts {
		w.AddScript(s)
	}
	r.installed = faults.Install(w, r.plan.Faults)
	w.Observe(r.observe)
	r.watchGoals()
	for _, p := range r.plan.Clients {
		c, err := r.newClient(w, p, subject)
		if err != nil {
			return fmt.Errorf("client %s: %w", p.Name, err)
		}
		if slices.ContainsFunc(r.plan.Clients, func(o plan.Client) bool { return o.Name == p.Follows }) {
			c.turn = make(chan bool, 1)
		}
		r.clients = append(r.clients, c)
	}
	for _, c := range r.clients {
		w.Process(c.plan.Name).Go(c.play)
	}
	return nil
}

// watchGoals notes when the time of each goal begins to run.
func (r *run) watchGoals() {
	for i, g := range r.plan.Liveness {
		r.goals[i].at = -1
		r.installed.Watch(g.From, func() {
			if r.goals[i].at < 0 {
				r.goals[i].at = r.world.Now()
				if g.From.When.IsZero() { // the world acts a little later; what is called at the very instant counts
					r.goals[i].at = g.From.At
				}
			}
		})
	}
}

// numbers are what a lease was given.
func (r *run) numbers(client, lease string) Numbers {
	r.given.Lock()
	defer r.given.Unlock()
	return Numbers{Token: r.named[client], Fence: r.fences[lease]}
}

// observe keeps what clients and the history need of the trace.
func (r *run) observe(e sim.Event) {
	r.lastEvent = e.Seq
	switch e.Kind {
	case sim.Acquired:
		r.given.Lock()
		r.named[e.Process] = e.Value
		r.fence++
		r.fences[e.Lease] = r.fence
		r.given.Unlock()
	case sim.Failed:
		r.given.Lock()
		r.named[e.Process] = e.Value
		r.given.Unlock()
	case crashCall:
		switch {
		case e.Node != "":
		case e.Detail == "": // a client's own step
			r.crash(e.Process)
		default:
			r.follow(e.Process, true)
		}
	case sim.Done:
		r.follow(e.Process, false)
	}
}

// follow lets the client begin that follows another one, or never.
func (r *run) follow(name string, crashed bool) {
	for _, c := range r.clients {
		if c.turn != nil && c.plan.Follows == name {
			c.turn <- crashed // has room: a client ends once
			if !crashed {
				r.follow(c.plan.Name, false)
			}
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

func (r *run) newClient(w *sim.World, plan plan.Client, subject lock.Implementation) (*client, error) {
	p := w.Process(plan.Name)
	timeouts, retries := driverSettings(r.plan)
	var nodes []string
	var options []*redis.Options
	for _, n := range w.Nodes() {
		if !r.uses(n.Name) || len(plan.Nodes) > 0 && !slices.Contains(plan.Nodes, n.Name) {
			continue
		}
		o := p.RedisOptions(n, timeouts)
		o.MaxRetries = retries
		nodes, options = append(nodes, n.Name), append(options, o)
	}
	c, err := newClient(r.plan, plan, simulated{p, r}, subject, nodes, options)
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

// newClient makes a client and its lock in a process.
func newClient(whole *plan.Plan, p plan.Client, process Process, subject lock.Implementation, nodes []string, options []*redis.Options) (*client, error) {
	if d, _ := plan.Declared(whole.Subject.Name); d.Abilities.OneNode {
		nodes, options = nodes[:1], options[:1]
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

// uses reports whether the subject keeps its locks on a node.
func (r *run) uses(node string) bool {
	return !r.oneNode || node == r.plan.World.Nodes[0].Name
}

func (r *run) registersOf(resource string) *registers {
	if r.registers[resource] == nil {
		r.registers[resource] = newRegisters(r.plan.Lock.Fencing != plan.FencingNone && r.plan.Lock.Fencing != "", r.plan.Stock)
	}
	return r.registers[resource]
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

// violated reports whether any oracle is.
func (r *Result) Violated() bool {
	return r.Verdict.SafetyViolated() || r.Verdict.LivenessViolated()
}
