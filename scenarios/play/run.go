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
	Scripts   string        // "native" (default) or "lua"
	Real      time.Duration // bound in real time; 0 is none
	Processor time.Duration // bound on the processor time of this process meanwhile; 0 is none
}

// run is one plan being played.
type run struct {
	plan      *plan.Plan
	subject   lock.Implementation
	world     stage
	crash     func(client string)
	turn      func(c *client, crashed bool) // tells a client that the one before it has crashed, or finished
	installed *faults.Installed
	clients   []*client
	registers map[string]*registers
	accesses  []checker.Access
	given     sync.Mutex        // guards the three below: the controller gives, clients read
	fences    map[string]uint64 // by lease, for FencingIdeal
	fence     uint64
	named     map[string]string // by client: the token that its last acquisition ended with, as the trace names it
	lastEvent int
	goals     []goalStart
	oneNode   bool // the subject keeps its locks on the first node only
}

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

// RunLock is Run for a lock that need not be registered.
func RunLock(p *plan.Plan, options RunOptions, subject lock.Implementation, can plan.Abilities) (*Result, error) {
	switch options.Scripts {
	case "", "native", "lua":
	default:
		return nil, fmt.Errorf("scripts %q; allowed: native, lua", options.Scripts)
	}
	r := newRun(p, subject, can)
	world, err := sim.Run(p.World, sim.Options{Keep: true, Lua: options.Scripts == "lua", Real: options.Real, Processor: options.Processor}, r.build)
	if err != nil {
		return nil, err
	}
	result := r.result(string(world.Outcome), world.End, world.Events)
	result.TraceHash = world.Hash
	for _, c := range r.clients {
		if last := c.attempts.Last(); last != "" {
			result.Failures = append(result.Failures, c.plan.Name+": "+last)
		}
	}
	return result, nil
}

func newRun(p *plan.Plan, subject lock.Implementation, can plan.Abilities) *run {
	return &run{
		plan: p, subject: subject, oneNode: can.OneNode, registers: map[string]*registers{}, fences: map[string]uint64{}, named: map[string]string{},
		goals: make([]goalStart, len(p.Liveness)),
	}
}

// build sets the world up.
func (r *run) build(w *sim.World) error {
	r.world = w
	r.crash = func(name string) { w.Process(name).Crash("") }
	r.turn = func(c *client, crashed bool) { c.turn <- crashed } // it has room: a client ends once
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
			c.turn = make(chan bool, 1)
		}
		r.clients = append(r.clients, c)
	}
	for _, c := range r.clients {
		w.Process(c.plan.Name).Go(c.play)
	}
	return nil
}

// uses reports whether the subject keeps its locks on a node.
func (r *run) uses(node string) bool {
	return !r.oneNode || node == r.plan.World.Nodes[0].Name
}
