package plan

import (
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

// Scenario is one scenario file, checked: every name in it resolves, every number is in
// its range, and every default is filled in.
type Scenario struct {
	// Name is the file's name without ".yaml": the claim, and a suffix where one
	// claim has several stories ("BA-3-rdb").
	Name   string   `json:"name"`
	Path   string   `json:"path,omitempty"` // where the file was read, for messages; "suite/…" in the embedded one
	Claim  string   `json:"claim"`          // id in the list of claims: "BA-2"
	Title  string   `json:"title"`
	Source []string `json:"source,omitempty"` // letters of the sources, in the file's order
	Story  string   `json:"story,omitempty"`  // plain words

	Nodes   Nodes           `json:"nodes"`
	Network Network         `json:"network"`
	Lock    Lock            `json:"lock"`
	Clients []Client        `json:"clients"` // in the file's order
	Faults  faults.Schedule `json:"faults,omitempty"`
	// Stock is the value that the protected registers begin with, such as the number of
	// items in an inventory.
	Stock int64 `json:"stock,omitempty"`

	Seeds    Seeds     `json:"seeds"`
	Subjects []Subject `json:"subjects"` // in the file's order
	Liveness []Goal    `json:"liveness,omitempty"`
	Bounds   Bounds    `json:"bounds"`

	// Parameters are in the file's order, with their values here; then come those that --set gave.
	Parameters []Parameter `json:"parameters,omitempty"`
	Map        *Map        `json:"map,omitempty"`     // what simulate map plays; nil: nothing
	Options    []SetOption `json:"options,omitempty"` // that --set gave to subjects, also to those that the file does not name

	Text []byte `json:"-"` // of the file, which is read again when parameters are set
}

// Default is a scenario that says nothing: what files and programs begin with.
func Default() Scenario {
	return Scenario{
		Nodes:   Nodes{Count: 5, Persistence: sim.NoPersistence},
		Network: Network{Latency: Span{Low: time.Millisecond, High: 4 * time.Millisecond}},
		Lock: Lock{
			RateErrorPPM: checker.DefaultRateErrorPPM, WallError: DefaultWallError,
			RESP: 2, NodeTimeout: 50 * time.Millisecond, Fencing: FencingNone,
			Retry: Retry{Delay: Span{Low: 50 * time.Millisecond, High: 150 * time.Millisecond}},
		},
		Seeds:  Seeds{First: 1, Last: 200},
		Bounds: Bounds{Virtual: 2 * time.Minute, Events: 200_000},
	}
}

// BeyondTextbook reports whether the textbook algorithm misses a goal of the scenario with every
// assumption kept, and no claim only measures it.
func (s *Scenario) BeyondTextbook() bool {
	return !Measured(s.Claim) && slices.ContainsFunc(s.Subjects, func(x Subject) bool {
		return x.Name == "SY-0" && len(x.Options) == 0 && len(x.Broken) == 0 &&
			x.Expect[checker.OracleLiveness] == checker.Violated
	})
}

// Nodes are the servers n1 … nCount, all alike.
type Nodes struct {
	Count       int             `json:"count"` // 1 … 15
	Persistence sim.Persistence `json:"persistence"`
	OneServer   []string        `json:"one_server,omitempty"` // nodes that are addresses of the first of them
}

// Names returns n1 … nCount.
func (n Nodes) Names() []string {
	names := make([]string, n.Count)
	for i := range names {
		names[i] = NodeName(i + 1)
	}
	return names
}

// Span is a duration or a range of durations, both ends possible.
type Span = faults.Span

// Network is how messages travel. The first link that matches decides; all other messages
// have the network's own values.
type Network struct {
	Latency Span    `json:"latency"`            // of one message, one way
	LossPPM int64   `json:"loss_ppm,omitempty"` // parts per million of messages that are lost, in each direction
	Groups  []Group `json:"groups,omitempty"`   // names for several clients and nodes, in the file's order
	Links   []Link  `json:"links,omitempty"`
}

// Link overrides the network for messages in one direction: requests go from a client to
// a node, replies from a node to a client. "all" is every client or every node. A group's
// name stands for its clients and nodes.
type Link struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	Between [2]string `json:"between,omitzero"` // in place of From and To: both directions
	Latency Span      `json:"latency"`
	LossPPM int64     `json:"loss_ppm,omitempty"`
}

// Fencing says where the fencing tokens of leases come from.
type Fencing string

// The sources of fencing tokens. With ideal the laboratory gives each lease a number larger
// than all before it, in the order in which acquisitions return. So what a fence at the
// resource is worth can be tested apart from where its tokens come from.
const (
	FencingNone    Fencing = "none"
	FencingIdeal   Fencing = "ideal"
	FencingSubject Fencing = "subject" // the subject's own
)

// Words returns all sources.
func (Fencing) Words() []Fencing { return []Fencing{FencingNone, FencingIdeal, FencingSubject} }

// Lock is what every subject is configured with.
type Lock struct {
	TTL          time.Duration `json:"ttl_ns"`
	RateErrorPPM int64         `json:"rate_error_ppm"` // ρ of A-RATE: how much the clocks may err
	// WallError is the bound of A-WALL: the wall clocks of nodes and clients begin less than
	// this ahead of true time, which is what time.Now returns.
	WallError   time.Duration `json:"wall_error_ns,omitempty"`
	NodeTimeout time.Duration `json:"node_timeout_ns"` // how long one node may take to answer one round
	Retry       Retry         `json:"retry"`
	Fencing     Fencing       `json:"fencing"`
	RESP        int           `json:"resp,omitempty"` // the version of the protocol that drivers speak; 0: 2
	// Pool is how many connections a driver client of one node may have; 0: more than a run needs.
	Pool int `json:"pool,omitempty"`
	// Extensions is how often a holder may extend one lease: the bound of A-BOUNDED; 0: none is stated.
	Extensions int `json:"extensions,omitempty"`
}

// DefaultWallError is the bound of A-WALL of scenarios that state none.
const DefaultWallError = time.Millisecond

// Retry is how a subject retries a blocking acquisition.
type Retry struct {
	Delay Span `json:"delay"`           // between two attempts, drawn each time
	Tries int  `json:"tries,omitempty"` // attempts in all; 0: unlimited
}

// Client is one process that uses the lock.
type Client struct {
	Name  string `json:"name"`
	Start Span   `json:"start,omitzero"` // when its first step begins, in true time
	// Ahead is how far its time of day is ahead of that of clients without it, during the
	// whole run; negative is behind. It is not a clock step.
	Ahead time.Duration `json:"clock_ahead_ns,omitempty"`
	// Token is what its lock must write into its keys; empty: the lock's own tokens.
	Token string `json:"token,omitempty"`
	// Nodes are those that it knows; empty: all. During a change of N, clients have
	// different sets.
	Nodes []string `json:"nodes,omitempty"`
	// Follows is the client whose later life this is: a new process that begins when that
	// client crashes. Start counts from there. If that client finishes, this one never begins.
	Follows string `json:"follows,omitempty"`
	// Lockers is how many locks the process makes, all on its one driver client per node; 0:
	// one. They share the connections (Lock.Pool), and as parts of one process its clocks,
	// pauses and crashes. The client's acquisitions use them in turn, and a lease stays with
	// the one that acquired it. So two of them act at the same time only by what they do by
	// themselves: renewals, late releases, connections that they keep or give back. If the
	// steps called them side by side, chance would decide which call gets a connection that
	// two wait for.
	Lockers int    `json:"lockers,omitempty"`
	Steps   []Step `json:"steps"`
}

// EventsPerClient is how many events the default bound leaves for each client, where there are
// more than 200 clients.
const EventsPerClient = 1000

// Bounds end a run that does not end by itself; hitting one makes it inconclusive.
type Bounds struct {
	Virtual time.Duration `json:"virtual_ns"` // true time inside the run
	Events  int           `json:"events"`     // lines of its trace
	Bytes   int64         `json:"bytes"`      // of its trace; 0: sim.DefaultBytes
}

// Goal is one liveness goal: what must happen, and within which time.
type Goal struct {
	Claim    string `json:"claim"`
	Client   string `json:"client"`             // or AnyClient
	Except   string `json:"except,omitempty"`   // a client whose operations do not count; empty: none
	Does     string `json:"does"`               // one of GoalOperations
	Resource string `json:"resource,omitempty"` // empty: any
	Each     Each   `json:"each,omitempty"`
	// From is when the time begins to run; the zero trigger is the start of the run.
	// With Each, operations count from then on, each from its own call.
	From   faults.Trigger `json:"from,omitzero"`
	Within Bound          `json:"within"`
	// Heal is how long a time without blocking faults the bound needs; nil: all of Within.
	Heal  *Bound   `json:"heal,omitempty"`
	Needs []string `json:"needs,omitempty"` // assumptions that the bound needs, sorted
}

// AnyClient stands for every client.
const AnyClient = "any"

// Each says whether a goal is about one operation or about all of them.
type Each string

// The values of Each.
const (
	EachNone     Each = ""         // some operation succeeds within the bound
	EachReturns  Each = "returns"  // every operation returns within the bound of its call
	EachSucceeds Each = "succeeds" // … and succeeds
	EachFails    Each = "fails"    // … and fails
	EachNever    Each = "never"    // no command of the operation is sent to a node within the bound
	EachClears   Each = "clears"   // a key that a release, or a failed acquisition, gives up is gone within the bound
	EachInTime   Each = "in_time"  // no command of the operation is sent later than the bound after the end of its lease
)

// Words returns all but EachNone.
func (Each) Words() []Each {
	return []Each{EachReturns, EachSucceeds, EachFails, EachNever, EachClears, EachInTime}
}

// Bound is a duration with the arithmetic that it was computed from.
type Bound struct {
	Text  string        `json:"text"` // as written: "ttl + clock_error + 3*round"
	Value time.Duration `json:"value_ns"`
}

// GoalOperations returns the operations that a goal can be about.
func GoalOperations() []string {
	return []string{"acquire", "extend", "release", "read", "write", "decrement"}
}
