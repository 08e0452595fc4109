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

// Span is a duration or a range of durations, both ends possible. A fixed one
// has Low == High.
type Span struct {
	Low, High time.Duration
}

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

// StepKind says what a client does.
type StepKind string

// The steps. Waits and holds run on true time.
const (
	StepLock      StepKind = "lock"      // acquire, with the subject's own retries
	StepTryLock   StepKind = "trylock"   // acquire, one attempt
	StepHold      StepKind = "hold"      // work for Duration; goes on at once when no lease is held
	StepExtend    StepKind = "extend"    // extend the lease
	StepRelease   StepKind = "release"   // release the lease; skipped when there is none
	StepWait      StepKind = "wait"      // do nothing for Duration
	StepRead      StepKind = "read"      // read the protected registers
	StepWrite     StepKind = "write"     // write the protected registers
	StepDecrement StepKind = "decrement" // read, compute for Think, write the result: the inventory counter
	StepCrash     StepKind = "crash"     // the process ends without a word
	StepRepeat    StepKind = "repeat"    // Steps again, Times times or For long
)

// Step is one thing that a client does. Which fields matter stands beside them.
type Step struct {
	Kind     StepKind
	Resource string // lock, trylock, extend, release, read, write, decrement
	Duration Span   // hold, wait; drawn by identity each time
	// Guarded (read, write, decrement): the client asks its lease first and
	// skips the access when the lease is over. Default true.
	Guarded bool
	// Think (read, write, decrement) is time that the client computes between
	// its look at the lease (the event "called write") and sending the access.
	Think Span
	// Delay (read, write, decrement) holds the message to the resource up, on
	// top of the network's latency.
	Delay Span
	// Times or For (repeat), the other is zero. A round that began goes to its end.
	Times int
	For   time.Duration
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

// Goal is one liveness demand, judged within its own time limit.
type Goal struct {
	Claim    string
	Client   string // "any": whichever client
	Except   string // a client whose operations do not count; empty is none
	Does     string // acquire, extend, release, read, write, decrement
	Resource string // empty is any
	Each     Each
	// From is when the time begins to run: the zero trigger is the start of the
	// run. For Each it is when operations begin to be judged, each from its own call.
	From   faults.Trigger
	Within Bound
	// Heal is how long a stretch without blocking faults the bound needs inside
	// its window; nil means the whole of Within.
	Heal  *Bound
	Needs []string // assumptions that the bound stands on, sorted
}

// Each says whether a goal is about one operation or about all of them.
type Each string

// EachNone: some operation succeeds within the bound. EachReturns: every one
// returns within the bound of its call. EachSucceeds: … and with success.
const (
	EachNone     Each = ""
	EachReturns  Each = "returns"
	EachSucceeds Each = "succeeds"
)

// Bound is a duration with the arithmetic that it came from.
type Bound struct {
	Text  string // as written: "ttl + clock_error + 3*round"
	Value time.Duration
}
