package play

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// RunOptions change how a plan is played, never what happens in it.
type RunOptions struct {
	Scripts   string        `json:"scripts"`      // "native" (default) or "lua"
	Processor time.Duration `json:"processor_ns"` // bound on the processor time of this process; 0: none
	Real      time.Duration `json:"-"`            // bound on real time; 0: none
}

// Referee is the laboratory's side of one plan being played, in the simulator or in a
// [Cluster]. It installs the schedule of faults, answers the clients, and judges. All
// methods are for controller context.
type Referee struct {
	plan    *plan.Plan
	subject lock.Implementation
	can     plan.Abilities
	world   interface { // the simulated world, or a Cluster
		Now() time.Duration // true time
		Emit(e sim.Event)   // controller context only
	}
	crash     func(client string)
	notify    func(c *client, crashed bool) // tells a client that the one before it has crashed, or finished
	installed *faults.Installed
	clients   []*client
	registers map[string][]register // by resource
	accesses  []checker.Access
	lastEvent int
	crashed   map[string]time.Duration // when a client crashed
	starts    []time.Duration          // when the time of each goal began to run; -1: not yet

	mu        sync.Mutex        // guards what follows: the controller writes it, clients read it
	tokens    map[string]string // by client, of its last acquisition that ended, as the trace names it
	fences    map[string]uint64 // by lease, for plan.FencingIdeal
	lastFence uint64
}

// Run plays a plan in virtual time and judges the run. Errors are bad plans and bugs;
// whatever happens to the run is in the result.
func Run(p *plan.Plan, options RunOptions) (*Result, error) {
	subject, can, err := implementation(p)
	if err != nil {
		return nil, err
	}
	if patch := p.Subject.Patch(); patch != overlay.Carried {
		return nil, fmt.Errorf("the run needs a program with the patch %q; this one carries %q", patch, overlay.Carried)
	}
	return RunLock(p, options, subject, can)
}

// implementation is the lock that a plan is about, and what it can do.
func implementation(p *plan.Plan) (lock.Implementation, plan.Abilities, error) {
	subject, ok := lock.Of(p.Subject.Name)
	if !ok {
		return subject, plan.Abilities{}, fmt.Errorf("subject %q is not known", p.Subject.Name)
	}
	d, _ := plan.Declared(p.Subject.Name)
	return subject, d.Abilities, nil
}

// RunLock is Run for a lock that need not be registered.
func RunLock(p *plan.Plan, options RunOptions, subject lock.Implementation, can plan.Abilities) (*Result, error) {
	if !slices.Contains([]string{"", "native", "lua"}, options.Scripts) {
		return nil, fmt.Errorf("found scripts %q; allowed: native, lua", options.Scripts)
	}
	r := newRun(p, subject, can)
	world, err := sim.Run(p.World, sim.Options{
		Keep: true, Pool: p.Lock.Pool, Lua: options.Scripts == "lua", Real: options.Real, Processor: options.Processor,
	}, r.build)
	if err != nil {
		return nil, err
	}
	for _, c := range r.clients {
		if c.broken != nil {
			return nil, c.broken
		}
	}
	result := r.Judge(string(world.Outcome), world.End, world.Events)
	result.TraceHash = world.Hash
	for _, c := range r.clients {
		if last := c.attempts.LastError(); last != "" {
			result.Failures = append(result.Failures, c.own.Name+": "+last)
		}
	}
	return result, nil
}

func newRun(p *plan.Plan, subject lock.Implementation, can plan.Abilities) *Referee {
	return &Referee{
		plan: p, subject: subject, can: can,
		crashed: map[string]time.Duration{}, registers: map[string][]register{},
		tokens: map[string]string{}, fences: map[string]uint64{},
	}
}

// build sets up the simulated world.
func (r *Referee) build(w *sim.World) error {
	r.world = w
	r.crash = func(name string) { w.Process(name).Crash("") }
	r.notify = func(c *client, crashed bool) { c.predecessor <- crashed } // it has room: a client ends once
	for _, s := range r.subject.Scripts {
		w.AddScript(s)
	}
	r.installed = faults.Install(w, r.plan.Faults)
	w.Observe(r.observe)
	r.watchGoals()
	for _, p := range r.plan.Clients {
		c, err := r.newClient(w, p)
		if err != nil {
			return fmt.Errorf("client %s: %w", p.Name, err)
		}
		if slices.ContainsFunc(r.plan.Clients, func(o plan.Client) bool { return o.Name == p.Follows }) {
			c.predecessor = make(chan bool, 1)
		}
		r.clients = append(r.clients, c)
	}
	for _, c := range r.clients {
		w.Process(c.own.Name).Go(c.play)
	}
	return nil
}

// uses reports whether the subject uses a node.
func (r *Referee) uses(node string) bool {
	return !r.can.OneNode || node == r.plan.World.Nodes[0].Name
}
