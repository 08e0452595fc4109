package checker

import "slices"

// leaseCalls checks that leases agree with the calls on them, if the history has
// any: a belief begins at the return of the acquisition or later, a call comes
// after the acquisition, and the release is the call of one.
func (c *problemCheck) leaseCalls() {
	released := map[string]int64{} // the first call of release
	recorded := map[string]bool{}
	for _, operation := range c.operations {
		if operation.Lease == "" || operation.Action.OnResource() {
			continue
		}
		recorded[operation.Lease] = true
		if operation.Action == ActionRelease {
			first, known := released[operation.Lease]
			if !known || operation.CallNS < first {
				released[operation.Lease] = operation.CallNS
			}
		}
	}
	for i := range c.Leases {
		lease := &c.Leases[i]
		if c.leases[lease.ID] != lease || !recorded[lease.ID] {
			continue
		}
		first, called := released[lease.ID]
		name := "lease " + lease.ID
		switch {
		case lease.ReleasedNS == nil && called:
			c.add(lease.Line, name, "released_ns: missing; its first release is called at %d", first)
		case lease.ReleasedNS != nil && !called:
			c.add(lease.Line, name, "released_ns %d is no call of release", *lease.ReleasedNS)
		case called && *lease.ReleasedNS != first:
			c.add(lease.Line, name, "released_ns %d is not the first call of release, at %d", *lease.ReleasedNS, first)
		}
	}
}

// operationOnLease checks that an operation agrees with the lease that it names.
func (c *problemCheck) operationOnLease(operation *Operation, lease *Lease) {
	name := "op " + operation.ID
	if operation.Fence != nil && lease.Fence != nil && *operation.Fence != *lease.Fence {
		c.add(operation.Line, name, "fence %d is not that of lease %q, %d", *operation.Fence, lease.ID, *lease.Fence)
	}
	if operation.Action != ActionAcquire {
		if operation.CallNS < lease.AcquiredNS() {
			c.add(operation.Line, name, "it is called at %d, before lease %q was acquired at %d", operation.CallNS, lease.ID, lease.AcquiredNS())
		}
		return
	}
	if operation.Outcome != OutcomeOK {
		c.add(operation.Line, name, "it made lease %q, and its outcome is %q", lease.ID, operation.Outcome)
		return
	}
	if operation.Token != "" && lease.Token != "" && operation.Token != lease.Token {
		c.add(operation.Line, name, "token %q is not that of lease %q, %q", operation.Token, lease.ID, lease.Token)
	}
	if at := lease.AcquiredNS(); at >= operation.CallNS && at < *operation.ReturnNS {
		c.add(operation.Line, name, "lease %q is believed from %d, before the return at %d", lease.ID, at, *operation.ReturnNS)
	}
}

// accessOnLease checks that an access agrees with the lease that it names. A
// write without a lease has no place at a resource with leases.
func (c *problemCheck) accessOnLease(access *Access, name string) {
	lease := c.leases[access.Lease]
	switch {
	case lease != nil && access.SentNS < lease.AcquiredNS():
		c.add(access.Line, name, "it is sent at %d, before lease %q was acquired at %d", access.SentNS, lease.ID, lease.AcquiredNS())
	case lease != nil && access.Fence != nil && lease.Fence != nil && *access.Fence != *lease.Fence:
		c.add(access.Line, name, "fence %d is not that of lease %q, %d", *access.Fence, lease.ID, *lease.Fence)
	case access.Lease == "" && access.Accepted && access.Action != ActionRead && c.leased[access.Resource]:
		c.add(access.Line, name, "it changes resource %q and names no lease", access.Resource)
	}
}

// accessOfOperation checks that an access agrees with the operation that it
// belongs to.
func (c *problemCheck) accessOfOperation(access *Access, operation *Operation, name string) {
	disagrees := func(field string, a, b any) {
		c.add(access.Line, name, "%s %v is not that of op %s, %v", field, a, operation.ID, b)
	}
	same, read := access.Action == operation.Action, access.Action == ActionRead
	fits := same || operation.Action == ActionDecrement // it reads, then writes
	resulted := access.Accepted && access.Action != ActionWrite && operation.Outcome == OutcomeOK
	switch {
	case access.Client != operation.Client:
		disagrees("client", access.Client, operation.Client)
	case access.Resource != operation.Resource:
		disagrees("resource", access.Resource, operation.Resource)
	case !operation.Action.OnResource() || !fits:
		disagrees("action", access.Action, operation.Action)
	case access.Register != operation.Register:
		disagrees("register", access.Register, operation.Register)
	case access.Lease != operation.Lease:
		disagrees("lease", access.Lease, operation.Lease)
	case access.Fence != nil && operation.Fence != nil && *access.Fence != *operation.Fence:
		disagrees("fence", *access.Fence, *operation.Fence)
	case operation.Action == ActionWrite && *access.Value != *operation.Value:
		disagrees("value", *access.Value, *operation.Value)
	case resulted && *access.Result != *operation.Result:
		disagrees("result", *access.Result, *operation.Result)
	case access.SentNS < operation.CallNS:
		c.add(access.Line, name, "it is sent at %d, before the call of op %s at %d", access.SentNS, operation.ID, operation.CallNS)
	case operation.Outcome == OutcomeOK && access.AtNS > *operation.ReturnNS:
		c.add(access.Line, name, "it arrives at %d, after op %s returned %q at %d", access.AtNS, operation.ID, operation.Outcome, *operation.ReturnNS)
	case operation.Outcome == OutcomeFail && access.Accepted && (same || !read):
		c.add(access.Line, name, "it is accepted, and op %s failed", operation.ID)
	}
}

// accessesOfOperations checks that each operation has at most one access of each
// action, and that a successful one on a register with a log has its accesses.
func (c *problemCheck) accessesOfOperations() {
	type use struct {
		operation string
		action    Action
	}
	first := map[use]*Access{}
	accepted := map[string][]Action{}
	logged := map[registerKey]bool{}
	for i := range c.Accesses {
		access := &c.Accesses[i]
		logged[registerKey{access.Resource, access.Register}] = true
		if access.Operation == "" {
			continue
		}
		key := use{access.Operation, access.Action}
		if earlier := first[key]; earlier != nil {
			c.add(access.Line, "access by "+access.Client, "op %s has a %s on line %d already", access.Operation, access.Action, earlier.Line)
		}
		first[key] = access
		if access.Accepted {
			accepted[access.Operation] = append(accepted[access.Operation], access.Action)
		}
	}
	for i := range c.Operations {
		operation := &c.Operations[i]
		if c.operations[operation.ID] != operation || !operation.Action.OnResource() || operation.Outcome != OutcomeOK {
			continue
		}
		has := func(action Action) bool { return slices.Contains(accepted[operation.ID], action) }
		if logged[registerKey{operation.Resource, operation.Register}] && !has(operation.Action) &&
			!(operation.Action == ActionDecrement && has(ActionWrite)) {
			c.add(operation.Line, "op "+operation.ID, "it succeeded, and the log of the register has no accepted %s of it", operation.Action)
		}
	}
}

// nodeOnLease checks that a line of a node's log agrees with the lease and the
// operation that it names.
func (c *problemCheck) nodeOnLease(event *NodeEvent, name string) {
	if lease := c.leases[event.Lease]; lease != nil {
		switch {
		case lease.Client != event.Client || lease.Resource != event.Resource:
			c.add(event.Line, name, "lease %q belongs to client %q and resource %q", lease.ID, lease.Client, lease.Resource)
		case event.Token != "" && lease.Token != "" && event.Token != lease.Token:
			c.add(event.Line, name, "token %q is not that of lease %q, %q", event.Token, lease.ID, lease.Token)
		}
	}
	if operation := c.operations[event.Operation]; operation != nil {
		switch {
		case operation.Client != event.Client || operation.Resource != event.Resource:
			c.add(event.Line, name, "op %q belongs to client %q and resource %q", operation.ID, operation.Client, operation.Resource)
		case event.AtNS < operation.CallNS:
			c.add(event.Line, name, "it is executed at %d, before the call of op %s at %d", event.AtNS, operation.ID, operation.CallNS)
		}
	}
}

// clockOfFact checks that a fact about a client's clock says which of its clocks.
func (c *problemCheck) clockOfFact(fact *Fact, name string) {
	if !c.clients[fact.Who] || fact.Fact != FactClockStep && fact.Fact != FactClockRate {
		return
	}
	if err := oneOf("clock", fact.Clock, ClockWall, ClockMonotonic, ClockBoottime); err != nil {
		c.add(fact.Line, name, "%v", err)
	}
}
