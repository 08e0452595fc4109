package lock

import (
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Implementation is a subject's code beside its declaration.
type Implementation struct {
	// Clock says which clock of the client the subject reads, by its options; nil or
	// empty: none.
	Clock func(option func(name, otherwise string) string) sim.ClockKind
	// ReleaseConfirms says that a release without an error proves that the client still
	// owned the lock.
	ReleaseConfirms bool
	// Guarded says, by its options, whether the subject rejects the votes of servers that
	// have not been up for the largest TTL; nil: never.
	Guarded func(option func(name, otherwise string) string) bool
	// Allowance says how much the subject takes off the TTL, by its options; nil: the claims
	// know no rule for it.
	Allowance func(ttl time.Duration, option func(name, otherwise string) string) time.Duration
	// Errors are the classes of errors that only this subject returns.
	Errors []ErrorClass
	// Scripts are registered with every node.
	Scripts []sim.Script
	// Dials: New is called in the client's process when the run begins, so that it may dial
	// and wait. Otherwise it is called before the run.
	Dials bool
	New   func(e Environment) (Locker, error)
}

// implementations are the subjects' code, by declared name.
var implementations = map[string]Implementation{}

// Register makes a lock known: what files and plans may say of it, and its code. It is for
// init functions beside that code. It panics if the name is taken.
func Register(d plan.SubjectDeclaration, i Implementation) {
	plan.DeclareSubject(d)
	implementations[d.Name] = i
}

// Of returns the code of a subject.
func Of(name string) (i Implementation, known bool) {
	i, known = implementations[name]
	return i, known
}

// Guards reports whether a subject, with its options, rejects the votes of servers that
// have not been up for the largest TTL.
func Guards(s plan.Subject) bool {
	guarded := implementations[s.Name].Guarded
	return guarded != nil && guarded(s.Option)
}

// AllowanceOf returns what a subject takes off the TTL, with its options; false where it
// declares nothing.
func AllowanceOf(s plan.Subject, ttl time.Duration) (time.Duration, bool) {
	allowance := implementations[s.Name].Allowance
	if allowance == nil {
		return 0, false
	}
	return allowance(ttl, s.Option), true
}

// ClockOf returns the clock that a subject reads, with its options; empty: none.
func ClockOf(subject plan.Subject) sim.ClockKind {
	if clock := implementations[subject.Name].Clock; clock != nil {
		return clock(subject.Option)
	}
	return ""
}
