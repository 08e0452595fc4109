package faults

import (
	"time"

	"redlocklab/sim"
)

// Stage is where a schedule can be played other than in the simulator: a cluster
// of real servers that speaks the simulator's words. All calls come in controller
// context, one at a time.
type Stage interface {
	// Now is true time since the start; Random is a value by its identity.
	Now() time.Duration
	Random(stream string, index uint64) uint64
	// At calls f at a true time; Observe calls f for every event before its
	// effect goes on.
	At(t time.Duration, f func())
	Observe(f func(sim.Event))
	// AddRule and RemoveRule change what the network does with messages.
	AddRule(r sim.Rule)
	RemoveRule(name, fault string)
	// ResetConnections cuts the connections between some clients and nodes.
	ResetConnections(among func(client, node string) bool, fault string)
	// Handle and Actor return what faults of nodes and of clients act on. A stage
	// that cannot play a kind of fault must not be given a schedule that has it.
	Handle(node string) NodeHandle
	Actor(client string) ProcessHandle
}

// NodeHandle is what faults of nodes act on.
type NodeHandle = node

// ProcessHandle is what faults of clients act on.
type ProcessHandle = process

// InstallOn is [Install] for another stage.
func InstallOn(s Stage, schedule Schedule) *Installed { return install(staged{s}, schedule) }

type staged struct{ Stage }

func (s staged) node(name string) node       { return s.Handle(name) }
func (s staged) process(name string) process { return s.Actor(name) }

func (s staged) resetConnections(clients, nodes []string, fault string) {
	s.ResetConnections(func(client, node string) bool { return among(clients, client) && among(nodes, node) }, fault)
}
