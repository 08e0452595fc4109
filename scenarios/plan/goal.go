package plan

import (
	"time"

	"redlocklab/faults"
)

// Goal is one liveness demand, judged within its own time limit.
type Goal struct {
	Claim    string `json:"claim"`
	Client   string `json:"client"`             // or AnyClient
	Except   string `json:"except,omitempty"`   // a client whose operations do not count; empty is none
	Does     string `json:"does"`               // acquire, extend, release, read, write, decrement
	Resource string `json:"resource,omitempty"` // empty is any
	Each     Each   `json:"each,omitempty"`
	// From is when the time begins to run: the zero trigger is the start of the
	// run. For Each it is when operations begin to be judged, each from its own call.
	From   faults.Trigger `json:"from,omitzero"`
	Within Bound          `json:"within"`
	// Heal is how long a stretch without blocking faults the bound needs inside
	// its window; nil means the whole of Within.
	Heal  *Bound   `json:"heal,omitempty"`
	Needs []string `json:"needs,omitempty"` // assumptions that the bound stands on, sorted
}

// AnyClient is the word for whichever client.
const AnyClient = "any"

// Each says whether a goal is about one operation or about all of them.
type Each string

// EachNone: some operation succeeds within the bound. EachReturns: every one
// returns within the bound of its call. EachSucceeds: … and with success.
// EachFails: … and without. EachNever: no command of this operation is sent to a
// node from From on, for as long as the bound.
const (
	EachNone     Each = ""
	EachReturns  Each = "returns"
	EachSucceeds Each = "succeeds"
	EachFails    Each = "fails"
	EachNever    Each = "never"
)

// Bound is a duration with the arithmetic that it came from.
type Bound struct {
	Text  string        `json:"text"` // as written: "ttl + clock_error + 3*round"
	Value time.Duration `json:"value_ns"`
}

// GoalOperations are what a goal can ask for.
var GoalOperations = []string{"acquire", "extend", "release", "read", "write", "decrement"}
