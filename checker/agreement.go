package checker

import (
	"math"
	"slices"
)

// leaseCalls checks that leases agree with the calls on them, if the history has
// any: a belief begins at the return of the acquisition or later, a call comes
// after the acquisition, and the release is the call of one.
func (c *problemCheck) leaseCalls() {
	released := map[string]int64{} // the first call of release
	recorded := map[string]bool{}
	extensions := map[string][]*Operation{}
	for _, operation := range c.operations {
		if operation.Lease == "" || operation.Action.OnResource() {
			continue
		}
		recorded[operation.Lease] = true
		if operation.Action == ActionExtend {
			extensions[operation.Lease] = append(extensions[operation.Lease], operation)
		}
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
		c.lengthened(lease, extensions[lease.ID])
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

// lengthened checks that whatever lengthens a belief is known, if the history has the calls on
// the lease: an extension that may have succeeded, or the lock by itself. Each extension that
// succeeded before the release changed the validity.
func (c *problemCheck) lengthened(lease *Lease, extensions []*Operation) {
	name := "lease " + lease.ID
	returned := func(at int64, outcomes ...Outcome) bool {
		return slices.ContainsFunc(extensions, func(o *Operation) bool {
			return o.ReturnNS != nil && *o.ReturnNS == at && slices.Contains(outcomes, o.Outcome)
		})
	}
	for i, validity := range lease.Validity[1:] {
		longer := validity.UntilNS > lease.Validity[i].UntilNS
		if longer && !validity.Renewed && !returned(validity.AtNS, OutcomeOK, OutcomeUnknown) {
			c.add(lease.Line, name, "validity: it is lengthened at %d, where no extension returned ok or unknown; allowed: \"renewed\": true, if the lock did it by itself", validity.AtNS)
		}
	}
	for _, o := range extensions {
		known := o.Outcome != OutcomeOK || lease.ReleasedNS != nil && *lease.ReleasedNS <= *o.ReturnNS
		if !known && !slices.ContainsFunc(lease.Validity, func(v Validity) bool { return v.AtNS == *o.ReturnNS }) {
			c.add(lease.Line, name, "validity: no entry at %d, where op %s returned ok", *o.ReturnNS, o.ID)
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

// longestLife is the longest time that a key of a lock can have left on a node, in true time: the
// largest TTL, and what steps and rates of the node's clock add. A third party may give a key any.
func (c *problemCheck) longestLife(node, key string) int64 {
	longest := c.Header.TTLNS
	for i := range c.NodeEvents {
		if event := &c.NodeEvents[i]; event.Node == node && event.Resource == key {
			longest = max(longest, event.TTLNS)
		}
	}
	slowest := int64(0)
	for i := range c.Facts {
		fact := &c.Facts[i]
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
