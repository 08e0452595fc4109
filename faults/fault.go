package faults

import (
	"slices"
	"time"
)

// Fault is one thing that goes wrong: what, when, for how long. It is plain data.
type Fault struct {
	// Name tells this fault from the others of its schedule; the trace's events
	// carry it. Letters, digits, blanks and _ . ' - only, a letter first.
	Name string
	// Effect is what happens: a pointer to one of the types listed by [Kinds].
	Effect Effect
	// Begin says when it happens.
	Begin Trigger
	// End says when it is over; the zero value is "never", and what a fault that
	// happens at one instant has.
	End Ending
	// Again says whether it happens more than once; the zero value is once.
	Again Repetition
}

// Repetition makes a fault begin again: Every so much true time after each
// beginning, or without that at each further match of its trigger. A beginning
// that comes while the fault lasts is left out.
type Repetition struct {
	Every time.Duration // 0: by matches
	Times int           // beginnings in all, from 2; 0: once, or with Every without end
}

// Schedule is the faults of one run, in the order in which they were written.
// Faults that are due at one instant begin in this order.
type Schedule []Fault

// Trigger says when a fault begins: at a time, or After an event that matches When.
type Trigger struct {
	At    time.Duration `json:"at_ns,omitempty"` // true time since the start; used when When is the zero pattern
	When  Pattern       `json:"when,omitzero"`
	Nth   int           `json:"nth,omitempty"`      // which match counts, from 1; 0 is read as 1
	After time.Duration `json:"after_ns,omitempty"` // true time between that match and the beginning
}

// Ending says when a fault that lasts is over.
type Ending struct {
	Ends bool          // false: never
	For  time.Duration // true time from the beginning; used when When is the zero pattern
	When Pattern       // the first match after the beginning
}

// NodesOf lists the nodes that an effect names, in its order; [All] may be among
// them. Nil: it is about no node.
func NodesOf(e Effect) []string { return namesOf(e, nodeNames) }

// ClientsOf lists the clients that an effect names, as NodesOf does the nodes.
func ClientsOf(e Effect) []string { return namesOf(e, clientNames) }

func namesOf(e Effect, sort names) []string {
	for _, p := range e.parameters() {
		if p.refers == sort {
			return slices.Clone(*p.list)
		}
	}
	return nil
}

// Effect is what one kind of fault does to the world. The set is closed: a new
// kind is a new type in this package and one line in the list behind [Kinds].
type Effect interface {
	// Kind is the word that names this effect in files: "crash", "pause", …
	Kind() string
	// parameters are the effect's fields, each bound to its word, unit and range.
	// The first one's word is the kind.
	parameters() []parameter
	// begin makes it happen. It runs in controller context.
	begin(w *scene, fault string)
	// end undoes it, for kinds that last.
	end(w *scene, fault string)
}
