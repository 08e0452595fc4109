package faults

import (
	"slices"

	"redlocklab/sim"
)

// scene is a stage, and which faults keep which of its nodes down. Two addresses
// of one server are one node.
type scene struct {
	Stage
	down  map[NodeHandle]*sim.Causes
	acted func(fault string) // it has done something
}

func (s *scene) causes(node NodeHandle) *sim.Causes {
	if s.down[node] == nil {
		s.down[node] = new(sim.Causes)
	}
	return s.down[node]
}

// crash ends a node. One that is down already stays so until this fault ends too.
func (s *scene) crash(name string, how sim.End, fault string) {
	node := s.Handle(name)
	s.causes(node).Add(fault)
	if node.Up() {
		node.Crash(how, fault)
	}
}

// over ends a fault's part in keeping a node down, and reports whether no fault
// is left that does. Those that are left have done something by it.
func (s *scene) over(name, fault string) bool {
	causes := s.causes(s.Handle(name))
	if !slices.Contains(*causes, fault) {
		return false // something else has brought the node back
	}
	if causes.Remove(fault) {
		return true
	}
	for _, other := range *causes {
		s.acted(other)
	}
	return false
}

// restart brings a node back that is down, whatever keeps it there. It reports
// whether the node was down.
func (s *scene) restart(name, fault string) bool {
	node := s.Handle(name)
	*s.causes(node) = nil
	if node.Up() {
		return false
	}
	node.Restart(fault)
	return true
}

// promote puts a node's replica into its place when it is still down by the
// failover. What has become of the master is of no account any more.
func (s *scene) promote(name, fault string) {
	node := s.Handle(name)
	causes := s.causes(node)
	if slices.Contains(*causes, fault) {
		*causes = nil
		node.Promote(fault)
	}
}
