package checker

import (
	"cmp"
	"fmt"
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
	operations     map[string]*Operation
	leases         map[string]*Lease
	leased         map[string]bool // resources with a lease
	found          []Problem
}

func (c *problemCheck) add(line int, record, format string, arguments ...any) {
	c.found = append(c.found, Problem{line, record, fmt.Sprintf(format, arguments...)})
}

// valid checks a record by itself. The reader has done that already for a
// history from a file, but not for one from memory.
func (c *problemCheck) valid(line int, name string, value record) bool {
	if err := value.validate(); err != nil {
		c.add(line, name, "%v", err)
		return false
	}
	return true
}

func (c *problemCheck) header() {
	header, line := &c.Header, c.Header.Line
	c.valid(line, "header", header)
	for _, client := range header.Clients {
		if c.clients[client.Name] {
			c.add(line, "header", "client %q is listed twice", client.Name)
		}
		c.clients[client.Name] = true
	}
	for _, node := range header.Nodes {
		if c.nodes[node] || c.clients[node] {
			c.add(line, "header", "name %q is used twice", node)
		}
		c.nodes[node] = true
	}
	starts := map[registerKey]bool{}
	for _, start := range header.Registers {
		key := registerKey{start.Resource, start.Register}
		if starts[key] {
			c.add(line, "header", "the %s register of %q is listed twice", start.Register, start.Resource)
		}
		starts[key] = true
	}
	if len(header.Nodes) > 0 && (header.Quorum < 1 || header.Quorum > len(header.Nodes)) {
		c.add(line, "header", "quorum %d is not between 1 and the %d nodes", header.Quorum, len(header.Nodes))
	}
}

func (c *problemCheck) operationRecords() {
	for i := range c.Operations {
		operation := &c.Operations[i]
		line, name := operation.Line, "op "+operation.ID
		if !c.valid(line, name, operation) {
			continue
		}
		if earlier := c.operations[operation.ID]; earlier != nil {
			c.add(line, name, "the id is already used on line %d", earlier.Line)
			continue
		}
		c.operations[operation.ID] = operation
		c.client(line, name, operation.Client)
		c.within(line, name, "call_ns", operation.CallNS)
		if operation.ReturnNS != nil {
			c.within(line, name, "return_ns", *operation.ReturnNS)
			if *operation.ReturnNS < operation.CallNS {
				c.add(line, name, "it returns at %d, before its call at %d", *operation.ReturnNS, operation.CallNS)
			}
		}
		if operation.Action == ActionAcquire && operation.Outcome == OutcomeOK && operation.Lease == "" {
			c.add(line, name, "a successful acquisition must name its lease")
		}
	}
}

func (c *problemCheck) leaseRecords() {
	for i := range c.Leases {
		lease := &c.Leases[i]
		line, name := lease.Line, "lease "+lease.ID
		if !c.valid(line, name, lease) {
			continue
		}
		if earlier := c.leases[lease.ID]; earlier != nil {
			c.add(line, name, "the id is already used on line %d", earlier.Line)
			continue
		}
		c.leases[lease.ID] = lease
		c.leased[lease.Resource] = true
		c.client(line, name, lease.Client)
		for _, validity := range lease.Validity {
			c.within(line, name, "at_ns", validity.AtNS)
		}
		if lease.ReleasedNS != nil {
			c.within(line, name, "released_ns", *lease.ReleasedNS)
			if *lease.ReleasedNS < lease.AcquiredNS() {
				c.add(line, name, "it is released at %d, before it was acquired at %d", *lease.ReleasedNS, lease.AcquiredNS())
			}
		}
		if lease.Operation != "" {
			c.acquisition(lease, name)
		}
	}
}

// leasesOfOperations checks that each operation agrees with the lease that it names.
func (c *problemCheck) leasesOfOperations() {
	acquiredBy := map[string]*Operation{}
	for i := range c.Operations {
		operation := &c.Operations[i]
		if operation.Lease == "" || c.operations[operation.ID] != operation {
			continue
		}
		name := "op " + operation.ID
		lease := c.leases[operation.Lease]
		switch {
		case lease == nil:
			c.add(operation.Line, name, "there is no lease %q", operation.Lease)
			continue
		case lease.Client != operation.Client || lease.Resource != operation.Resource:
			c.add(operation.Line, name, "lease %q belongs to client %q and resource %q", lease.ID, lease.Client, lease.Resource)
		}
		c.operationOnLease(operation, lease)
		if operation.Action != ActionAcquire || operation.Outcome != OutcomeOK {
			continue
		}
		if earlier := acquiredBy[lease.ID]; earlier != nil {
			c.add(operation.Line, name, "lease %q was already acquired by op %s on line %d", lease.ID, earlier.ID, earlier.Line)
		}
		acquiredBy[lease.ID] = operation
		if lease.AcquiredNS() < operation.CallNS {
			c.add(operation.Line, name, "lease %q begins at %d, before the call at %d", lease.ID, lease.AcquiredNS(), operation.CallNS)
		}
		if lease.Operation != "" && lease.Operation != operation.ID {
			c.add(operation.Line, name, "lease %q says that it was acquired by op %q", lease.ID, lease.Operation)
		}
	}
}

// acquisition checks the acquisition that a lease names.
func (c *problemCheck) acquisition(lease *Lease, name string) {
	operation := c.operations[lease.Operation]
	switch {
	case operation == nil:
		c.add(lease.Line, name, "there is no op %q", lease.Operation)
	case operation.Action != ActionAcquire || operation.Outcome != OutcomeOK:
		c.add(lease.Line, name, "op %q is not a successful acquisition", lease.Operation)
	case operation.Client != lease.Client || operation.Resource != lease.Resource:
		c.add(lease.Line, name, "op %q belongs to client %q and resource %q", lease.Operation, operation.Client, operation.Resource)
	case operation.Lease != lease.ID:
		c.add(lease.Line, name, "op %q names lease %q", lease.Operation, operation.Lease)
	}
}

// oneAtATime checks that the calls of one client do not overlap. Extensions may
// overlap with other calls, but not with each other for the same lease.
func (c *problemCheck) oneAtATime() {
	type thread struct{ client, extended string }
	order := make([]*Operation, 0, len(c.Operations))
	for i := range c.Operations {
		if operation := &c.Operations[i]; c.operations[operation.ID] == operation {
			order = append(order, operation)
		}
	}
	slices.SortStableFunc(order, func(a, b *Operation) int { return cmp.Compare(a.CallNS, b.CallNS) })
	last := map[thread]*Operation{}
	for _, operation := range order {
		key := thread{client: operation.Client}
		if operation.Action == ActionExtend {
			key.extended = "lease " + operation.Lease
		}
		before := last[key]
		if before != nil && (before.ReturnNS == nil || *before.ReturnNS > operation.CallNS) {
			c.add(operation.Line, "op "+operation.ID, "client %q still has op %s (line %d) under way", operation.Client, before.ID, before.Line)
		}
		last[key] = operation
	}
}

func (c *problemCheck) nodeRecords() {
	for i := range c.NodeEvents {
		event := &c.NodeEvents[i]
		name := "node " + event.Node
		if c.valid(event.Line, name, event) {
			c.node(event.Line, name, event.Node)
			c.within(event.Line, name, "at_ns", event.AtNS)
			c.reference(event.Line, name, event.Lease, event.Operation)
			c.nodeOnLease(event, name)
		}
	}
}

func (c *problemCheck) accessRecords() {
	for i := range c.Accesses {
		access := &c.Accesses[i]
		name := fmt.Sprintf("access by %s", access.Client)
		if !c.valid(access.Line, name, access) {
			continue
		}
		c.client(access.Line, name, access.Client)
		c.within(access.Line, name, "at_ns", access.AtNS)
		c.reference(access.Line, name, access.Lease, access.Operation)
		if access.SentNS > access.AtNS {
			c.add(access.Line, name, "it arrives at %d, before it was sent at %d", access.AtNS, access.SentNS)
		}
		lease := c.leases[access.Lease]
		if lease != nil && (lease.Client != access.Client || lease.Resource != access.Resource) {
			c.add(access.Line, name, "lease %q belongs to client %q and resource %q", lease.ID, lease.Client, lease.Resource)
		}
		c.accessOnLease(access, name)
		if operation := c.operations[access.Operation]; operation != nil {
			c.accessOfOperation(access, operation, name)
		}
	}
}

func (c *problemCheck) factRecords() {
	for i := range c.Facts {
		fact := &c.Facts[i]
		name := "fact " + string(fact.Fact)
		if !c.valid(fact.Line, name, fact) {
			continue
		}
		c.within(fact.Line, name, "at_ns", fact.AtNS)
		c.clockOfFact(fact, name)
		if fact.Client != "" {
			c.client(fact.Line, name, fact.Client)
		}
		if fact.Node != "" {
			c.node(fact.Line, name, fact.Node)
		}
		if fact.Fact == FactForgot || fact.Fact == FactRevived {
			if longest := c.longestLife(fact.Node, fact.Key); fact.RemainingNS > longest {
				c.add(fact.Line, name, "remaining_ns %d is more than a key of %q can have left, %d", fact.RemainingNS, fact.Key, longest)
			}
		}
		if fact.Fact != FactMembership {
			for _, node := range fact.Nodes {
				c.node(fact.Line, name, node)
			}
		}
		if fact.Who != "" && !c.clients[fact.Who] && !c.nodes[fact.Who] {
			c.add(fact.Line, name, "%q is neither a client nor a node of the header", fact.Who)
		}
	}
}

func (c *problemCheck) goalRecords() {
	lines := map[string]int{}
	for i := range c.Goals {
		goal := &c.Goals[i]
		name := "goal " + goal.ID
		if !c.valid(goal.Line, name, goal) {
			continue
		}
		if earlier := lines[goal.ID]; earlier > 0 {
			c.add(goal.Line, name, "the id is already used on line %d", earlier)
		}
		lines[goal.ID] = goal.Line
		if goal.Client != "" {
			c.client(goal.Line, name, goal.Client)
		}
		if goal.Except != "" {
			c.client(goal.Line, name, goal.Except)
		}
	}
}

func (c *problemCheck) client(line int, record, name string) {
	if !c.clients[name] {
		c.add(line, record, "the header lists no client %q", name)
	}
}

func (c *problemCheck) node(line int, record, name string) {
	if !c.nodes[name] {
		c.add(line, record, "the header lists no node %q", name)
	}
}

func (c *problemCheck) reference(line int, record, lease, operation string) {
	if lease != "" && c.leases[lease] == nil {
		c.add(line, record, "there is no lease %q", lease)
	}
	if operation != "" && c.operations[operation] == nil {
		c.add(line, record, "there is no op %q", operation)
	}
}

func (c *problemCheck) within(line int, record, field string, at int64) {
	if at > c.Header.EndNS {
		c.add(line, record, "%s %d lies after the end of the run at %d", field, at, c.Header.EndNS)
	}
}
