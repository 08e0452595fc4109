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
	StepHold      StepKind = "hold"      // work for Duration; skipped when no lease is held
	StepExtend    StepKind = "extend"    // extend the lease; skipped when there is none
	StepRelease   StepKind = "release"   // release the lease; skipped when there is none
	StepWait      StepKind = "wait"      // do nothing for Duration
	StepRead      StepKind = "read"      // read the protected registers
	StepWrite     StepKind = "write"     // write the protected registers
	StepDecrement StepKind = "decrement" // read, compute for Think, write the result: the inventory counter
	StepCrash     StepKind = "crash"     // the process ends without any clean-up
	StepRepeat    StepKind = "repeat"    // a loop of Steps: Times rounds, or rounds For a time
)

// Step is one thing that a client does. Each field names the kinds that use it.
type Step struct {
	Kind     StepKind `json:"kind"`
	Resource string   `json:"resource,omitempty"` // lock, trylock, extend, release, read, write, decrement
	Duration Span     `json:"duration,omitzero"`  // hold, wait; drawn anew each time
	// Cancel (lock, trylock) is how long after its call the caller cancels the
	// acquisition's context. Zero: never.
	Cancel Span `json:"cancel,omitzero"`
	// Released (extend): the client's last lease, even if it has been released.
	Released bool `json:"released,omitempty"`
	// Guarded (read, write, decrement): the client asks its lease first and
	// skips the access when the lease is over. Default true.
	Guarded bool `json:"guarded,omitempty"`
	// Think (read, write, decrement) is how long the client computes between its look
	// at the lease (the event "called write") and the sending of the access.
	Think Span `json:"think,omitzero"`
	// Delay (read, write, decrement) is added to the latency of the message to the resource.
	Delay Span `json:"delay,omitzero"`
	// Times or For (repeat); the other is zero. A round that began is finished.
	Times int           `json:"times,omitempty"`
	For   time.Duration `json:"for_ns,omitempty"`
	Steps []Step        `json:"steps,omitempty"`
}

// operation is the step's word in events and goals; "" for steps that neither call nor end anything.
func (s Step) operation() string {
	switch s.Kind {
	case StepLock, StepTryLock:
		return "acquire"
	case StepHold, StepWait, StepRepeat:
		return ""
	}
	return string(s.Kind)
}

// access reports whether the step touches the protected resource.
func (s Step) access() bool {
	return s.Kind == StepRead || s.Kind == StepWrite || s.Kind == StepDecrement
}

// AllSteps returns the steps with those in loops, in the order of the text.
func AllSteps(steps []Step) []Step {
	var all []Step
	for _, s := range steps {
		all = append(append(all, s), AllSteps(s.Steps)...)
	}
	return all
}

// Does reports whether a client has a step of some kind, in a loop or not.
func (c Client) Does(kind StepKind) bool {
	return slices.ContainsFunc(AllSteps(c.Steps), func(s Step) bool { return s.Kind == kind })
}

// takesTime reports whether a step takes time whatever happened before it.
func takesTime(s Step) bool {
	return s.Kind == StepLock || s.Kind == StepTryLock || s.Kind == StepWait ||
		s.Kind == StepRepeat && slices.ContainsFunc(s.Steps, takesTime)
}

// StepsWithFields returns all kinds of steps but crash, which has no fields, in the order
// of messages.
func StepsWithFields() []StepKind {
	return []StepKind{
		StepLock, StepTryLock, StepHold, StepExtend, StepRelease, StepWait, StepRead, StepWrite,
		StepDecrement, StepRepeat,
	}
}

// DeepestLoop is the largest depth of nested loops.
const DeepestLoop = 4
