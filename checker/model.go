package checker

import "fmt"

// call is one operation as a sequential model sees it.
type call struct {
	operation string // id, or a description where no operation is recorded
	client    string
	action    Action
	// call and end bound the instant at which it took effect, both inclusive.
	// end is forever for a call whose effect is not known: it may take effect
	// at any later time, or never.
	call, end int64
	// lease and validity belong to the lock: whose, and the position of the
	// validity that the call made known.
	lease    *Lease
	validity int
	confirms bool
	// fence, value and result belong to registers.
	fence, value, result *int64
	event                int64
	line                 int
}

// model is a sequential specification. States are comparable values.
type model interface {
	initial() any
	// step takes the effect of a call, at an instant not after latest.
	step(state any, c *call, latest int64) (next any, legal bool)
	// settle drops from a state what no call after the instant can see.
	settle(state any, at int64) any
	describe(c *call) string
	describeState(state any) string
}

// lockModel is the owner-aware lock. A lock that a lease holds passes on to
// another only after its release, or from the end of the holder's own belief
// on: nothing that happens to a node frees it.
type lockModel struct{}

// lockState says who holds. end is when the holder's belief ends, as far as
// the calls that took effect so far made known; earliest is the instant before
// which the next call cannot take effect.
type lockState struct {
	holder        *Lease
	end, earliest int64
}

func (lockModel) initial() any { return lockState{} }

func (lockModel) step(state any, c *call, latest int64) (any, bool) {
	now := state.(lockState)
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

// believedEnd is the end of the belief that a validity makes known. A validity
// that was over when it was learned entitles to no belief at all.
func believedEnd(lease *Lease, position int) int64 {
	if end := lease.endAfter(position); end > lease.Validity[position].AtNS {
		return end
	}
	return 0
}

func (lockModel) settle(state any, at int64) any {
	now := state.(lockState)
	now.earliest = at
	return now
}

func (lockModel) describe(c *call) string {
	return fmt.Sprintf("%s %s", c.action, c.lease.ID)
}

func (lockModel) describeState(state any) string {
	now := state.(lockState)
	if now.holder == nil {
		return "free"
	}
	return fmt.Sprintf("held by %s, believed until %s", now.holder.ID, instant(now.end))
}

// registerModel is a protected register, or the inventory counter, with or
// without a fence.
type registerModel struct {
	register Register
	start    int64
	// fenced is false where calls are whole sections whose requests the fence
	// judged one by one.
	fenced bool
}

type registerState struct {
	value int64
	// high is the high-water token; touched is false before the first.
	high    int64
	touched bool
}

func (m registerModel) initial() any { return registerState{value: m.start} }

func (m registerModel) step(state any, c *call, _ int64) (any, bool) {
	now := state.(registerState)
	raises := m.fenced && (m.register == RegisterFenced || m.register == RegisterFencedWrites && c.action != ActionRead)
	if raises {
		if c.fence == nil || now.touched && *c.fence < now.high {
			return nil, false
		}
		now.high, now.touched = *c.fence, true
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

func (registerModel) settle(state any, _ int64) any { return state }

func (registerModel) describe(c *call) string {
	text := string(c.action)
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

func (m registerModel) describeState(state any) string {
	now := state.(registerState)
	if !now.touched {
		return fmt.Sprintf("value %d", now.value)
	}
	return fmt.Sprintf("value %d, high-water token %d", now.value, now.high)
}
