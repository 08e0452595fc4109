package scenarios

import (
	"time"

	"redlocklab/faults"
)

// Scenario is one scenario file, checked: every name in it resolves, every
// number is in its range, every default is filled in.
type Scenario struct {
	// Name is the file's name without ".yaml": the claim, and a suffix where one
	// claim has several stories ("BA-3-rdb").
	Name   string
	Path   string // where the file was read, for messages; "suite/…" in the embedded one
	Claim  string // id in the list of claims: "BA-2"
	Title  string
	Source []string // letters of the sources, in the file's order
	Story  string   // plain words

	Nodes   Nodes
	Network Network
	Lock    Lock
	Clients []Client // in the file's order
	Faults  faults.Schedule

	Seeds    Seeds
	Subjects []Subject // in the file's order
	Liveness []Goal
	Bounds   Bounds
}

// Persistence is what a node writes to disk.
type Persistence string

// The modes of persistence.
const (
	PersistenceNone     Persistence = "none"
	PersistenceRDB      Persistence = "rdb"          // snapshots
	PersistenceEverySec Persistence = "aof-everysec" // up to 2 s are unsynced
	PersistenceAlways   Persistence = "aof-always"
)

// Nodes are the servers n1 … nCount, all alike.
type Nodes struct {
	Count       int // 1 … 15
	Persistence Persistence
}

// Names returns n1 … nCount.
func (n Nodes) Names() []string {
	names := make([]string, n.Count)
	for i := range names {
		names[i] = nodeName(i + 1)
	}
	return names
}

// Span is a duration or a range of durations, both ends possible.
type Span = faults.Span

// Network is how messages travel. The first link that matches decides; the
// network's own values are for all others.
type Network struct {
	Latency Span  // of one message, one way
	LossPPM int64 // parts per million of messages, each way, that vanish
	Links   []Link
}

// Link overrides the network for messages from one end to the other: From a
// client and To a node is requests, the other way round is replies. "all" is
// every client or every node.
type Link struct {
	From, To string
	Latency  Span
	LossPPM  int64
}

// Fencing says what numbers come with the leases of a subject that has none of its own.
type Fencing string

// The sources of fencing tokens. Ideal: the laboratory hands each lease a number
// larger than all before it, in the order in which acquisitions return. That isolates the question what a
// fence at the resource is worth from the question where its numbers come from.
const (
	FencingNone    Fencing = "none"
	FencingIdeal   Fencing = "ideal"
	FencingSubject Fencing = "subject" // the subject's own
)

// Lock is what every subject is configured with.
type Lock struct {
	TTL          time.Duration
	RateErrorPPM int64         // ρ of A-RATE; what the clocks of this scenario are allowed to err
	NodeTimeout  time.Duration // how long one node may take to answer one round
	Retry        Retry
	Fencing      Fencing
	Extensions   int // how often a holder may extend one lease: the bound of A-BOUNDED; 0: none is stated
}

// Retry is how a subject retries a blocking acquisition.
type Retry struct {
	Delay Span // between two attempts, drawn anew each time
	Tries int  // attempts in all; 0 is without end
}

// Client is one process that uses the lock.
type Client struct {
	Name  string
	Start Span // when its first step begins, in true time
	Steps []Step
}

// Seeds is a closed range.
type Seeds struct {
	First, Last uint64
}

// Bounds end a run that does not end by itself; hitting one makes it inconclusive.
type Bounds struct {
	Virtual time.Duration // true time inside the run
	Events  int           // lines of its trace
}
