package checker

// Version is the version of the history format that this package reads and
// writes. A reader refuses every other version.
const Version = 1

// Kind is the first field of every line and says which record it is.
type Kind string

// The kinds of records, in the order in which Write puts them into a file.
const (
	KindHeader    Kind = "header"
	KindOperation Kind = "op"
	KindLease     Kind = "lease"
	KindNode      Kind = "node"
	KindAccess    Kind = "access"
	KindFact      Kind = "fact"
	KindGoal      Kind = "goal"
)

// History is one run. Exactly one header; every list may be empty. The order
// inside a list carries no meaning: times do. Records are written as they are;
// Kind may be left empty by a producer, Write fills it in.
type History struct {
	Header     Header
	Operations []Operation
	Leases     []Lease
	NodeEvents []NodeEvent
	Accesses   []Access
	Facts      []Fact
	Goals      []Goal
}

// At makes an optional time (or an optional number) out of a known one.
func At(value int64) *int64 { return &value }

// Clock names which of a process's clocks is meant.
type Clock string

// The clocks of a process. ClockNone: the subject reads no clock. ClockTrue:
// it reads the world's true time, which cannot err.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic" // stops while the host is suspended
	ClockBoottime  Clock = "boottime"  // counts suspension
	ClockNone      Clock = "none"
	ClockTrue      Clock = "true"
)

// ValiditySource says who determined the end of a lease's validity.
type ValiditySource string

// Where the end of validity comes from: the subject reports it, or the
// laboratory reads it as call of the acquisition + TTL on the client's clock.
const (
	ValidityReported   ValiditySource = "reported"
	ValidityLaboratory ValiditySource = "laboratory"
)

// Header describes the run as a whole. It is the first line.
type Header struct {
	Kind    Kind   `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
	// EndNS is when the run ended. Goals whose bound lies beyond it are
	// inconclusive when they are not met.
	EndNS int64 `json:"end_ns"`
	// TTLNS is the largest TTL that any client asked for.
	TTLNS int64 `json:"ttl_ns"`
	// RateErrorPPM is the scenario's ρ of A-RATE, in parts per million. Zero
	// means exactly zero; DefaultRateErrorPPM is the customary value.
	RateErrorPPM int64    `json:"rate_error_ppm"`
	Clients      []Client `json:"clients"`
	Nodes        []string `json:"nodes"`
	// Quorum is how many nodes must agree.
	Quorum int `json:"quorum"`
	// Registers gives protected registers that do not start at zero.
	Registers []RegisterStart `json:"registers,omitempty"`
	Line      int             `json:"-"`
}

// DefaultRateErrorPPM is the clock error that A-RATE allows by default.
const DefaultRateErrorPPM = 4500

// Client is one process that uses the lock.
type Client struct {
	Name string `json:"name"`
	// Subject names the lock under test; free text.
	Subject string `json:"subject,omitempty"`
	// Clock is the one clock that matters for this client's validity.
	Clock    Clock          `json:"clock"`
	Validity ValiditySource `json:"validity"`
	// ReleaseConfirms says that an "ok" of this subject's release claims that
	// the lock was still owned. Without it, "ok" only means "done".
	ReleaseConfirms bool `json:"release_confirms,omitempty"`
}

// RegisterStart is the value of a protected register before the run.
type RegisterStart struct {
	Resource string   `json:"resource"`
	Register Register `json:"register"`
	Value    int64    `json:"value"`
}

// Action is what an operation or an access does.
type Action string

// Acquire, extend and release are operations on the lock. Read and write are
// single requests to the protected resource. Decrement, as an operation, is a
// whole read-compute-write section of the inventory counter whose Result is
// the value before it (the number of the item sold); as an access it is one
// atomic request with the same Result.
const (
	ActionAcquire   Action = "acquire"
	ActionExtend    Action = "extend"
	ActionRelease   Action = "release"
	ActionRead      Action = "read"
	ActionWrite     Action = "write"
	ActionDecrement Action = "decrement"
)

// Outcome is what the caller learned.
type Outcome string

// OutcomeUnknown: no answer, or an answer that does not say whether it took
// effect. An operation without return_ns must have it.
const (
	OutcomeOK      Outcome = "ok"
	OutcomeFail    Outcome = "fail"
	OutcomeUnknown Outcome = "unknown"
)

// Operation is one call by a client.
type Operation struct {
	Kind     Kind   `json:"kind"`
	ID       string `json:"id"`
	Client   string `json:"client"`
	Action   Action `json:"op"`
	Resource string `json:"resource"`
	// Lease is the lease that a successful acquisition made, or that another
	// operation was called on. Empty when there is none.
	Lease  string `json:"lease,omitempty"`
	CallNS int64  `json:"call_ns"`
	// ReturnNS is absent when the call never returned.
	ReturnNS *int64  `json:"return_ns,omitempty"`
	Outcome  Outcome `json:"outcome"`
	// Class is the error class as text, for readers only.
	Class string `json:"class,omitempty"`
	// Token is the lock token of an acquisition's (last) attempt.
	Token string `json:"token,omitempty"`
	// Register, Fence, Value and Result belong to read, write and decrement:
	// the register addressed, the fencing token sent, the value written, the
	// value read (decrement: the value before it).
	Register Register `json:"register,omitempty"`
	Fence    *int64   `json:"fence,omitempty"`
	Value    *int64   `json:"value,omitempty"`
	Result   *int64   `json:"result,omitempty"`
	// Event is the number of the trace event (from 1; 0 is none) of the return,
	// or of the call when it never returned.
	Event int64 `json:"event,omitempty"`
	Line  int   `json:"-"`
}

// Lease is one successful acquisition, whose belief is judged.
type Lease struct {
	Kind     Kind   `json:"kind"`
	ID       string `json:"id"` // "A#1"
	Client   string `json:"client"`
	Resource string `json:"resource"`
	Token    string `json:"token,omitempty"`
	// Fence is the fencing token that came with the lease, if any.
	Fence *int64 `json:"fence,omitempty"`
	// Operation is the id of the acquisition, if operations are recorded.
	Operation string `json:"acquired_by,omitempty"`
	// Validity holds the end of validity as known from each instant on: first
	// at the acquisition's return, then one entry per successful extension, at
	// its return. Strictly ordered by AtNS.
	Validity []Validity `json:"validity"`
	// ReleasedNS is the call of release; absent when it was never called.
	ReleasedNS *int64 `json:"released_ns,omitempty"`
	// WorkDoneNS is when the holder finished the work that the lease protects;
	// absent when that is not known. Work after the end breaks A-WORK.
	WorkDoneNS *int64 `json:"work_done_ns,omitempty"`
	Line       int    `json:"-"`
}

// Validity says: from AtNS on, the holder knew that its lease ends at UntilNS
// (in true time: the instant at which the clock that it reads shows the end).
type Validity struct {
	AtNS    int64 `json:"at_ns"`
	UntilNS int64 `json:"until_ns"`
	Event   int64 `json:"event,omitempty"`
}

// NodeAction is what a node executed.
type NodeAction string

// What a node did with one command about a lock's key. A refusal is a set,
// delete or extend that changed nothing.
const (
	NodeSet    NodeAction = "set"
	NodeDelete NodeAction = "delete"
	NodeExtend NodeAction = "extend"
	NodeRefuse NodeAction = "refuse"
)

// NodeEvent is one line of a node's own log: a command that it executed.
type NodeEvent struct {
	Kind     Kind   `json:"kind"`
	Node     string `json:"node"`
	AtNS     int64  `json:"at_ns"`
	Client   string `json:"client"`
	Resource string `json:"resource"`
	Lease    string `json:"lease,omitempty"`
	// Operation is the id of the call that sent the command, if known.
	Operation string     `json:"for_op,omitempty"`
	Token     string     `json:"token,omitempty"`
	What      NodeAction `json:"what"`
	// Asked is what the command asked for, done or refused: acquire, extend or
	// release; empty when unknown. SentNS is when the client sent it.
	Asked  Action `json:"asked,omitempty"`
	SentNS *int64 `json:"sent_ns,omitempty"`
	// TTLNS is the life that a set or an extend gave the key; 0 when unknown.
	TTLNS int64 `json:"ttl_ns,omitempty"`
	// Result is the node's answer as text, for readers only.
	Result string `json:"result,omitempty"`
	Event  int64  `json:"event,omitempty"`
	Line   int    `json:"-"`
}

// Register says which of the registers beside each other is meant.
type Register string

// How a protected register treats fencing tokens: not at all; refusing stale
// writes, with its high-water token raised by writes only; or refusing every
// stale access, with the high-water token raised by reads too.
const (
	RegisterUnfenced     Register = "unfenced"
	RegisterFencedWrites Register = "fenced_writes"
	RegisterFenced       Register = "fenced"
)

// Access is one request as the protected resource saw it.
type Access struct {
	Kind Kind `json:"kind"`
	// AtNS is the arrival, when it took effect (or was refused).
	AtNS   int64 `json:"at_ns"`
	SentNS int64 `json:"sent_ns"`
	// Operation is the id of the client's operation, if that is recorded too:
	// the access then resolves the operation's unknown outcome.
	Operation string   `json:"for_op,omitempty"`
	Client    string   `json:"client"`
	Lease     string   `json:"lease,omitempty"`
	Resource  string   `json:"resource"`
	Register  Register `json:"register"`
	Action    Action   `json:"action"` // read, write or decrement
	Fence     *int64   `json:"fence,omitempty"`
	// Value is what a write wrote; Result what a read returned (decrement: the
	// value before it).
	Value    *int64 `json:"value,omitempty"`
	Result   *int64 `json:"result,omitempty"`
	Accepted bool   `json:"accepted"`
	Event    int64  `json:"event,omitempty"`
	Line     int    `json:"-"`
}

// FactName is the sort of a fact.
type FactName string

// The facts. HISTORY.md lists the fields that each requires, and the one
// assumption that each can break.
const (
	FactClockStep          FactName = "clock_step"
	FactClockRate          FactName = "clock_rate"
	FactSuspended          FactName = "suspended"
	FactForgot             FactName = "forgot"
	FactRevived            FactName = "revived"
	FactOwner              FactName = "owner"
	FactFailover           FactName = "failover"
	FactSameServer         FactName = "same_server"
	FactMembership         FactName = "membership"
	FactCounterLost        FactName = "counter_lost"
	FactFault              FactName = "fault"
	FactRetryFixed         FactName = "retry_fixed"
	FactUnboundedExtension FactName = "unbounded_extension"
	FactPaused             FactName = "paused"
)

// Cause says why a node forgot or revived a vote, and so which assumption that
// breaks.
type Cause string

// Crash, power loss and rollback break A-VOTE. A failover breaks A-DISTINCT, a
// clock step (a barred restart that ended too early because of it) A-STEP, and
// a third party A-OWNER.
const (
	CauseCrash     Cause = "crash"
	CausePowerLoss Cause = "power_loss"
	CauseRollback  Cause = "rollback"
	CauseFailover  Cause = "failover"
	CauseClockStep Cause = "clock_step"
	CauseOwner     Cause = "owner"
)

// Fact is something that happened to the world and that can break an
// assumption. Fields that a fact does not use stay empty.
type Fact struct {
	Kind Kind     `json:"kind"`
	Fact FactName `json:"fact"`
	// AtNS is when it happened; for a fact with a duration, when it began.
	AtNS int64 `json:"at_ns"`
	// UntilNS is when a fact with a duration ended; absent: never in this run.
	UntilNS *int64 `json:"until_ns,omitempty"`
	// Event is the trace event that caused it (from 1; 0 is none).
	Event int64 `json:"event,omitempty"`
	// Who is the node or client whose clock stepped or erred.
	Who   string `json:"who,omitempty"`
	Clock Clock  `json:"clock,omitempty"`
	// DeltaNS is the size of a clock step, negative when backwards.
	DeltaNS int64 `json:"delta_ns,omitempty"`
	// ErrorPPM is a clock's rate error: positive runs fast.
	ErrorPPM int64 `json:"error_ppm,omitempty"`
	// Client is the client that was suspended, paused, retries after a fixed
	// delay, or extends without bound; for a fault, the only client that it
	// cuts off (empty: every client).
	Client string `json:"client,omitempty"`
	Node   string `json:"node,omitempty"`
	// Nodes: the nodes that are one server, the new membership, or those that a
	// fault takes away (empty: every node).
	Nodes []string `json:"nodes,omitempty"`
	Key   string   `json:"key,omitempty"`
	Token string   `json:"token,omitempty"`
	// RemainingNS is how long the forgotten, revived or removed key still had
	// to live, in true time. Not positive: it had run out, nothing is broken.
	RemainingNS int64 `json:"remaining_ns,omitempty"`
	Cause       Cause `json:"cause,omitempty"`
	// Name is a fault's name in plain words, or a third party's deed.
	Name string `json:"name,omitempty"`
	Line int    `json:"-"`
}

// GoalForm says what a goal asks of the operations that it selects.
type GoalForm string

// The forms of goals. GoalSome: at least one selected operation succeeds, and
// returns within WithinNS of FromNS. GoalEachReturns: every selected operation
// called at FromNS or later returns, with whatever outcome but unknown, within
// WithinNS of its call. GoalEachSucceeds: the same, and with outcome ok.
// GoalEachFails: the same, and with outcome fail. GoalNeverSent looks at the
// nodes' logs: no executed command that asked for the action was sent from
// FromNS on, for WithinNS (MX-10).
const (
	GoalSome         GoalForm = "some"
	GoalEachReturns  GoalForm = "each_returns"
	GoalEachSucceeds GoalForm = "each_succeeds"
	GoalEachFails    GoalForm = "each_fails"
	GoalNeverSent    GoalForm = "never_sent"
)

// Goal is one liveness demand.
type Goal struct {
	Kind  Kind   `json:"kind"`
	ID    string `json:"id"`
	Claim string `json:"claim,omitempty"`
	// Bound describes the bound with its arithmetic, for readers.
	Bound string   `json:"bound"`
	Form  GoalForm `json:"form"`
	// Client selects one client's operations; empty is any. Except takes one
	// client out. Resource empty is any.
	Client   string `json:"client,omitempty"`
	Except   string `json:"except,omitempty"`
	Resource string `json:"resource,omitempty"`
	Action   Action `json:"op"`
	FromNS   int64  `json:"from_ns"`
	WithinNS int64  `json:"within_ns"`
	// HealNS is how long a stretch without blocking faults the bound needs
	// inside its window; 0 means the whole of WithinNS.
	HealNS int64 `json:"heal_ns,omitempty"`
	// Needs lists the assumptions that the bound stands on, such as A-HEAL.
	Needs []string `json:"needs,omitempty"`
	Line  int      `json:"-"`
}
