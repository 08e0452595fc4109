package checker

import (
	"cmp"
	"maps"
	"slices"
)

// partition is one part of a history that is linearizable, or not, by itself.
type partition struct {
	sort     string // sortLock, sortRegister or sortCounter
	resource string
	register Register
	model    model
	calls    []*call
}

// The sorts of partitions, which are also the sorts of their findings.
const (
	sortLock     = "lock"
	sortRegister = "register" // requests, as the resource's own log has them
	sortCounter  = "counter"  // operations: reads, writes, whole decrement sections
	sortKey      = "key"      // a node's key for a resource
)

// The sorts of the findings of the oracles that look at no partition.
const (
	sortOverlap = "overlap"
	sortGoal    = "goal"
)

func (p *partition) name() string {
	if p.sort == sortLock {
		return p.sort + " " + p.resource
	}
	return p.sort + " " + p.resource + " (" + string(p.register) + ")"
}

// partitions splits a history: per resource the lock; per resource and
// register the operations of clients, and the requests that the resource saw.
// Operations and requests are two levels of one story and never mixed, or a
// section and its own requests would count twice.
func partitions(idx *index) []*partition {
	var result []*partition
	for _, resource := range idx.resources {
		result = append(result, &partition{sort: sortLock, resource: resource, model: lockModel{}, calls: lockCalls(idx, resource)})
	}
	type place struct {
		resource string
		register Register
	}
	operations, requests := map[place][]*call{}, map[place][]*call{}
	effects := map[string][]*Access{}
	logged := map[place]bool{}
	for _, access := range idx.accessTime {
		at := place{access.Resource, access.Register}
		logged[at] = true
		if access.Operation != "" {
			effects[access.Operation] = append(effects[access.Operation], access)
		}
		if access.Accepted {
			requests[at] = append(requests[at], requestCall(access))
		}
	}
	for i := range idx.Operations {
		operation := &idx.Operations[i]
		at := place{operation.Resource, operation.Register}
		if !operation.Action.onResource() {
			continue
		}
		if c := sectionCall(operation, effects[operation.ID], logged[at]); c != nil {
			operations[at] = append(operations[at], c)
		}
	}
	start := map[place]int64{}
	for _, register := range idx.Header.Registers {
		start[place{register.Resource, register.Register}] = register.Value
	}
	places := slices.AppendSeq(slices.Collect(maps.Keys(operations)), maps.Keys(requests))
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.register, b.register))
	})
	for _, at := range slices.Compact(places) {
		model := registerModel{register: at.register, start: start[at]}
		if calls := operations[at]; len(calls) > 0 {
			result = append(result, &partition{sort: sortCounter, resource: at.resource, register: at.register, model: model, calls: calls})
		}
		if calls := requests[at]; len(calls) > 0 {
			model.fenced = true
			result = append(result, &partition{sort: sortRegister, resource: at.resource, register: at.register, model: model, calls: calls})
		}
	}
	return result
}

// requestCall: a request took effect at the instant of its arrival.
func requestCall(access *Access) *call {
	return &call{
		operation: access.Operation, client: access.Client, action: access.Action, call: access.AtNS, end: access.AtNS,
		fence: access.Fence, value: access.Value, result: access.Result, event: access.Event, line: access.Line,
	}
}

// sectionCall turns an operation on the resource into a call, or nil when it
// had no effect. What the client was not told, or was told wrongly, comes from
// the resource's log where that exists; without it the call is kept open.
func sectionCall(operation *Operation, effects []*Access, logged bool) *call {
	c := &call{
		operation: operation.ID, client: operation.Client, action: operation.Action, call: operation.CallNS,
		end: forever, fence: operation.Fence, value: operation.Value, result: operation.Result, event: operation.Event, line: operation.Line,
	}
	if operation.Outcome == OutcomeOK {
		c.end = *operation.ReturnNS
		return c
	}
	if operation.Action == ActionRead {
		return nil
	}
	for _, access := range effects {
		if !access.Accepted {
			continue
		}
		switch access.Action {
		case ActionRead:
			c.result = access.Result
		case ActionDecrement:
			c.result = access.Result
			c.end = access.AtNS
		case ActionWrite:
			c.end = access.AtNS
		}
	}
	switch {
	case c.end < forever:
		return c
	case logged || operation.Outcome == OutcomeFail:
		return nil
	}
	c.result = nil
	return c
}

// lockCalls lists what the model of a lock must explain: acquisitions that made
// a lease, confirmed extensions, and releases that answered ok. The rest
// cannot free or take the lock as far as any belief is concerned: a lock may
// refuse for any reason, an acquisition or extension that the client never
// learned of entitles nobody to a belief, and from the call of a release on the
// belief is over anyway.
//
// An acquisition whose belief begins at its return is put at that instant.
// That loses nothing: until then no call that is legal while it holds is
// illegal while it does not (its own extensions and release come later, and
// the lock cannot pass on before its belief has ended). Long waits would
// otherwise keep the history from ever being quiet.
func lockCalls(idx *index, resource string) []*call {
	var result []*call
	known := map[*Lease]map[int]bool{}
	for _, lease := range idx.leasesOf[resource] {
		known[lease] = map[int]bool{}
	}
	for _, operation := range idx.lockOperations[resource] {
		if operation.Outcome != OutcomeOK {
			continue
		}
		lease := idx.leases[operation.Lease]
		c := &call{
			operation: operation.ID, client: operation.Client, action: operation.Action, call: operation.CallNS, end: *operation.ReturnNS,
			lease: lease, event: operation.Event, line: operation.Line, confirms: idx.clients[operation.Client].ReleaseConfirms,
		}
		switch operation.Action {
		case ActionAcquire:
			if lease.Validity[0].AtNS == c.end && believedEnd(lease, 0) > 0 {
				c.call = c.end
			}
		case ActionExtend:
			c.validity = lease.learned(c.call, c.end)
		}
		known[lease][c.validity] = true
		result = append(result, c)
	}
	for _, lease := range idx.leasesOf[resource] {
		for position, validity := range lease.Validity {
			if known[lease][position] {
				continue
			}
			c := &call{client: lease.Client, action: ActionExtend, call: validity.AtNS, end: validity.AtNS, lease: lease, validity: position, event: validity.Event, line: lease.Line}
			if position == 0 {
				c.action = ActionAcquire
			}
			result = append(result, c)
		}
	}
	return result
}

// learned finds the validity that an extension made known: the one at its
// return, or else one within it; -1 for none.
func (lease *Lease) learned(from, until int64) int {
	for position := len(lease.Validity) - 1; position > 0; position-- {
		if at := lease.Validity[position].AtNS; at >= from && at <= until {
			return position
		}
	}
	return -1
}
