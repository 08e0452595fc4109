package faults

import (
	"slices"

	"redlocklab/sim"
)

// outages says which faults keep which nodes down. Two addresses of one server
// are one node.
type outages struct {
	faults map[NodeHandle]*sim.Causes
	acted  func(fault string) // called when a fault has had an effect
}

func (o *outages) of(n NodeHandle) *sim.Causes {
	if o.faults[n] == nil {
		o.faults[n] = new(sim.Causes)
	}
	return o.faults[n]
}

// crash ends a node. A node that is down already stays down until this fault ends, too.
func (o *outages) crash(n NodeHandle, how sim.End, fault string) {
	o.of(n).Add(fault)
	if n.Up() {
		n.Crash(how, fault)
	}
}

// over ends a fault's part in keeping a node down, and reports whether no other
// fault does. Any that does has had an effect by this.
func (o *outages) over(n NodeHandle, fault string) bool {
	causes := o.of(n)
	if !slices.Contains(*causes, fault) {
		return false // something else has brought the node back
	}
	if causes.Remove(fault) {
		return true
	}
	for _, other := range *causes {
		o.acted(other)
	}
	return false
}

// restart brings a node back, whatever keeps it down. It reports whether the
// node was down.
func (o *outages) restart(n NodeHandle, fault string) bool {
	*o.of(n) = nil
	if n.Up() {
		return false
	}
	n.Restart(fault)
	return true
}

// promote puts a node's replica in its place, if the failover still keeps the
// node down. Other faults that crashed the master do not matter any more.
func (o *outages) promote(n NodeHandle, fault string) {
	if causes := o.of(n); slices.Contains(*causes, fault) {
		*causes = nil
		n.Promote(fault)
	}
}
