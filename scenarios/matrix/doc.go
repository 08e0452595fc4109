// Package matrix says which scenario is applicable to which lock, before anything is
// played.
//
//	scenarios × systems ──Cells──▶ []Cell{Scenario, Subject, NotApplicable}
//
// A [Cell] is one scenario with one system. Either it can be played, or [Cell] says in
// words why the scenario is not applicable: the story extends a lease and the lock has no
// extension, a client's clock errs and the lock reads none. The reasons come from the
// scenario's steps and faults and from the subject's abilities, never from a run.
//
// [Settles] lists the scenarios that settle a claim.
//
// The package has no units and returns no errors. It does not promise that a cell's
// story comes about: a fault that did nothing in any run shows only when it is played.
package matrix
