package faults

import (
	"fmt"
	"slices"
	"strconv"
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
	// Knows lists the nodes that a client asks. A client that is missing here asks all.
	Knows map[string][]string
	// OneServer lists the nodes that are addresses of one server.
	OneServer []string
	// Groups lists the names that stand for several, by "client" and "node". [Schedule.Replace]
	// has replaced them already; messages name them.
	Groups map[string][]string
	// Selected says that nodes have taken the place of the [Selections].
	Selected bool
}

// Validate returns everything that is wrong with the schedule as one error, one
// line each; nil when it can apply.
func (s Schedule) Validate(t Topology) error { return join(s.Problems(t)) }

// Problems lists, in the schedule's order, what is wrong with it: values out of
// their range, unknown names, triggers that can never fire, and faults that could
// not have any effect.
func (s Schedule) Problems(t Topology) []Problem {
	v := validator{schedule: s, topology: t}
	for i, f := range s {
		v.index = i
		v.notation(f)
		if f.Effect == nil {
			continue
		}
		v.unique(f)
		v.targets(f.Effect)
		v.pattern("when", f.Begin.When)
		v.pattern(endingOf(f.Effect).pattern, f.End.When)
		v.link(f.Effect)
		v.ownEnd(f)
		if check := f.Effect.definition().check; check != nil {
			check(&v, f)
		}
	}
	v.circles()
	slices.SortStableFunc(v.problems, func(a, b Problem) int { return a.Index - b.Index })
	return v.problems
}

// TriggerProblems lists why a trigger that belongs to no fault of the schedule
// can never fire. Their Index is -1.
func (s Schedule) TriggerProblems(trigger Trigger, t Topology) []Problem {
	v := validator{schedule: s, topology: t, index: -1}
	v.pattern("when", trigger.When)
	return v.problems
}

type validator struct {
	schedule Schedule
	topology Topology
	index    int // of the fault at hand; -1: none
	problems []Problem
}

func (v *validator) problem(field, format string, args ...any) {
	v.add(Problem{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) add(p Problem) {
	p.Index = v.index
	if v.index >= 0 {
		p.Fault = v.schedule[v.index].Name
	}
	v.problems = append(v.problems, p)
}

// notation holds a fault that was built in Go to the same rules as one that was
// read.
func (v *validator) notation(f Fault) {
	_, problems := Parse(f.Fields())
	for _, p := range problems {
		v.add(p)
	}
}

func (v *validator) unique(f Fault) {
	same := func(other Fault) bool { return other.Name == f.Name }
	if f.Name != "" && slices.ContainsFunc(v.schedule[:v.index], same) {
		v.problem("name", "found %q twice; allowed: each name once, for the trace's events carry it", f.Name)
	}
}

// targets checks that what an effect names is there.
func (v *validator) targets(e Effect) {
	for _, p := range e.definition().parameters {
		known, sort := v.topology.Nodes, "node"
		switch p.Unit {
		case UnitNodes:
		case UnitClients:
			known, sort = v.topology.Clients, "client"
		case UnitResources:
			known, sort = v.topology.Resources, "resource"
		default:
			continue
		}
		for _, name := range *p.names {
			switch {
			case name == All:
			case p.Unit != UnitNodes || !v.selection(name):
				v.known(p.Name, sort, name, known)
			case selected(name, len(known)) == 0:
				allowed := "with 3 nodes or more"
				if IsCount(name) {
					allowed = "1 to " + strconv.Itoa(len(known))
				}
				v.problem(p.Name, "found %q of %d nodes, which are not there; allowed: %s", name, len(known), allowed)
			}
		}
	}
}

// selection reports whether a name is a word for nodes that are still to be drawn.
func (v *validator) selection(name string) bool {
	return !v.topology.Selected && IsSelection(name)
}

func (v *validator) known(field, sort, name string, known []string) {
	if !slices.Contains(known, name) {
		words := slices.Concat(known, v.topology.Groups[sort])
		v.problem(field, "found the unknown %s %q; %s", sort, name, Allowed(name, words))
	}
}

// link checks that some client of a link asks some node of it.
func (v *validator) link(e Effect) {
	clients, nodes := ClientsOf(e), NodesOf(e)
	if len(clients) == 0 || len(nodes) == 0 || nodes[0] == All || v.selection(nodes[0]) {
		return
	}
	if clients[0] == All {
		clients = v.topology.Clients
	}
	for _, client := range clients {
		asked, listed := v.topology.Knows[client]
		if !listed || slices.ContainsFunc(nodes, func(n string) bool {
			return slices.Contains(asked, n) || slices.Contains(v.topology.OneServer, n)
		}) {
			return
		}
	}
	v.problem(KindOf(e), "found %s and %s, between which nothing is sent: these clients ask other nodes; allowed: a node that one of them asks",
		strings.Join(clients, ", "), strings.Join(nodes, ", "))
}

// moment is the beginning or the end of a fault.
type moment struct {
	fault int
	end   bool
}

// circles finds beginnings and ends that wait for each other.
func (v *validator) circles() {
	entered, left := map[moment]bool{}, map[moment]bool{}
	var circular func(m moment) bool
	circular = func(m moment) bool {
		if entered[m] {
			return !left[m]
		}
		entered[m] = true
		found := false
		for _, next := range v.waitsFor(m) {
			found = circular(next) || found
		}
		left[m] = true
		return found
	}
	for i, f := range v.schedule {
		v.index = i
		if f.Effect == nil || f.Begin.When.Fault == f.Name {
			continue // reported already
		}
		for end, field := range []string{"when", endingOf(f.Effect).pattern} {
			if circular(moment{i, end == 1}) {
				v.problem(field, "found a circle of faults that wait for each other, so none of them ever comes; allowed: triggers that lead back to a time or an event")
			}
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
