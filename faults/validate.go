package faults

import (
	"fmt"
	"slices"
	"strings"
)

// Topology is what a schedule can refer to.
type Topology struct {
	Nodes     []string
	Clients   []string
	Resources []string
	// Calls lists, per client, the operations that its steps call, and "crash"
	// where one ends it. A client that is missing here may call any.
	Calls map[string][]string
	// Knows lists the nodes that a client asks. One that is missing here asks all.
	Knows map[string][]string
	// OneServer lists the nodes that are addresses of one server.
	OneServer []string
	// Drawn says that the nodes of [DrawnWords] have been drawn: none of these words is left.
	Drawn bool
}

// Validate returns everything that is wrong with the schedule as one error, one
// line each; nil when it can apply.
func (s Schedule) Validate(t Topology) error { return join(s.Problems(t)) }

// Problems lists what is wrong with the schedule: values out of their range,
// unknown names, triggers that can never fire by their form, and faults that
// could only do nothing. It lists them in the schedule's order.
func (s Schedule) Problems(t Topology) []Problem {
	v := validator{schedule: s, topology: t}
	for i, f := range s {
		v.index = i
		if f.Effect == nil {
			v.problem("", "found no kind of fault; allowed: one of those that Kinds lists")
			continue
		}
		v.form(f)
		v.name(f)
		v.targets(f)
		v.pattern("when", f.Begin.When)
		v.pattern(endingOf(f.Effect).pattern, f.End.When)
		v.links(f)
		v.ownEnd(f)
		v.restart(f)
		v.timing(f)
	}
	v.cycles()
	slices.SortStableFunc(v.problems, func(a, b Problem) int { return a.Index - b.Index })
	return v.problems
}

type validator struct {
	schedule Schedule
	topology Topology
	index    int
	problems []Problem
}

// TriggerProblems lists why something that is no fault of the schedule, but
// waits as one does, can never come. Their Index is -1.
func (s Schedule) TriggerProblems(trigger Trigger, t Topology) []Problem {
	v := validator{schedule: s, topology: t, index: -1}
	v.pattern("when", trigger.When)
	return v.problems
}

func (v *validator) problem(field, message string) {
	p := Problem{Index: v.index, Field: field, Message: message}
	if v.index >= 0 {
		p.Fault = v.schedule[v.index].Name
	}
	v.problems = append(v.problems, p)
}

// form holds a fault that was built in Go to what a fault that was read must be.
func (v *validator) form(f Fault) {
	_, problems := Parse(f.Fields())
	for _, p := range problems {
		v.problem(p.Field, p.Message)
	}
}

func (v *validator) name(f Fault) {
	for _, other := range v.schedule[:v.index] {
		if other.Name == f.Name && f.Name != "" {
			v.problem("name", fmt.Sprintf("found %q twice; allowed: each name once, for the trace's events carry it", f.Name))
			return
		}
	}
}

func (v *validator) targets(f Fault) {
	for _, p := range f.Effect.parameters() {
		if p.refers == noNames {
			continue
		}
		known, sort := v.topology.Nodes, "node"
		switch p.refers {
		case clientNames:
			known, sort = v.topology.Clients, "client"
		case resourceNames:
			known, sort = v.topology.Resources, "resource"
		}
		for _, name := range *p.list {
			count, drawn := howMany(name, len(v.topology.Nodes))
			switch {
			case name == All:
			case !drawn || p.refers != nodeNames || v.topology.Drawn:
				v.known(p.Name, sort, name, known)
			case count == 0:
				v.problem(p.Name, fmt.Sprintf("found %q of %d nodes, which is none; allowed: with 3 nodes or more", name, len(v.topology.Nodes)))
			}
		}
	}
}

// links checks that some client of a link asks some node of it.
func (v *validator) links(f Fault) {
	clients, nodes := ClientsOf(f.Effect), NodesOf(f.Effect)
	if len(clients) == 0 || len(nodes) == 0 || slices.Contains(nodes, All) || !v.topology.Drawn && slices.Contains(DrawnWords(), nodes[0]) {
		return
	}
	if clients[0] == All {
		clients = v.topology.Clients
	}
	for _, client := range clients {
		asked, some := v.topology.Knows[client]
		if !some || slices.ContainsFunc(nodes, func(n string) bool {
			return slices.Contains(asked, n) || slices.Contains(v.topology.OneServer, n)
		}) {
			return
		}
	}
	v.problem(f.Effect.Kind(), fmt.Sprintf("found %s and %s, between which nothing is sent: these clients ask other nodes; allowed: a node that one of them asks",
		strings.Join(clients, ", "), strings.Join(nodes, ", ")))
}

func (v *validator) known(field, sort, name string, known []string) {
	if !slices.Contains(known, name) {
		v.problem(field, fmt.Sprintf("found the unknown %s %q; %s", sort, name, Allowed(name, known)))
	}
}

// pattern checks that what a pattern waits for can come.
func (v *validator) pattern(field string, p Pattern) {
	if p.IsZero() {
		return
	}
	if p.Fault != "" {
		v.faultPattern(field, p)
		return
	}
	if _, found := p.word(); !found {
		return // reported with the form
	}
	if p.Subject != anyone {
		if isNodeName(p.Subject) {
			v.known(field, "node", p.Subject, v.topology.Nodes)
		} else {
			v.known(field, "client or node", p.Subject, slices.Concat(v.topology.Clients, v.topology.Nodes))
		}
	}
	if p.Peer != "" {
		if isNodeName(p.Peer) {
			v.known(field, "node", p.Peer, v.topology.Nodes)
		} else {
			v.known(field, "client", p.Peer, v.topology.Clients)
		}
	}
	if p.Resource != "" {
		v.known(field, "resource", p.Resource, v.topology.Resources)
	}
	v.calls(field, p)
	v.causes(field, p)
}

// calls checks that the client, or any client, has a step that can lead there.
func (v *validator) calls(field string, p Pattern) {
	needed := p.Operation
	switch p.Word {
	case "acquired", "lapsed":
		needed = "acquire"
	case "extended":
		needed = "extend"
	case "released":
		needed = "release"
	}
	if needed == "" && p.Word != "accessed" {
		return
	}
	for _, client := range v.topology.Clients {
		calls, listed := v.topology.Calls[client]
		if p.Subject != client && p.Subject != anyone {
			continue
		}
		if !listed || slices.Contains(calls, needed) {
			return
		}
		if p.Word == "accessed" && slices.ContainsFunc(calls, isAccess) {
			return
		}
	}
	if p.Subject != anyone && !slices.Contains(v.topology.Clients, p.Subject) {
		return // reported as unknown
	}
	if needed == "" {
		needed = "access"
	}
	v.problem(field, fmt.Sprintf("found %q, which never comes: no step of %s does %s", p.String(), p.Subject, needed))
}

func isAccess(operation string) bool {
	return operation == "read" || operation == "write" || operation == "decrement"
}

func (v *validator) faultPattern(field string, p Pattern) {
	var known []string
	for i, other := range v.schedule {
		if other.Name == p.Fault && i != v.index {
			if p.Word == "ended" && !other.End.Ends {
				v.problem(field, fmt.Sprintf("found %q, which never comes: %s does not end", p.String(), p.Fault))
			}
			return
		}
		if i != v.index {
			known = append(known, other.Name)
		}
	}
	if v.index >= 0 && p.Fault == v.schedule[v.index].Name {
		if field == "when" || p.Word == "ended" {
			v.problem(field, fmt.Sprintf("found %q, which never comes: it refers to the fault itself", p.String()))
		}
		return
	}
	v.problem(field, fmt.Sprintf("found the unknown fault %q; %s", p.Fault, Allowed(p.Fault, known)))
}

// timing checks that a restart by a node's clock has one node and a delay.
func (v *validator) timing(f Fault) {
	c, isCrash := f.Effect.(*Crash)
	if isCrash && c.Loading > 0 && !f.End.Ends {
		v.problem("loading", "found a node that this fault does not restart; allowed: with restart_after or restart_when")
	}
	if isCrash && c.TimedBy == NodeClock && (len(c.Nodes) != 1 || !f.End.Ends || !f.End.When.IsZero()) {
		v.problem("timed_by", fmt.Sprintf("found %q; allowed: with one node and restart_after", NodeClock))
	}
}

// restart checks that something leaves down what a Restart is to bring back.
func (v *validator) restart(f Fault) {
	r, isRestart := f.Effect.(*Restart)
	if !isRestart {
		return
	}
	for _, name := range r.Nodes {
		if slices.Contains(v.topology.Nodes, name) && !v.leftDown(name, f.Begin) {
			v.problem("restart", fmt.Sprintf(
				"found %q, which no fault crashes and leaves down before; allowed: a node of a crash without restart_after and restart_when", name))
		}
	}
}

// leftDown reports whether some crash takes the node down for good, and not
// only after the time at which the restart is due.
func (v *validator) leftDown(name string, restart Trigger) bool {
	for _, other := range v.schedule {
		c, isCrash := other.Effect.(*Crash)
		if !isCrash || other.End.Ends || !slices.Contains(c.Nodes, name) {
			continue
		}
		bothTimed := restart.When.IsZero() && other.Begin.When.IsZero()
		if !bothTimed || other.Begin.At < restart.At {
			return true
		}
	}
	return false
}

// moment is the beginning or the end of a fault.
type moment struct {
	fault int
	end   bool
}

// cycles finds beginnings and ends that wait for each other in a circle.
func (v *validator) cycles() {
	const (
		unseen = iota
		open
		closed
	)
	status := make([][2]int, len(v.schedule))
	var visit func(m moment) bool
	visit = func(m moment) bool {
		s := &status[m.fault][0]
		if m.end {
			s = &status[m.fault][1]
		}
		switch *s {
		case open:
			return true
		case closed:
			return false
		}
		*s = open
		circular := false
		for _, next := range v.waitsFor(m) {
			circular = visit(next) || circular
		}
		*s = closed
		return circular
	}
	for i, f := range v.schedule {
		v.index = i
		if f.Effect == nil || f.Begin.When.Fault == f.Name {
			continue // reported already
		}
		for _, end := range []bool{false, true} {
			if !visit(moment{i, end}) {
				continue
			}
			field := "when"
			if end {
				field = endingOf(f.Effect).pattern
			}
			v.problem(field, "found a circle of faults that wait for each other, so none of them ever comes; allowed: triggers that lead back to a time or an event")
		}
	}
}

// waitsFor lists the moments that must have come before m can.
func (v *validator) waitsFor(m moment) []moment {
	f := v.schedule[m.fault]
	var list []moment
	pattern := f.Begin.When
	if m.end {
		list = append(list, moment{m.fault, false})
		pattern = f.End.When
	}
	for i, other := range v.schedule {
		if pattern.Fault != "" && other.Name == pattern.Fault && i != m.fault {
			return append(list, moment{i, pattern.Word == "ended"})
		}
	}
	return list
}
