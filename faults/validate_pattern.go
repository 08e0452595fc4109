package faults

import (
	"slices"
	"strings"
)

// pattern checks that what a pattern waits for can come.
func (v *validator) pattern(field string, p Pattern) {
	if p.Fault != "" {
		v.faultPattern(field, p)
		return
	}
	if _, found := p.word(); !found {
		return // the zero pattern, or one that notation has reported
	}
	everyone := slices.Concat(v.topology.Clients, v.topology.Nodes)
	if p.Subject != anyone && isNodeName(p.Subject) {
		v.known(field, "node", p.Subject, v.topology.Nodes)
	} else if p.Subject != anyone {
		v.known(field, "client or node", p.Subject, everyone)
	}
	if p.Peer != "" && isNodeName(p.Peer) {
		v.known(field, "node", p.Peer, v.topology.Nodes)
	} else if p.Peer != "" {
		v.known(field, "client", p.Peer, v.topology.Clients)
	}
	if p.Resource != "" {
		v.known(field, "resource", p.Resource, v.topology.Resources)
	}
	if p.Subject == anyone || slices.Contains(everyone, p.Subject) {
		v.calls(field, p)
		v.causes(field, p)
	}
}

// faultPattern checks that another fault begins, or ends, as the pattern says.
func (v *validator) faultPattern(field string, p Pattern) {
	var known []string
	for i, other := range v.schedule {
		switch {
		case i == v.index:
		case other.Name != p.Fault:
			known = append(known, other.Name)
		case p.Word == "ended" && !other.End.Ends:
			v.problem(field, "found %q, which never comes: %s does not end", p, p.Fault)
			return
		default:
			return
		}
	}
	if v.index < 0 || p.Fault != v.schedule[v.index].Name {
		v.problem(field, "found the unknown fault %q; %s", p.Fault, Allowed(p.Fault, known))
	} else if field == "when" || p.Word == "ended" {
		v.problem(field, "found %q, which never comes: it refers to the fault itself", p)
	}
}

// callsBefore lists, by the word of a pattern, the operations of which one leads there.
var callsBefore = map[string][]string{
	"acquired": {"acquire"}, "lapsed": {"acquire"}, "extended": {"extend"}, "released": {"release"},
	"accessed": {"read", "write", "decrement"},
}

// calls checks that the client, or any client, has a step that can lead there.
func (v *validator) calls(field string, p Pattern) {
	needed := callsBefore[p.Word]
	if needed == nil && p.Operation != "" {
		needed = []string{p.Operation}
	}
	leads := func(call string) bool { return v.calling(p.Subject, call) }
	if len(needed) == 0 || slices.ContainsFunc(needed, leads) {
		return
	}
	v.problem(field, "found %q, which never comes: no step of %s calls %s", p, p.Subject, strings.Join(needed, ", "))
}

// calling reports whether a step of a client, or of any, may call an operation.
func (v *validator) calling(subject, operation string) bool {
	return slices.ContainsFunc(v.topology.Clients, func(client string) bool {
		calls, listed := v.topology.Calls[client]
		return (subject == client || subject == anyone) && (!listed || slices.Contains(calls, operation))
	})
}

// causes checks, where only faults bring about what the pattern waits for, that
// one does.
func (v *validator) causes(field string, p Pattern) {
	kinds := causesOf(p)
	if len(kinds) == 0 || p.Word == "crashed" && v.calling(p.Subject, "crash") {
		return
	}
	for i, f := range v.schedule {
		if f.Effect == nil || i == v.index && field == "when" || !slices.Contains(kinds, KindOf(f.Effect)) {
			continue
		}
		if c, isCrash := f.Effect.(*Crash); isCrash && c.Loading == 0 && slices.Contains(loadingWords, p.Word) {
			continue
		}
		if p.Subject == anyone || v.concerns(f.Effect, p.Subject) {
			return
		}
	}
	v.problem(field, "found %q, which never comes: no other fault does that; allowed: beside a fault of %s: %s", p, p.Subject, strings.Join(kinds, ", "))
}

// causesOf lists the kinds of faults without which a pattern never comes true;
// none when it needs no fault.
func causesOf(p Pattern) []string {
	var kinds []string
	for _, e := range effects() {
		d := e.definition()
		aboutNodes := d.parameters[0].Unit == UnitNodes
		if slices.Contains(d.causes, p.Word) && (p.Subject == anyone || isNodeName(p.Subject) == aboutNodes) {
			kinds = append(kinds, KindOf(e))
		}
	}
	return kinds
}

// concerns reports whether an effect acts, or may act, on that node or client.
func (v *validator) concerns(e Effect, subject string) bool {
	one := v.topology.OneServer
	return slices.ContainsFunc(slices.Concat(NodesOf(e), ClientsOf(e)), func(name string) bool {
		return name == subject || name == All || isNodeName(subject) && v.selection(name) ||
			slices.Contains(one, name) && slices.Contains(one, subject)
	})
}

// What a node does not do while it is down, nor a client while it stands still.
var (
	needsNode   = []string{"received", "executed", "expired"}
	needsClient = []string{"called", "failed", "acquired", "extended", "released", "lapsed", "sent", "dialed", "finished", "resumed"}
)

// ownEnd checks that a fault's end does not wait for somebody whom the fault stops.
func (v *validator) ownEnd(f Fault) {
	p, needed := f.End.When, needsClient
	if isNodeName(p.Subject) {
		needed = needsNode
	}
	stopped := slices.Concat(NodesOf(f.Effect), ClientsOf(f.Effect))
	if f.Effect.definition().halts && slices.Contains(stopped, p.Subject) && slices.Contains(needed, p.Word) {
		v.problem(endingOf(f.Effect).pattern, "found %q, which never comes: the fault itself stops %s; allowed: what somebody else does", p, p.Subject)
	}
}
