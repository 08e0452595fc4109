// Package scenarios holds the suite: one scenario file per story. It is also what
// the author of a lock imports to put that lock under the suite.
//
//	suite/*.yaml ──Suite──▶ []*Scenario ──Test(t, Candidate)──▶ one subtest per scenario
//	my/*.yaml    ──Load───▶ *Scenario   ──WithScenarios───────▶ …
//
// [Test] plays each scenario that is applicable to the lock, many seeds of each. A
// subtest fails when an oracle is violated and no broken assumption explains it. The
// failure tells the story of the run and ends with the command that plays it again.
//
// The types of a lock ([Locker], [Lease], [Environment] and what a lease may offer) are
// aliases of those in package lock. The other rooms of the laboratory lie below:
//
//	plan       scenarios, plans, claims and the glossary as data
//	file       YAML to scenario and back to positions
//	lock       what a lock under test is, and what it is given
//	subjects   the locks of the matrix
//	play       plays a plan in the simulator, and judges it
//	matrix     which scenario is applicable to which lock
//	cause      what caused each finding, by taking it away
//	diagnosis  what a lock did wrong, in words for its author
//	ci         what a test found, as tables, JUnit and annotations
//	saved      a run on disk
//	journal    the results of a long command
//	campaign, search, atlas, ask, coverage, overlay
//
// WRITING.md explains scenario files, FORMATS.md saved files, and GLOSSARY.md the
// words.
//
// Durations are true time where nothing else is said. Rates are parts per million.
// Probabilities are parts per million in Go and percent in files.
//
// Errors of a file come all at once, each as file:line:column, the field, what was
// found and what is allowed.
//
// The package imports no lock, so the author of any lock can use it in the tests of
// the lock's own package. It does not promise that a lock is safe: it says that no
// run of these scenarios showed a bug.
package scenarios
