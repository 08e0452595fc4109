package checker

// Action is what an operation or an access does.
type Action string

// Acquire, extend and release are operations on the lock. Read and write are
// single requests to the protected resource. A decrement, as an operation, is a
// whole read-compute-write section on the inventory counter. As an access it is
// one atomic request. Its Result is the value before it, in both cases.
const (
	ActionAcquire   Action = "acquire"
	ActionExtend    Action = "extend"
	ActionRelease   Action = "release"
	ActionRead      Action = "read"
	ActionWrite     Action = "write"
	ActionDecrement Action = "decrement"
)

// OnResource reports whether the action is one on the protected resource, not on the lock.
func (action Action) OnResource() bool {
	return action == ActionRead || action == ActionWrite || action == ActionDecrement
}

// Outcome is what the caller learned.
type Outcome string

// OutcomeUnknown means that there was no answer, or one that does not say
// whether the call took effect. A call that never returned has this outcome.
const (
	OutcomeOK      Outcome = "ok"
	OutcomeFail    Outcome = "fail"
	OutcomeUnknown Outcome = "unknown"
)

// Operation is one call by a client.
type Operation struct {
	Head
	ID       string `json:"id"`
	Client   string `json:"client"`
	Action   Action `json:"op"`
	Resource string `json:"resource"`
	// Lease is the lease that a successful acquisition made, or that the
	// operation was called on. It is empty when there is none.
	Lease  string `json:"lease,omitempty"`
	CallNS int64  `json:"call_ns"`
	// ReturnNS is absent when the call never returned.
	ReturnNS *int64  `json:"return_ns,omitempty"`
	Outcome  Outcome `json:"outcome"`
	// Class is the class of the error, for readers only.
	Class string `json:"class,omitempty"`
	// Token is the lock token of an acquisition's last attempt.
	Token string `json:"token,omitempty"`
	// Register, Fence, Value and Result belong to read, write and decrement: the
	// register addressed, the fencing token sent, the value written, and the
	// value read.
	Register Register `json:"register,omitempty"`
	Fence    *int64   `json:"fence,omitempty"`
	Value    *int64   `json:"value,omitempty"`
	Result   *int64   `json:"result,omitempty"`
	// Event is the number of the trace event of the return, or of the call when
	// it never returned. Numbers start at 1; 0 means none is known.
	Event int64 `json:"event,omitempty"`
}

// Lease is one successful acquisition.
type Lease struct {
	Head
	ID       string `json:"id"` // such as "A#1"
	Client   string `json:"client"`
	Resource string `json:"resource"`
	Token    string `json:"token,omitempty"`
	// Fence is the fencing token that came with the lease, if any.
	Fence *int64 `json:"fence,omitempty"`
	// Operation is the id of the acquisition, if operations are recorded.
	Operation string `json:"acquired_by,omitempty"`
	// Validity says how long the lease is valid: one entry for the return of the
	// acquisition, then one for the return of each successful extension. AtNS
	// strictly increases.
	Validity []Validity `json:"validity"`
	// ReleasedNS is the call of release. It is absent when there was none.
	ReleasedNS *int64 `json:"released_ns,omitempty"`
	// WorkDoneNS is when the holder finished the work that the lease protects. It
	// is absent when that is not known. Work after the end breaks A-WORK.
	WorkDoneNS *int64 `json:"work_done_ns,omitempty"`
}

// AcquiredNS is the return of the acquisition.
func (lease *Lease) AcquiredNS() int64 { return lease.Validity[0].AtNS }

// Validity says that from AtNS on the holder knew that its lease ends at
// UntilNS. That is the true time at which the clock that it reads shows the end.
type Validity struct {
	AtNS    int64 `json:"at_ns"`
	UntilNS int64 `json:"until_ns"`
	// Renewed: the lock lengthened the lease by itself, without a call by the client.
	Renewed bool  `json:"renewed,omitempty"`
	Event   int64 `json:"event,omitempty"`
}
