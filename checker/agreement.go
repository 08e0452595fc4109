package checker

import (
	"math"
	"slices"
)

// leaseCalls checks that leases agree with the calls on them, if the history has
// any: a belief begins at the return of the acquisition or later, a call comes
// after the acquisition, and the release is the call of one.
func (c *problemCheck) leaseCalls() {
	recorded := map[string][]*Operation{}
	for _, operation := range c.calls {
		if operation.Lease != "" && !operation.Action.OnResource() {
			recorded[operation.Lease] = append(recorded[operation.Lease], operation)
		}
	}
	for _, lease := range c.made {
		calls := recorded[lease.ID]
		if calls == nil {
			continue
		}
		var extensions []*Operation
		var first *Operation // call of release
		for _, call := range calls {
			switch {
			case call.Action == ActionExtend:
				extensions = append(extensions, call)
			case call.Action == ActionRelease && (first == nil || call.CallNS < first.CallNS):
				first = call
			}
		}
		c.lengthened(lease, extensions)
		switch {
		case lease.ReleasedNS == nil && first != nil:
			c.add(lease, "released_ns: missing; its first release is called at %d", first.CallNS)
		case lease.ReleasedNS != nil && first == nil:
			c.add(lease, "released_ns %d is no call of release", *lease.ReleasedNS)
		case first != nil && *lease.ReleasedNS != first.CallNS:
			c.add(lease, "released_ns %d is not the first call of release, at %d", *lease.ReleasedNS, first.CallNS)
		}
	}
}

// lengthened checks that whatever lengthens a belief is known, if the history has the calls on
// the lease: an extension that may have succeeded, or the lock by itself. Each extension that
// succeeded before the release changed the validity.
func (c *problemCheck) lengthened(lease *Lease, extensions []*Operation) {
	for i, validity := range lease.Validity[1:] {
		longer := validity.UntilNS > lease.Validity[i].UntilNS
		if longer && !validity.Renewed && !slices.ContainsFunc(extensions, func(o *Operation) bool {
			return o.Outcome != OutcomeFail && o.ReturnNS != nil && *o.ReturnNS == validity.AtNS
		}) {
			c.add(lease, "validity: it is lengthened at %d, where no extension returned ok or unknown; allowed: \"renewed\": true, if the lock did it by itself", validity.AtNS)
		}
	}
	for _, o := range extensions {
		known := o.Outcome != OutcomeOK || lease.ReleasedNS != nil && *lease.ReleasedNS <= *o.ReturnNS
		if !known && !slices.ContainsFunc(lease.Validity, func(v Validity) bool { return v.AtNS == *o.ReturnNS }) {
			c.add(lease, "validity: no entry at %d, where op %s returned ok", *o.ReturnNS, o.ID)
		}
	}
}

// operationOnLease checks that an operation agrees with the lease that it names.
func (c *problemCheck) operationOnLease(operation *Operation, lease *Lease) {
	if operation.Fence != nil && lease.Fence != nil && *operation.Fence != *lease.Fence {
		c.add(operation, "fence %d is not that of lease %q, %d", *operation.Fence, lease.ID, *lease.Fence)
	}
	if operation.Action != ActionAcquire {
		if operation.CallNS < lease.AcquiredNS() {
			c.add(operation, "it is called at %d, before lease %q was acquired at %d", operation.CallNS, lease.ID, lease.AcquiredNS())
		}
		return
	}
	if operation.Outcome != OutcomeOK {
		c.add(operation, "it made lease %q, and its outcome is %q", lease.ID, operation.Outcome)
		return
	}
	if operation.Token != "" && lease.Token != "" && operation.Token != lease.Token {
		c.add(operation, "token %q is not that of lease %q, %q", operation.Token, lease.ID, lease.Token)
	}
	if at := lease.AcquiredNS(); at >= operation.CallNS && at < *operation.ReturnNS {
		c.add(operation, "lease %q is believed from %d, before the return at %d", lease.ID, at, *operation.ReturnNS)
	}
}

// accessOnLease checks that an access agrees with the lease that it names. A
// write without a lease has no place at a resource with leases.
func (c *problemCheck) accessOnLease(access *Access) {
	lease := c.leases[access.Lease]
	if lease != nil {
		c.leaseOfAnother(access, lease, access.Client, access.Resource)
	}
	switch {
	case lease != nil && access.SentNS < lease.AcquiredNS():
		c.add(access, "it is sent at %d, before lease %q was acquired at %d", access.SentNS, lease.ID, lease.AcquiredNS())
	case lease != nil && access.Fence != nil && lease.Fence != nil && *access.Fence != *lease.Fence:
		c.add(access, "fence %d is not that of lease %q, %d", *access.Fence, lease.ID, *lease.Fence)
	case access.Lease == "" && access.Accepted && access.Action != ActionRead && c.leased[access.Resource]:
		c.add(access, "it changes resource %q and names no lease", access.Resource)
	}
}

// accessOfOperation checks that an access agrees with the operation that it
// belongs to.
func (c *problemCheck) accessOfOperation(access *Access, operation *Operation) {
	disagrees := func(field string, a, b any) {
		c.add(access, "%s %v is not that of op %s, %v", field, a, operation.ID, b)
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
		c.add(access, "it is sent at %d, before the call of op %s at %d", access.SentNS, operation.ID, operation.CallNS)
	case operation.Outcome == OutcomeOK && access.AtNS > *operation.ReturnNS:
		c.add(access, "it arrives at %d, after op %s returned %q at %d", access.AtNS, operation.ID, operation.Outcome, *operation.ReturnNS)
	case operation.Outcome == OutcomeFail && access.Accepted && (same || !read):
		c.add(access, "it is accepted, and op %s failed", operation.ID)
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
	for access := range each(c.Accesses) {
		logged[registerKey{access.Resource, access.Register}] = true
		if access.Operation == "" {
			continue
		}
		key := use{access.Operation, access.Action}
		if earlier := first[key]; earlier != nil {
			c.add(access, "op %s has a %s on line %d already", access.Operation, access.Action, earlier.Line)
		}
		first[key] = access
		if access.Accepted {
			accepted[access.Operation] = append(accepted[access.Operation], access.Action)
		}
	}
	for _, operation := range c.calls {
		if !operation.Action.OnResource() || operation.Outcome != OutcomeOK {
			continue
		}
		has := func(action Action) bool { return slices.Contains(accepted[operation.ID], action) }
		if logged[registerKey{operation.Resource, operation.Register}] && !has(operation.Action) &&
			!(operation.Action == ActionDecrement && has(ActionWrite)) {
			c.add(operation, "it succeeded, and the log of the register has no accepted %s of it", operation.Action)
		}
	}
}

// nodeOnLease checks that a line of a node's log agrees with the lease and the
// operation that it names.
func (c *problemCheck) nodeOnLease(event *NodeEvent) {
	if lease := c.leases[event.Lease]; lease != nil {
		another := c.leaseOfAnother(event, lease, event.Client, event.Resource)
		if !another && event.Token != "" && lease.Token != "" && event.Token != lease.Token {
			c.add(event, "token %q is not that of lease %q, %q", event.Token, lease.ID, lease.Token)
		}
	}
	if operation := c.operations[event.Operation]; operation != nil {
		switch {
		case operation.Client != event.Client || operation.Resource != event.Resource:
			c.add(event, "op %q belongs to client %q and resource %q", operation.ID, operation.Client, operation.Resource)
		case event.AtNS < operation.CallNS:
			c.add(event, "it is executed at %d, before the call of op %s at %d", event.AtNS, operation.ID, operation.CallNS)
		}
	}
}

// longestLife is the longest time that a key of a lock can have left on a node, in true time: the
// largest TTL, and what steps and rates of the node's clock add. A third party may give a key any.
func (c *problemCheck) longestLife(node, key string) int64 {
	longest := c.Header.TTLNS
	for event := range each(c.NodeEvents) {
		if event.Node == node && event.Resource == key {
			longest = max(longest, event.TTLNS)
		}
	}
	slowest := int64(0)
	for fact := range each(c.Facts) {
		switch {
		case fact.Fact == FactOwner && fact.Node == node && fact.Key == key:
			return forever
		case fact.Fact == FactClockStep && fact.Who == node && fact.DeltaNS < 0:
			longest -= fact.DeltaNS
		case fact.Fact == FactClockRate && fact.Who == node:
			slowest = min(slowest, fact.ErrorPPM)
		}
	}
	if slowest <= -1_000_000 {
		return forever
	}
	return int64(math.Ceil(float64(longest) / (1 + float64(slowest)/1_000_000)))
}
