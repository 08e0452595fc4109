package faults

import (
	"fmt"
	"slices"
	"strings"
)

// nodeCauses and clientCauses list, by word, the kinds of faults without which a node, or a client,
// never does that. What is not listed comes without any fault.
var (
	nodeCauses = map[string][]string{
		"crashed":   {"crash", "failover"},
		"restarted": {"crash", "failover", "restart"},
		"promoted":  {"failover"},
		"forgot":    {"crash", "failover"},
		"revived":   {"crash", "failover"},
		"impaired":  {"refuse", "slow_node", "stop_node", "crash"},
		"recovered": {"refuse", "slow_node", "stop_node", "crash"},
		"loading":   {"crash"},
		"loaded":    {"crash"},
		"refusing":  {"refuse"},
		"stopped":   {"stop_node"},
		"continued": {"stop_node"},
		"evicted":   {"evict"},
		"removed":   {"evict", "operator_delete", "operator_flush"},
		"operated":  {"evict", "operator_delete", "operator_flush", "script_flush"},
		"stepped":   {"node_clock_step"},
		"drifted":   {"node_clock_rate", "node_clock_drift"},
	}
	clientCauses = map[string][]string{
		"paused":    {"pause", "suspend"},
		"resumed":   {"pause", "suspend"},
		"crashed":   {"client_crash"},
		"impaired":  {"slow_client"},
		"recovered": {"slow_client"},
		"stepped":   {"client_clock_step"},
		"drifted":   {"client_clock_rate", "client_clock_drift", "suspend"},
	}
)

// causes checks that something does to the pattern's subject what it waits for.
func (v *validator) causes(field string, p Pattern) {
	var kinds []string
	if p.Subject == anyone || isNodeName(p.Subject) {
		kinds = append(kinds, nodeCauses[p.Word]...)
		if _, client := find(clientWords, p.Word); client && len(kinds) > 0 && len(clientCauses[p.Word]) == 0 {
			return // clients do it of themselves
		}
	}
	if p.Subject == anyone || !isNodeName(p.Subject) {
		kinds = append(kinds, clientCauses[p.Word]...)
	}
	known := p.Subject == anyone || slices.Contains(slices.Concat(v.topology.Nodes, v.topology.Clients), p.Subject)
	if len(kinds) == 0 || !known || p.Word == "crashed" && v.crashesItself(p.Subject) {
		return
	}
	for i, f := range v.schedule {
		if f.Effect == nil || i == v.index && field == "when" || !slices.Contains(kinds, f.Effect.Kind()) {
			continue
		}
		c, isCrash := f.Effect.(*Crash)
		if isCrash && c.Loading == 0 && slices.Contains([]string{"impaired", "recovered", "loading", "loaded"}, p.Word) {
			continue
		}
		if p.Subject == anyone || v.concerns(f.Effect, p.Subject) {
			return
		}
	}
	v.problem(field, fmt.Sprintf("found %q, which never comes: no other fault does that; allowed: beside a fault of %s: %s",
		p.String(), p.Subject, strings.Join(kinds, ", ")))
}

// crashesItself reports whether a client, or any, has a step crash.
func (v *validator) crashesItself(subject string) bool {
	return slices.ContainsFunc(v.topology.Clients, func(client string) bool {
		calls, listed := v.topology.Calls[client]
		return (subject == client || subject == anyone) && (!listed || slices.Contains(calls, "crash"))
	})
}

// concerns reports whether an effect acts, or may, on that node or client.
func (v *validator) concerns(e Effect, subject string) bool {
	one := v.topology.OneServer
	return slices.ContainsFunc(slices.Concat(NodesOf(e), ClientsOf(e)), func(name string) bool {
		return name == subject || name == All ||
			isNodeName(subject) && !v.topology.Drawn && slices.Contains(DrawnWords(), name) ||
			slices.Contains(one, name) && slices.Contains(one, subject)
	})
}

// What a node does not do while it is down, nor a client while it stands still.
var (
	needsNode   = []string{"received", "executed", "expired"}
	needsClient = []string{"called", "failed", "acquired", "extended", "released", "lapsed", "sent", "dialed", "finished", "resumed"}
)

// ownEnd checks that a fault's end does not wait for whom the fault stops.
func (v *validator) ownEnd(f Fault) {
	var stopped, needed []string
	switch f.Effect.(type) {
	case *Crash, *Failover:
		stopped, needed = NodesOf(f.Effect), needsNode
	case *Pause, *Suspend:
		stopped, needed = ClientsOf(f.Effect), needsClient
	}
	if p := f.End.When; slices.Contains(stopped, p.Subject) && slices.Contains(needed, p.Word) {
		v.problem(endingOf(f.Effect).pattern, fmt.Sprintf(
			"found %q, which never comes: the fault itself stops %s; allowed: what somebody else does", p.String(), p.Subject))
	}
}
