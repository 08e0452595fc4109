// Package scenarios holds the suite: the scenario files, one per story, and what
// loads, runs and judges them.
//
//	suite/*.yaml ──Load──▶ Scenario ──plan──▶ run in a sim.World ──▶ history ──▶ verdict
//	                       (this is data)                              against Subject.Expect
//
// A [Scenario] is a claim of somebody's, told as steps of clients and a schedule
// of faults, and what each subject (a lock under test) is expected to make of
// it. WRITING.md explains the files to their authors; schema.json is for
// editors, held equal to the Go types by a test.
//
// Durations are true time where the file says nothing else; rates are parts per
// million; probabilities are parts per million in Go and percent in files.
//
// Errors of a file come all at once, as file:line:column, the field's path, what
// was found and what is allowed; see [FileError].
package scenarios
