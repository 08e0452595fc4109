package plan

import (
	"slices"
	"time"
)

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
	Kind     StepKind `json:"kind"`
	Resource string   `json:"resource,omitempty"` // lock, trylock, extend, release, read, write, decrement
	Duration Span     `json:"duration,omitzero"`  // hold, wait; drawn by identity each time
	// Cancel (lock, trylock): the caller cancels the acquisition's context so
	// long after its call, if it has not returned by then. Zero: it does not.
	Cancel Span `json:"cancel,omitzero"`
	// Guarded (read, write, decrement): the client asks its lease first and
	// skips the access when the lease is over. Default true.
	Guarded bool `json:"guarded,omitempty"`
	// Think (read, write, decrement) is time that the client computes between
	// its look at the lease (the event "called write") and sending the access.
	Think Span `json:"think,omitzero"`
	// Delay (read, write, decrement) holds the message to the resource up, on
	// top of the network's latency.
	Delay Span `json:"delay,omitzero"`
	// Times or For (repeat), the other is zero. A round that began goes to its end.
	Times int           `json:"times,omitempty"`
	For   time.Duration `json:"for_ns,omitempty"`
	Steps []Step        `json:"steps,omitempty"`
}

// Operation is the word with which the step appears in events and goals; "" for
// steps that call nothing.
func (s Step) Operation() string {
	switch s.Kind {
	case StepLock, StepTryLock:
		return "acquire"
	case StepExtend, StepRelease, StepRead, StepWrite, StepDecrement:
		return string(s.Kind)
	}
	return ""
}

// access reports whether the step touches the protected resource.
func (s Step) access() bool {
	return s.Kind == StepRead || s.Kind == StepWrite || s.Kind == StepDecrement
}

// Walk visits all steps, those in loops too.
func Walk(steps []Step, visit func(Step)) {
	for _, s := range steps {
		visit(s)
		Walk(s.Steps, visit)
	}
}

// takesTime reports whether a step takes time whatever happened before it.
func takesTime(s Step) bool {
	return s.Kind == StepLock || s.Kind == StepTryLock || s.Kind == StepWait ||
		s.Kind == StepRepeat && slices.ContainsFunc(s.Steps, takesTime)
}

// Verbs are the steps that are written as mappings, in the order of messages.
var Verbs = []StepKind{StepLock, StepTryLock, StepHold, StepExtend, StepRelease, StepWait, StepRead, StepWrite, StepDecrement, StepRepeat}

// DeepestLoop is how deep loops may nest.
const DeepestLoop = 4
