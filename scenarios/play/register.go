package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// register is a part of the protected resource. A resource has three registers that get
// every access: one does not check fencing tokens, one checks them on writes, one on every
// access. Only the controller uses them.
type register struct {
	kind      checker.Register
	value     int64
	highWater uint64 // the largest fencing token that it has seen
}

var registerKinds = []checker.Register{checker.RegisterUnfenced, checker.RegisterFencedWrites, checker.RegisterFenced}

// apply applies one access, unless its fencing token is stale.
func (r *register) apply(action checker.Action, fence uint64, value int64) (result int64, accepted bool) {
	checks := r.kind == checker.RegisterFenced || r.kind == checker.RegisterFencedWrites && action != checker.ActionRead
	if checks {
		if fence < r.highWater {
			return 0, false
		}
		r.highWater = fence
	}
	result = r.value
	switch action {
	case checker.ActionWrite:
		r.value = value
	case checker.ActionDecrement:
		r.value--
	}
	return result, true
}

// restarted makes the registers of a resource forget what its restart took.
func (r *Referee) restarted(e *sim.Event) {
	registers := r.registersOf(e.Resource)
	for i := range registers {
		if e.Detail == string(faults.LargestToken) {
			registers[i].highWater = 0
		}
	}
}

// access plays a read, a write, or the read-compute-write of a decrement.
func (c *client) access(ctx context.Context, s *plan.Step) bool {
	l := c.held[s.Resource]
	if l == nil {
		return true
	}
	name := string(s.Kind)
	if s.Guarded && !c.valid(l) {
		c.record(sim.Event{Kind: sim.Lapsed, Resource: s.Resource, Lease: l.ID, Detail: name + " was left out"})
		return true
	}
	c.record(sim.Event{Kind: sim.Call, Resource: s.Resource, Lease: l.ID, Detail: name})
	if s.Kind == plan.StepDecrement {
		read, ok := c.request(l, checker.ActionRead, nil, 0)
		if !ok || c.process.Sleep(ctx, c.between(s.Think)) != nil {
			return false
		}
		less := func(r checker.Register) int64 { return read[r] - 1 }
		_, ok = c.request(l, checker.ActionWrite, less, c.between(s.Delay))
		return ok
	}
	if c.process.Sleep(ctx, c.between(s.Think)) != nil {
		return false
	}
	value := c.nextValue()
	_, ok := c.request(l, checker.Action(s.Kind), func(checker.Register) int64 { return value }, c.between(s.Delay))
	return ok
}

// request sends one access to the resource and waits for its answer.
func (c *client) request(
	l *lease, action checker.Action, value func(checker.Register) int64, delay time.Duration,
) (map[checker.Register]int64, bool) {
	network := c.plan.World.Network.Latency
	span := plan.Span{Low: network.Min, High: network.Max}
	r := Request{Lease: l.ID, Resource: l.Resource, Fence: l.Fence, Action: action, Sent: c.process.TrueTime()}
	if value != nil {
		r.Values = map[checker.Register]int64{}
		for _, kind := range registerKinds {
			r.Values[kind] = value(kind)
		}
	}
	results, err := c.process.Access(c.between(span)+delay, c.between(span), r)
	return results, err == nil
}

// nextValue returns a value that no other write of the run writes. It is made of the
// client's index and a count.
func (c *client) nextValue() int64 {
	i := slices.IndexFunc(c.plan.Clients, func(other plan.Client) bool { return other.Name == c.own.Name })
	c.draws++
	return int64(i+1)*1_000_000 + int64(c.draws)
}

// Request is the message of one access to the protected resource, for all its registers.
type Request struct {
	Lease    string                     `json:"lease"`
	Resource string                     `json:"resource"`
	Fence    uint64                     `json:"fence,omitempty"`
	Action   checker.Action             `json:"action"`
	Sent     time.Duration              `json:"sent_ns"`
	Values   map[checker.Register]int64 `json:"values,omitempty"` // what a write writes into each register
}

// Arrive applies a client's access to every register of the protected resource.
func (r *Referee) Arrive(who string, request Request) map[checker.Register]int64 {
	results := map[checker.Register]int64{}
	registers := r.registersOf(request.Resource)
	for i := range registers {
		register := &registers[i]
		value := request.Values[register.kind]
		result, accepted := register.apply(request.Action, request.Fence, value)
		results[register.kind] = result
		r.logAccess(who, &request, register.kind, value, result, accepted)
	}
	return results
}

// logAccess writes an access into the trace and into the resource's log.
func (r *Referee) logAccess(who string, request *Request, kind checker.Register, value, result int64, accepted bool) {
	a := checker.Access{
		AtNS: int64(r.world.Now()), SentNS: int64(request.Sent),
		Client: who, Lease: request.Lease, Resource: request.Resource,
		Register: kind, Action: request.Action, Accepted: accepted,
	}
	if request.Fence > 0 {
		a.Fence = checker.At(int64(request.Fence))
	}
	if request.Action == checker.ActionWrite {
		a.Value = checker.At(value)
	} else {
		a.Result = checker.At(result)
	}
	word := "accepted"
	if !accepted {
		word = "refused"
	}
	r.world.Emit(sim.Event{
		Kind: sim.Access, Process: who, Resource: request.Resource, Lease: request.Lease,
		Detail: fmt.Sprintf("%s %s of the %s register", word, request.Action, kind),
	})
	a.Event = int64(r.lastEvent)
	r.accesses = append(r.accesses, a)
}

// registersOf are the registers of a resource; without fencing tokens only one.
func (r *Referee) registersOf(resource string) []register {
	if r.registers[resource] == nil {
		kinds := registerKinds
		if f := r.plan.Lock.Fencing; f == plan.FencingNone || f == "" {
			kinds = kinds[:1]
		}
		for _, kind := range kinds {
			r.registers[resource] = append(r.registers[resource], register{kind: kind, value: r.plan.Stock})
		}
	}
	return r.registers[resource]
}
