package faults

import (
	"slices"
	"time"
)

// Fault is one thing that goes wrong: what, when and for how long. It is plain data.
type Fault struct {
	// Name identifies the fault in its schedule; the trace's events carry it.
	// A letter, then letters, digits, single blanks and _ . ' -.
	Name string
	// Effect is what happens: a pointer to one of the types that [Kinds] lists.
	Effect Effect
	// Begin says when the fault begins.
	Begin Trigger
	// End says when the fault ends. The zero value is "never"; a kind that
	// happens at one instant has no other.
	End Ending
	// Again says whether the fault begins more than once. The zero value is once.
	Again Repetition
}

// Repetition makes a fault begin again: Every so much true time after each
// beginning, or, where Every is 0, at each further match of its trigger. A
// beginning that is due while the fault still lasts is skipped.
type Repetition struct {
	Every time.Duration // 0: by matches
	Times int           // beginnings in all, from 2; 0: once, or with Every without limit
}

// Schedule is the faults of one run, in the order in which they were written.
// Faults that are due at the same instant begin in this order.
type Schedule []Fault

// Trigger says when a fault begins: at a time, or After an event that matches When.
type Trigger struct {
	At    time.Duration `json:"at_ns,omitempty"` // true time since the start; used when When is the zero pattern
	When  Pattern       `json:"when,omitzero"`
	Nth   int           `json:"nth,omitempty"`      // which match counts, from 1; 0 is read as 1
	After time.Duration `json:"after_ns,omitempty"` // true time between that match and the beginning
}

// Ending says when a fault that lasts ends.
type Ending struct {
	Ends bool          // false: never
	For  time.Duration // true time from the beginning; used when When is the zero pattern
	When Pattern       // the first match after the beginning
}

// Effect is what one kind of fault does. The set is closed: a new kind is a new
// type in this package and one line in the list behind [Kinds].
type Effect interface {
	// definition is everything about the kind, bound to the effect's fields.
	definition() definition
}

// KindOf is the word that names an effect in files: "crash", "pause", …
func KindOf(e Effect) string { return e.definition().parameters[0].Name }

// NodesOf lists the nodes that an effect names, in its order: names, or one word
// that stands for some ([All], [Selections]). It is nil for a kind without nodes.
func NodesOf(e Effect) []string { return namesOf(e, UnitNodes) }

// ClientsOf lists the clients that an effect names, in its order: names or [All].
// It is nil for a kind without clients.
func ClientsOf(e Effect) []string { return namesOf(e, UnitClients) }

func namesOf(e Effect, unit Unit) []string {
	for _, p := range e.definition().parameters {
		if p.Unit == unit {
			return slices.Clone(*p.names)
		}
	}
	return nil
}
