package checker

import "fmt"

// call is one operation as a sequential model sees it.
type call struct {
	operation string // its id; empty when no operation is recorded
	client    string
	action    Action
	// call and end bound the instant at which it took effect, both inclusive. The
	// end is forever when the outcome is not known: the call may take effect at
	// any later time, or never.
	call, end int64
	// lease, validity and confirms belong to calls on the lock: its lease, the
	// position of the validity that the call made known, and whether an ok of
	// release means that the lock was still owned.
	lease    *Lease
	validity int
	confirms bool
	// fence, value and result belong to calls on registers.
	fence, value, result *int64
	event                int64
	line                 int
}

func (c *call) String() string {
	text := string(c.action)
	if !c.action.OnResource() {
		return text + " " + c.lease.ID
	}
	if c.value != nil {
		text += fmt.Sprintf(" %d", *c.value)
	}
	if c.fence != nil {
		text += fmt.Sprintf(", token %d", *c.fence)
	}
	if c.result != nil {
		text += fmt.Sprintf(" → %d", *c.result)
	}
	return text
}

// state is a state of a sequential model: of a lock or of a register. States are comparable.
type state interface {
	// step applies a call that takes effect no later than latest.
	step(c *call, latest int64) (next state, legal bool)
	// forget returns the state at an instant, without what no later call can see.
	forget(at int64) state
	String() string
}

// lockState is the state of a lock with an owner. A lock that is held passes on to another
// lease only after its release, or after the end of the holder's belief. Nothing
// that happens to a node frees it. The end is the end of the holder's belief,
// as far as the calls so far made it known. The next call cannot take effect
// before earliest.
type lockState struct {
	holder        *Lease
	end, earliest int64
}

func (now lockState) step(c *call, latest int64) (state, bool) {
	now.earliest = max(now.earliest, c.call)
	switch c.action {
	case ActionAcquire:
		if now.holder != nil {
			now.earliest = max(now.earliest, now.end)
		}
		now.holder, now.end = c.lease, believedEnd(c.lease, 0)
	case ActionExtend:
		if now.holder != c.lease {
			return nil, false
		}
		if c.validity >= 0 {
			now.end = believedEnd(c.lease, c.validity)
		}
	case ActionRelease:
		if now.holder == c.lease {
			now.holder, now.end = nil, 0
		} else if c.confirms {
			return nil, false
		}
	}
	return now, now.earliest <= latest
}

// believedEnd is the end of the belief that a validity makes known. It is 0 when
// the validity had ended before it became known, for that makes no belief.
func believedEnd(lease *Lease, position int) int64 {
	if end := endAfter(lease, position); end > lease.Validity[position].AtNS {
		return end
	}
	return 0
}

func (now lockState) forget(at int64) state { return lockState{now.holder, now.end, at} }

func (now lockState) String() string {
	if now.holder == nil {
		return "free"
	}
	return fmt.Sprintf("held by %s, believed until %s", now.holder.ID, instant(now.end))
}

// registerState is the state of a protected register or of the inventory counter.
type registerState struct {
	register Register
	// fenced says that calls are requests, which the register compares with its
	// high-water token. It is false for operations, whose requests are judged one by one.
	fenced bool
	value  int64
	// highest is the high-water token; touched is false before the first one.
	highest int64
	touched bool
}

func (now registerState) step(c *call, _ int64) (state, bool) {
	byWrites := now.register == RegisterFencedWrites && c.action != ActionRead
	if now.fenced && (now.register == RegisterFenced || byWrites) {
		if c.fence == nil || now.touched && *c.fence < now.highest {
			return nil, false
		}
		now.highest, now.touched = *c.fence, true
	}
	switch c.action {
	case ActionRead:
		return now, *c.result == now.value
	case ActionWrite:
		now.value = *c.value
	case ActionDecrement:
		if c.result != nil && *c.result != now.value {
			return nil, false
		}
		now.value--
	}
	return now, true
}

func (now registerState) forget(int64) state { return now }

func (now registerState) String() string {
	if !now.touched {
		return fmt.Sprintf("value %d", now.value)
	}
	return fmt.Sprintf("value %d, high-water token %d", now.value, now.highest)
}
