package faults

import "redlocklab/sim"

// Pattern matches events of a trace, or the beginning or end of another fault.
// The zero pattern matches nothing. The grammar stands in the package's
// documentation; [ParsePattern] reads it, String writes it.
type Pattern struct {
	// Fault is the name of the other fault, for "… began" and "… ended".
	Fault string
	// Subject is the client or node that the pattern begins with; "any" is every
	// client or every node.
	Subject string
	// Word is what happened: one of the words of the grammar.
	Word string
	// Operation, Command, Resource and Peer narrow the match; empty is anything.
	// Peer is the client that a node dealt with, or the node that a client sent to.
	Operation string
	Command   string
	Resource  string
	Peer      string
}

// IsZero reports whether the pattern is the one that matches nothing.
func (p Pattern) IsZero() bool { return p == Pattern{} }

// word is one word of the grammar and what it means in the trace.
type word struct {
	text string
	kind sim.Kind
	// operation, command, resource, peer: which arguments may follow.
	operation, command, resource bool
	peer                         string // the preposition before the peer, "" for none
	// detail and its are what the event must say besides: how a node works worse,
	// how it came back, which command it was. Empty is anything.
	detail string
	its    string
}

// clientWords and nodeWords are what clients and nodes can do.
var (
	clientWords = []word{
		{text: "called", kind: sim.Call, operation: true, resource: true},
		{text: "failed", kind: sim.Failed, operation: true, resource: true},
		{text: "acquired", kind: sim.Acquired, resource: true},
		{text: "extended", kind: sim.Extended, resource: true},
		{text: "released", kind: sim.Released, resource: true},
		{text: "lapsed", kind: sim.Lapsed, resource: true},
		{text: "accessed", kind: sim.Access, resource: true},
		{text: "sent", kind: sim.Send, command: true, peer: "to"},
		{text: "paused", kind: sim.Pause},
		{text: "resumed", kind: sim.Resume},
		{text: "crashed", kind: sim.Crash},
		{text: "finished", kind: sim.Done},
		{text: "dialed", kind: sim.Dial, peer: "to"},
		{text: "connected", kind: sim.Connect, peer: "to"},
		{text: "closed", kind: sim.Close, peer: "to"},
		{text: "reset", kind: sim.Reset, peer: "to"},
		{text: "lost", kind: sim.Drop, command: true, peer: "to"},
		{text: "delayed", kind: sim.Delay, command: true, peer: "to"},
		{text: "woke", kind: sim.Timer},
		{text: "impaired", kind: sim.Impair},
		{text: "recovered", kind: sim.Recover},
		{text: "stepped", kind: sim.ClockStep},
		{text: "drifted", kind: sim.ClockRate},
	}
	nodeWords = []word{
		{text: "received", kind: sim.Deliver, command: true, peer: "of"},
		{text: "executed", kind: sim.Execute, command: true, peer: "of"},
		{text: "replied", kind: sim.Reply, command: true, peer: "to"},
		{text: "refused", kind: sim.Refuse, peer: "to"},
		{text: "crashed", kind: sim.Crash},
		{text: "restarted", kind: sim.Restart},
		{text: "expired", kind: sim.Expire},
		{text: "forgot", kind: sim.Forget},
		{text: "revived", kind: sim.Revive},
		{text: "promoted", kind: sim.Restart, detail: sim.Promoted},
		{text: "impaired", kind: sim.Impair},
		{text: "recovered", kind: sim.Recover},
		{text: "loading", kind: sim.Impair, detail: sim.Loading},
		{text: "loaded", kind: sim.Recover, detail: sim.Loading},
		{text: "refusing", kind: sim.Impair, detail: sim.MemoryFull + "|" + sim.ReadOnly + "|" + sim.DiskError},
		{text: "stopped", kind: sim.Impair, detail: sim.Stopped},
		{text: "continued", kind: sim.Recover, detail: sim.Stopped},
		{text: "evicted", kind: sim.NodeCall, its: sim.Eviction},
		{text: "removed", kind: sim.NodeCall, its: sim.Removal},
		{text: "operated", kind: sim.NodeCall, command: true},
		{text: "stepped", kind: sim.ClockStep},
		{text: "drifted", kind: sim.ClockRate},
	}
	faultWords = []string{"began", "ended"}
	operations = []string{"acquire", "extend", "release", "read", "write", "decrement"}
)
