package checker

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Problem is a contradiction in a history. A history with problems is not
// judged: each oracle is inconclusive.
type Problem struct {
	// Line is the line in the file, or the line that Write would write, from 1.
	Line   int    `json:"line"`
	Record string `json:"record"`
	Text   string `json:"text"`
}

func (problem Problem) String() string {
	return fmt.Sprintf("line %d: %s: %s", problem.Line, problem.Record, problem.Text)
}

func (header *Header) name() string       { return "header" }
func (operation *Operation) name() string { return "op " + operation.ID }
func (lease *Lease) name() string         { return "lease " + lease.ID }
func (event *NodeEvent) name() string     { return "node " + event.Node }
func (access *Access) name() string       { return "access by " + access.Client }
func (fact *Fact) name() string           { return "fact " + string(fact.Fact) }
func (goal *Goal) name() string           { return "goal " + goal.ID }

// problemsOf finds the contradictions in a history, in the order of lines. It
// checks that ids are unique, references lead somewhere, times lie within the
// run, a call comes before its return, and a lease agrees with its acquisition.
// It also checks that a client has one operation under way at a time. Extensions
// are exempt: those have one at a time per lease.
func problemsOf(history *History) []Problem {
	check := &problemCheck{
		History: history, nodes: map[string]bool{}, clients: map[string]bool{},
		operations: map[string]*Operation{}, leases: map[string]*Lease{}, leased: map[string]bool{},
	}
	check.header()
	check.operationRecords()
	check.leaseRecords()
	check.leasesOfOperations()
	check.leaseCalls()
	check.oneAtATime()
	check.nodeRecords()
	check.accessRecords()
	check.accessesOfOperations()
	check.factRecords()
	check.goalRecords()
	slices.SortStableFunc(check.found, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return check.found
}

type problemCheck struct {
	*History
	nodes, clients map[string]bool
	operations     map[string]*Operation // valid ones
	leases         map[string]*Lease     // valid ones
	calls          []*Operation          // operations, in the order of lines
	made           []*Lease              // leases, in the order of lines
	leased         map[string]bool       // resources with a lease
	found          []Problem
}

func (c *problemCheck) add(about record, format string, arguments ...any) {
	c.found = append(c.found, Problem{about.head().Line, about.name(), fmt.Sprintf(format, arguments...)})
}

// valid goes through the records that are valid by themselves. The reader has checked that
// already for a history from a file, but not for one from memory.
func valid[T any, P recordOf[T]](c *problemCheck, records []T) iter.Seq[P] {
	return func(yield func(P) bool) {
		for record := range each(records) {
			if c.accept(P(record), P(record).validate()) && !yield(record) {
				return
			}
		}
	}
}

// accept reports whether there is no error about a record, and adds the error otherwise.
func (c *problemCheck) accept(about record, err error) bool {
	if err != nil {
		c.add(about, "%v", err)
	}
	return err == nil
}

func (c *problemCheck) header() {
	header := &c.Header
	c.accept(header, header.validate())
	for _, client := range header.Clients {
		if c.clients[client.Name] {
			c.add(header, "client %q is listed twice", client.Name)
		}
		c.clients[client.Name] = true
	}
	for _, node := range header.Nodes {
		if c.nodes[node] || c.clients[node] {
			c.add(header, "name %q is used twice", node)
		}
		c.nodes[node] = true
	}
	starts := map[registerKey]bool{}
	for _, start := range header.Registers {
		key := registerKey{start.Resource, start.Register}
		if starts[key] {
			c.add(header, "the %s register of %q is listed twice", start.Register, start.Resource)
		}
		starts[key] = true
	}
	if len(header.Nodes) > 0 && (header.Quorum < 1 || header.Quorum > len(header.Nodes)) {
		c.add(header, "quorum %d is not between 1 and the %d nodes", header.Quorum, len(header.Nodes))
	}
}

func (c *problemCheck) operationRecords() {
	for operation := range valid(c, c.Operations) {
		if earlier := c.operations[operation.ID]; earlier != nil {
			c.usedTwice(operation, earlier)
			continue
		}
		c.operations[operation.ID] = operation
		c.calls = append(c.calls, operation)
		c.client(operation, operation.Client)
		c.within(operation, "call_ns", operation.CallNS)
		if operation.ReturnNS != nil {
			c.within(operation, "return_ns", *operation.ReturnNS)
			if *operation.ReturnNS < operation.CallNS {
				c.add(operation, "it returns at %d, before its call at %d", *operation.ReturnNS, operation.CallNS)
			}
		}
		if operation.Action == ActionAcquire && operation.Outcome == OutcomeOK && operation.Lease == "" {
			c.add(operation, "a successful acquisition must name its lease")
		}
	}
}

func (c *problemCheck) leaseRecords() {
	for lease := range valid(c, c.Leases) {
		if earlier := c.leases[lease.ID]; earlier != nil {
			c.usedTwice(lease, earlier)
			continue
		}
		c.leases[lease.ID] = lease
		c.made = append(c.made, lease)
		c.leased[lease.Resource] = true
		c.client(lease, lease.Client)
		for _, validity := range lease.Validity {
			c.within(lease, "at_ns", validity.AtNS)
		}
		if lease.ReleasedNS != nil {
			c.within(lease, "released_ns", *lease.ReleasedNS)
			if *lease.ReleasedNS < lease.AcquiredNS() {
				c.add(lease, "it is released at %d, before it was acquired at %d", *lease.ReleasedNS, lease.AcquiredNS())
			}
		}
		if lease.Operation != "" {
			c.acquisition(lease)
		}
	}
}

// leasesOfOperations checks that each operation agrees with the lease that it names.
func (c *problemCheck) leasesOfOperations() {
	acquiredBy := map[string]*Operation{}
	for _, operation := range c.calls {
		if operation.Lease == "" {
			continue
		}
		lease := c.leases[operation.Lease]
		if lease == nil {
			c.add(operation, "there is no lease %q", operation.Lease)
			continue
		}
		c.leaseOfAnother(operation, lease, operation.Client, operation.Resource)
		c.operationOnLease(operation, lease)
		if operation.Action != ActionAcquire || operation.Outcome != OutcomeOK {
			continue
		}
		if earlier := acquiredBy[lease.ID]; earlier != nil {
			c.add(operation, "lease %q was already acquired by op %s on line %d", lease.ID, earlier.ID, earlier.Line)
		}
		acquiredBy[lease.ID] = operation
		if lease.AcquiredNS() < operation.CallNS {
			c.add(operation, "lease %q begins at %d, before the call at %d", lease.ID, lease.AcquiredNS(), operation.CallNS)
		}
		if lease.Operation != "" && lease.Operation != operation.ID {
			c.add(operation, "lease %q says that it was acquired by op %q", lease.ID, lease.Operation)
		}
	}
}

// acquisition checks the acquisition that a lease names.
func (c *problemCheck) acquisition(lease *Lease) {
	operation := c.operations[lease.Operation]
	switch {
	case operation == nil:
		c.add(lease, "there is no op %q", lease.Operation)
	case operation.Action != ActionAcquire || operation.Outcome != OutcomeOK:
		c.add(lease, "op %q is not a successful acquisition", lease.Operation)
	case operation.Client != lease.Client || operation.Resource != lease.Resource:
		c.add(lease, "op %q belongs to client %q and resource %q", lease.Operation, operation.Client, operation.Resource)
	case operation.Lease != lease.ID:
		c.add(lease, "op %q names lease %q", lease.Operation, operation.Lease)
	}
}

// oneAtATime checks that the calls of one client do not overlap. Extensions may
// overlap with other calls, but not with each other for the same lease.
func (c *problemCheck) oneAtATime() {
	type thread struct{ client, extended string }
	last := map[thread]*Operation{}
	byCall := func(a, b *Operation) int { return cmp.Compare(a.CallNS, b.CallNS) }
	for _, operation := range slices.SortedStableFunc(slices.Values(c.calls), byCall) {
		key := thread{client: operation.Client}
		if operation.Action == ActionExtend {
			key.extended = "lease " + operation.Lease
		}
		if before := last[key]; before != nil && orForever(before.ReturnNS) > operation.CallNS {
			c.add(operation, "client %q still has op %s (line %d) under way", operation.Client, before.ID, before.Line)
		}
		last[key] = operation
	}
}

func (c *problemCheck) nodeRecords() {
	for event := range valid(c, c.NodeEvents) {
		c.node(event, event.Node)
		c.within(event, "at_ns", event.AtNS)
		c.reference(event, event.Lease, event.Operation)
		c.nodeOnLease(event)
	}
}

func (c *problemCheck) accessRecords() {
	for access := range valid(c, c.Accesses) {
		c.client(access, access.Client)
		c.within(access, "at_ns", access.AtNS)
		c.reference(access, access.Lease, access.Operation)
		if access.SentNS > access.AtNS {
			c.add(access, "it arrives at %d, before it was sent at %d", access.AtNS, access.SentNS)
		}
		c.accessOnLease(access)
		if operation := c.operations[access.Operation]; operation != nil {
			c.accessOfOperation(access, operation)
		}
	}
}

func (c *problemCheck) factRecords() {
	for fact := range valid(c, c.Facts) {
		c.within(fact, "at_ns", fact.AtNS)
		if c.clients[fact.Who] && (fact.Fact == FactClockStep || fact.Fact == FactClockRate) {
			c.accept(fact, oneOf("clock", fact.Clock, ClockWall, ClockMonotonic, ClockBoottime))
		}
		c.client(fact, fact.Client)
		c.node(fact, fact.Node)
		if fact.Fact == FactForgot || fact.Fact == FactRevived {
			if longest := c.longestLife(fact.Node, fact.Key); fact.RemainingNS > longest {
				c.add(fact, "remaining_ns %d is more than a key of %q can have left, %d", fact.RemainingNS, fact.Key, longest)
			}
		}
		if fact.Fact != FactMembership {
			for _, node := range fact.Nodes {
				c.node(fact, node)
			}
		}
		if fact.Who != "" && !c.clients[fact.Who] && !c.nodes[fact.Who] {
			c.add(fact, "%q is neither a client nor a node of the header", fact.Who)
		}
	}
}

func (c *problemCheck) goalRecords() {
	last := map[string]*Goal{}
	for goal := range valid(c, c.Goals) {
		if earlier := last[goal.ID]; earlier != nil {
			c.usedTwice(goal, earlier)
		}
		last[goal.ID] = goal
		c.client(goal, goal.Client)
		c.client(goal, goal.Except)
	}
}

func (c *problemCheck) usedTwice(about, earlier record) {
	c.add(about, "the id is already used on line %d", earlier.head().Line)
}

func (c *problemCheck) client(about record, name string) {
	if name != "" && !c.clients[name] {
		c.add(about, "the header lists no client %q", name)
	}
}

func (c *problemCheck) node(about record, name string) {
	if name != "" && !c.nodes[name] {
		c.add(about, "the header lists no node %q", name)
	}
}

func (c *problemCheck) reference(about record, lease, operation string) {
	if lease != "" && c.leases[lease] == nil {
		c.add(about, "there is no lease %q", lease)
	}
	if operation != "" && c.operations[operation] == nil {
		c.add(about, "there is no op %q", operation)
	}
}

func (c *problemCheck) within(about record, field string, at int64) {
	if at > c.Header.EndNS {
		c.add(about, "%s %d lies after the end of the run at %d", field, at, c.Header.EndNS)
	}
}

// leaseOfAnother reports whether a record names a lease of another client or resource.
func (c *problemCheck) leaseOfAnother(about record, lease *Lease, client, resource string) bool {
	another := lease.Client != client || lease.Resource != resource
	if another {
		c.add(about, "lease %q belongs to client %q and resource %q", lease.ID, lease.Client, lease.Resource)
	}
	return another
}
