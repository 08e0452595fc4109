// Package scenarios holds the suite: one scenario file per story. The author of a
// lock imports it to test that lock with the suite.
//
//	suite/*.yaml ──Suite──▶ []*Scenario ──Test(t, Candidate)──▶ one subtest per scenario
//	my/*.yaml    ──Load───▶ *Scenario   ──WithScenarios───────▶ …
//
// [Test] plays every scenario that is applicable to the lock, with many seeds each. A
// subtest fails when an oracle is violated and no broken assumption explains it. The
// failure message explains the run step by step and ends with the command that plays
// it again.
//
// The types of a lock ([Locker], [Lease], [Environment] and the optional interfaces of
// a lease) are aliases of those in package lock. The other rooms of the laboratory lie
// below:
//
//	plan       scenarios, plans, claims and the glossary as data
//	file       YAML to scenario and back to positions
//	lock       the interface of a lock under test, and its environment
//	subjects   the locks of the matrix
//	play       plays a plan in the simulator, and judges it
//	matrix     which scenario is applicable to which lock
//	cause      the causes of each finding, by replays without them; the lock's own bugs in words
//	ci         the results of a test, as tables, JUnit and annotations
//	saved      a run on disk
//	journal    the results of a long command
//	rules      borders as formulas
//	campaign, search, atlas, ask, coverage, overlay
//
// WRITING.md explains scenario files, FORMATS.md saved files, and GLOSSARY.md the
// words.
//
// Durations are true time where nothing else is said. Rates are parts per million.
// Probabilities are parts per million in Go and percent in files.
//
// Errors of a file come all at once, each as file:line:column, the field, the
// found value and the allowed values.
//
// The package imports no lock, so the author of any lock can use it in the tests of
// the lock's own package. It does not promise that a lock is safe: it says that no
// run of these scenarios showed a bug.
package scenarios
