package plan

import (
	"time"

	"redlocklab/faults"
)

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
