// Package matrix says which scenario is applicable to which lock, before anything is
// played.
//
//	scenarios × systems ──Cells──▶ []Cell{Scenario, Subject, NotApplicable}
//
// A [Cell] is one scenario with one system. Either it can be played, or [Cell] gives the
// reason why the scenario is not applicable. Examples: the story extends a lease and the
// lock has no extension; a client's clock errs and the lock reads no clock. The reasons
// come from the scenario's steps and faults and from the subject's abilities, never from
// a run.
//
// [Settles] lists the scenarios that settle a claim.
//
// The package returns no errors. It does not promise that a cell's story happens:
// only playing the cell shows that a fault had no effect in any run.
package matrix
