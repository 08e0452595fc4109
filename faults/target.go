package faults

import (
	"time"

	"redlocklab/sim"
)

// Target is what a schedule acts on: the simulator's world, a cluster of real
// servers that speaks the simulator's words, or what a test puts in their place.
// All calls come in controller context, one at a time.
type Target interface {
	// Now is true time since the start.
	Now() time.Duration
	// Random is the value with this identity: the same run always gets the same.
	Random(stream string, index uint64) uint64
	// At calls f at a true time.
	At(t time.Duration, f func())
	// Observe calls f for every event, before the event takes effect.
	Observe(f func(sim.Event))
	// Emit records an event of what is neither a node nor a client: a protected resource.
	Emit(e sim.Event)
	// AddRule and RemoveRule change what the network does with messages.
	AddRule(r sim.Rule)
	RemoveRule(name, fault string)
	// ResetConnections cuts the connections between the given clients and nodes.
	ResetConnections(among func(client, node string) bool, fault string)
	// Node and Process return what faults of nodes and of clients act on. A target
	// that cannot play a kind of fault must not be given a schedule that has it.
	Node(name string) NodeHandle
	Process(client string) ProcessHandle
}

// Clock is what faults of clocks act on.
type Clock interface {
	Step(by time.Duration, fault string)
	SetRate(ppm int64, fault string)
	EndRate(fault string)
	SetDrift(d sim.Drift, every time.Duration, fault string)
}

// NodeHandle is what faults of nodes act on.
type NodeHandle interface {
	Clock() Clock
	Crash(how sim.End, fault string)
	Restart(fault string)
	Up() bool
	Operator(fault string, args ...string)
	WhenClockAdvanced(d time.Duration, f func())
	Stop(fault string)
	Continue(fault string)
	SetService(service func(*sim.Message) time.Duration, fault string)
	SlowDisk(takes time.Duration, fault string)
	LoadFor(d time.Duration, fault string)
	Refuse(why, fault string)
	Grant(why, fault string)
	Evict(keys int, fault string)
	Move(to string, fault string)
	MoveBack(fault string)
	FillDisk(fault string)
	FreeDisk(fault string)
	Replicate(lag time.Duration)
	Promote(fault string)
	Demote(fault string)
	PromoteAgain(fault string)
}

// ProcessHandle is what faults of clients act on.
type ProcessHandle interface {
	Clock(kind sim.ClockKind) Clock
	Pause(fault string)
	Resume(fault string)
	Suspend(fault string)
	Wake(fault string)
	SetNotice(notice func(arrival int) time.Duration, fault string)
	SetTimerDelay(delay func(due time.Duration) time.Duration, fault string)
	Crash(fault string)
}

// world is the simulator's world as a target, with its nodes and processes.
type (
	world   struct{ *sim.World }
	node    struct{ *sim.Node }
	process struct{ *sim.Process }
)

func (w world) Node(name string) NodeHandle         { return node{w.World.Node(name)} }
func (w world) Process(client string) ProcessHandle { return process{w.World.Process(client)} }
func (n node) Clock() Clock                         { return n.Node.Clock() }
func (p process) Clock(kind sim.ClockKind) Clock    { return p.Process.Clock(kind) }
