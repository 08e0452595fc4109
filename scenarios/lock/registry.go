package lock

import (
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Implementation is a subject's code beside its declaration.
type Implementation struct {
	// Clock says which clock of the client the subject reads, by its options;
	// empty is none.
	Clock func(option func(name, otherwise string) string) sim.ClockKind
	// ReleaseConfirms says that a release that returns no error claims that the lock was still owned.
	ReleaseConfirms bool
	// Guarded says, by its options, whether the subject refuses the votes of servers
	// that have not been up for the largest TTL; nil is never.
	Guarded func(option func(name, otherwise string) string) bool
	// Errors are the classes of the errors that only this subject returns.
	Errors []ErrorClass
	// Scripts are registered with every node.
	Scripts []sim.Script
	New     func(e Environment) (Locker, error)
}

// implementations are the subjects' code, by declared name.
var implementations = map[string]Implementation{}

// Register makes a lock known: what files and plans may say of it, and its code. It is
// for init functions beside that code, and panics when the name is taken.
func Register(d plan.SubjectDeclaration, i Implementation) {
	plan.DeclareSubject(d)
	implementations[d.Name] = i
}

// Of returns the code of a subject.
func Of(name string) (i Implementation, known bool) {
	i, known = implementations[name]
	return i, known
}

// Guards reports whether a subject, with its options, refuses the votes of young servers.
func Guards(s plan.Subject) bool {
	guarded := implementations[s.Name].Guarded
	return guarded != nil && guarded(s.Option)
}

// ClockOf is the clock that a subject reads with its options; empty is none.
func ClockOf(subject plan.Subject) sim.ClockKind {
	if clock := implementations[subject.Name].Clock; clock != nil {
		return clock(subject.Option)
	}
	return ""
}
