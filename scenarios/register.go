package scenarios

import (
	"context"
	"fmt"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
)

// registers are the protected resource: three registers that get every access
// side by side. One knows no fencing tokens, one checks them on writes only, one
// on every access. Only the controller touches them.
type registers struct {
	kinds []register
}

type register struct {
	name      checker.Register
	value     int64
	highWater uint64
}

func newRegisters(fenced bool) *registers {
	r := &registers{kinds: []register{{name: checker.RegisterUnfenced}}}
	if fenced {
		r.kinds = append(r.kinds, register{name: checker.RegisterFencedWrites}, register{name: checker.RegisterFenced})
	}
	return r
}

// apply lets one access take effect, or not.
func (r *register) apply(action checker.Action, fence uint64, value int64) (result int64, accepted bool) {
	checks := r.name == checker.RegisterFenced || r.name == checker.RegisterFencedWrites && action != checker.ActionRead
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

// access plays a read, a write, or the read-compute-write of a decrement.
func (c *client) access(ctx context.Context, s *Step) bool {
	l := c.held[s.Resource]
	if l == nil {
		return true
	}
	name := string(s.Kind)
	if s.Guarded && !c.valid(l) {
		c.record(sim.Event{Kind: sim.Lapsed, Resource: s.Resource, Lease: l.id, Detail: name + " was left out"})
		return true
	}
	c.record(sim.Event{Kind: sim.Call, Resource: s.Resource, Lease: l.id, Detail: name})
	if s.Kind == StepDecrement {
		read, ok := c.request(l, checker.ActionRead, nil, 0)
		if !ok || c.process.Sleep(ctx, c.between(s.Think)) != nil {
			return false
		}
		_, ok = c.request(l, checker.ActionWrite, func(r checker.Register) int64 { return read[r] - 1 }, c.between(s.Delay))
		return ok
	}
	if c.process.Sleep(ctx, c.between(s.Think)) != nil {
		return false
	}
	value := c.run.nextValue(c.plan.Name)
	_, ok := c.request(l, checker.Action(s.Kind), func(checker.Register) int64 { return value }, c.between(s.Delay))
	return ok
}

// request sends one access to the resource and waits for its answer.
func (c *client) request(l *lease, action checker.Action, value func(checker.Register) int64, delay time.Duration) (map[checker.Register]int64, bool) {
	network := c.run.plan.World.Network.Latency
	span := Span{Low: network.Min, High: network.Max}
	sent := c.run.world.Now()
	results := map[checker.Register]int64{}
	err := c.process.Remote(c.between(span)+delay, c.between(span), func() {
		r := c.run.registersOf(l.resource)
		for i := range r.kinds {
			kind := &r.kinds[i]
			var v int64
			if value != nil {
				v = value(kind.name)
			}
			result, accepted := kind.apply(action, l.fence, v)
			results[kind.name] = result
			c.run.logAccess(c.plan.Name, l, kind.name, action, sent, v, result, accepted)
		}
	})
	return results, err == nil
}

// logAccess writes an access into the trace and into the resource's log.
func (r *run) logAccess(who string, l *lease, kind checker.Register, action checker.Action, sent time.Duration, value, result int64, accepted bool) {
	a := checker.Access{
		AtNS: int64(r.world.Now()), SentNS: int64(sent), Client: who, Lease: l.id, Resource: l.resource,
		Register: kind, Action: action, Accepted: accepted,
	}
	if l.fence > 0 {
		a.Fence = checker.At(int64(l.fence))
	}
	if action == checker.ActionWrite {
		a.Value = checker.At(value)
	} else {
		a.Result = checker.At(result)
	}
	word := "accepted"
	if !accepted {
		word = "refused"
	}
	r.world.Emit(sim.Event{
		Kind: sim.Access, Process: who, Resource: l.resource, Lease: l.id,
		Detail: fmt.Sprintf("%s %s of the %s register", word, action, kind),
	})
	a.Event = int64(r.lastEvent)
	r.accesses = append(r.accesses, a)
}
