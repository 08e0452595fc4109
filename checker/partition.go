package checker

import (
	"cmp"
	"maps"
	"slices"
)

// partition is one part of a history that is linearizable, or not, by itself.
type partition struct {
	sort     string // SortLock, SortRegister or SortCounter
	resource string
	register Register
	start    state
	calls    []*call
}

func (p *partition) name() string {
	if p.sort == SortLock {
		return p.sort + " " + p.resource
	}
	return p.sort + " " + p.resource + " (" + string(p.register) + ")"
}

// registerKey identifies one register of one resource.
type registerKey struct {
	resource string
	register Register
}

func compareRegisters(a, b registerKey) int {
	return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.register, b.register))
}

// partitions splits a history: the lock of each resource, then for each register
// the operations of clients, and the requests that the resource saw. Operations
// and requests describe the same effects, so they are never in one partition.
func partitions(idx *index) []*partition {
	var result []*partition
	for _, resource := range idx.resources {
		result = append(result, &partition{SortLock, resource, "", lockState{}, lockCalls(idx, resource)})
	}
	operations, requests := registerCalls(idx)
	start := map[registerKey]int64{}
	for _, register := range idx.Header.Registers {
		start[registerKey{register.Resource, register.Register}] = register.Value
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(operations)), maps.Keys(requests))
	slices.SortFunc(keys, compareRegisters)
	for _, key := range slices.Compact(keys) {
		state := registerState{register: key.register, value: start[key]}
		if calls := operations[key]; len(calls) > 0 {
			result = append(result, &partition{SortCounter, key.resource, key.register, state, calls})
		}
		if calls := requests[key]; len(calls) > 0 {
			state.fenced = true
			result = append(result, &partition{SortRegister, key.resource, key.register, state, calls})
		}
	}
	return result
}

// registerCalls lists the calls on each register, as the clients' operations and
// as the requests that the resource accepted.
func registerCalls(idx *index) (operations, requests map[registerKey][]*call) {
	operations, requests = map[registerKey][]*call{}, map[registerKey][]*call{}
	effects := map[string][]*Access{} // by operation
	logged := map[registerKey]bool{}
	for _, access := range idx.accesses {
		key := registerKey{access.Resource, access.Register}
		logged[key] = true
		if access.Operation != "" {
			effects[access.Operation] = append(effects[access.Operation], access)
		}
		if access.Accepted {
			requests[key] = append(requests[key], &call{
				operation: access.Operation, client: access.Client, action: access.Action,
				call: access.AtNS, end: access.AtNS, // it took effect when it arrived
				fence: access.Fence, value: access.Value, result: access.Result, event: access.Event, line: access.Line,
			})
		}
	}
	for operation := range each(idx.Operations) {
		if !operation.Action.OnResource() {
			continue
		}
		key := registerKey{operation.Resource, operation.Register}
		if c := operationCall(operation, idx.leases[operation.Lease], effects[operation.ID], logged[key]); c != nil {
			operations[key] = append(operations[key], c)
		}
	}
	return operations, requests
}

// operationCall returns the call for an operation on the resource, nil when it
// had no effect. If the client did not learn the outcome, the resource's log
// tells it. Without a log, the call may take effect at any later time, or never.
func operationCall(operation *Operation, lease *Lease, effects []*Access, logged bool) *call {
	c := &call{
		operation: operation.ID, client: operation.Client, action: operation.Action,
		call: operation.CallNS, end: forever, lease: lease,
		fence: operation.Fence, value: operation.Value, result: operation.Result,
		event: operation.Event, line: operation.Line,
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
// a lease, confirmed extensions, and releases that answered ok. Other operations
// change no belief. A lock may refuse for any reason. An acquisition or extension
// whose success the client never learned entitles nobody to a belief, and so does
// a lease that was over when it was learned of. After the call of a release the
// belief has ended in any case.
//
// An acquisition whose belief begins at its return takes effect at that instant.
// This loses nothing: no call is legal between its call and its return only
// because the lock is held already. Its own extensions and release come later,
// and the lock cannot pass on before its belief has ended. It keeps long waits
// from making the history busy all the time, which would make the search slow.
func lockCalls(idx *index, resource string) []*call {
	var result []*call
	type validityOf struct {
		lease    *Lease
		position int
	}
	known := map[validityOf]bool{} // the validities that operations made known
	for _, operation := range idx.lockOperations[resource] {
		lease := idx.leases[operation.Lease]
		if operation.Outcome != OutcomeOK || len(idx.beliefs[lease.ID]) == 0 {
			continue
		}
		c := &call{
			operation: operation.ID, client: operation.Client, action: operation.Action,
			call: operation.CallNS, end: *operation.ReturnNS, lease: lease,
			confirms: idx.clients[operation.Client].ReleaseConfirms, event: operation.Event, line: operation.Line,
		}
		switch operation.Action {
		case ActionAcquire:
			if lease.AcquiredNS() == c.end && believedEnd(lease, 0) > 0 {
				c.call = c.end
			}
		case ActionExtend:
			c.validity = validityWithin(lease, c.call, c.end)
		}
		known[validityOf{lease, c.validity}] = true
		result = append(result, c)
	}
	for _, lease := range idx.leasesOf[resource] {
		for position, validity := range lease.Validity {
			if known[validityOf{lease, position}] || len(idx.beliefs[lease.ID]) == 0 {
				continue
			}
			c := &call{
				client: lease.Client, action: ActionExtend, call: validity.AtNS, end: validity.AtNS,
				lease: lease, validity: position, event: validity.Event, line: lease.Line,
			}
			if position == 0 {
				c.action = ActionAcquire
			}
			result = append(result, c)
		}
	}
	return result
}

// validityWithin is the position of the last validity that became known between
// the call and the return of an extension; -1 when there is none.
func validityWithin(lease *Lease, from, until int64) int {
	for position := len(lease.Validity) - 1; position > 0; position-- {
		if at := lease.Validity[position].AtNS; at >= from && at <= until {
			return position
		}
	}
	return -1
}
