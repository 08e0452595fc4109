package faults

import (
	"slices"
	"strings"

	"redlocklab/sim"
)

// word is one word of the grammar and what it means in the trace.
type word struct {
	text      string
	kind      sim.Kind // of the events
	arguments []argument
	details   []string // one of which the event must have; nil: any
	only      string   // the command that the event must have; "": any
}

// argument is what may follow a word.
type argument struct {
	preposition string // before it; "" for none
	what        string // it is
	valid       func(string) bool
	field       func(*Pattern) *string // that it narrows
}

var (
	operations = []string{"acquire", "extend", "release", "read", "write", "decrement"}

	anOperation = argument{
		"", "an operation (" + strings.Join(operations, ", ") + ")", isOperation,
		func(p *Pattern) *string { return &p.Operation },
	}
	aCommand   = argument{"", "a command's name", nameForm.MatchString, func(p *Pattern) *string { return &p.Command }}
	aResource  = argument{"", "a resource", nameForm.MatchString, func(p *Pattern) *string { return &p.Resource }}
	ofResource = argument{"of", "a resource", nameForm.MatchString, aResource.field}
	toNode     = argument{"to", "the name of a node", isNodeName, func(p *Pattern) *string { return &p.Peer }}
	toClient   = argument{"to", "the name of a client", isClientName, toNode.field}
	ofClient   = argument{"of", "the name of a client", isClientName, toNode.field}
)

func isOperation(s string) bool { return slices.Contains(operations, s) }

// clientWords, nodeWords and faultWords say what clients, nodes and faults can do.
var (
	clientWords = []word{
		{text: "called", kind: sim.Call, arguments: []argument{anOperation, ofResource}},
		{text: "failed", kind: sim.Failed, arguments: []argument{anOperation, ofResource}},
		{text: "acquired", kind: sim.Acquired, arguments: []argument{aResource}},
		{text: "extended", kind: sim.Extended, arguments: []argument{aResource}},
		{text: "released", kind: sim.Released, arguments: []argument{aResource}},
		{text: "lapsed", kind: sim.Lapsed, arguments: []argument{aResource}},
		{text: "accessed", kind: sim.Access, arguments: []argument{aResource}},
		{text: "sent", kind: sim.Send, arguments: []argument{aCommand, toNode}},
		{text: "paused", kind: sim.Pause},
		{text: "resumed", kind: sim.Resume},
		{text: "crashed", kind: sim.Crash},
		{text: "finished", kind: sim.Done},
		{text: "dialed", kind: sim.Dial, arguments: []argument{toNode}},
		{text: "connected", kind: sim.Connect, arguments: []argument{toNode}},
		{text: "closed", kind: sim.Close, arguments: []argument{toNode}},
		{text: "reset", kind: sim.Reset, arguments: []argument{toNode}},
		{text: "lost", kind: sim.Drop, arguments: []argument{aCommand, toNode}},
		{text: "delayed", kind: sim.Delay, arguments: []argument{aCommand, toNode}},
		{text: "woke", kind: sim.Timer},
		{text: "impaired", kind: sim.Impair},
		{text: "recovered", kind: sim.Recover},
		{text: "stepped", kind: sim.ClockStep},
		{text: "drifted", kind: sim.ClockRate},
	}
	nodeWords = []word{
		{text: "received", kind: sim.Deliver, arguments: []argument{aCommand, ofClient}},
		{text: "executed", kind: sim.Execute, arguments: []argument{aCommand, ofClient}},
		{text: "replied", kind: sim.Reply, arguments: []argument{aCommand, toClient}},
		{text: "refused", kind: sim.Refuse, arguments: []argument{toClient}},
		{text: "crashed", kind: sim.Crash},
		{text: "restarted", kind: sim.Restart},
		{text: "expired", kind: sim.Expire},
		{text: "forgot", kind: sim.Forget},
		{text: "revived", kind: sim.Revive},
		{text: "promoted", kind: sim.Restart, details: []string{sim.Promoted, sim.PromotedAgain}},
		{text: "impaired", kind: sim.Impair},
		{text: "recovered", kind: sim.Recover},
		{text: "loading", kind: sim.Impair, details: []string{sim.Loading}},
		{text: "loaded", kind: sim.Recover, details: []string{sim.Loading}},
		{text: "refusing", kind: sim.Impair, details: append(sim.Reasons(), sim.DiskFull)},
		{text: "stopped", kind: sim.Impair, details: []string{sim.Stopped}},
		{text: "continued", kind: sim.Recover, details: []string{sim.Stopped}},
		{text: "evicted", kind: sim.NodeCall, only: sim.Eviction},
		{text: "removed", kind: sim.NodeCall, only: sim.Removal},
		{text: "operated", kind: sim.NodeCall, arguments: []argument{aCommand}},
		{text: "stepped", kind: sim.ClockStep},
		{text: "drifted", kind: sim.ClockRate},
		{text: "moved", kind: sim.Moved},
	}
	triggerWords = slices.Concat(clientWords, nodeWords)
	faultWords   = []string{"began", "ended"}
)
