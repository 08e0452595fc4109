// Package lock defines the interface of a lock under test, and the environment
// that the laboratory gives it.
//
//	                 Environment: one go-redis client per node, clocks, timers,
//	                      │       random source, logger, delays of the scenario
//	                      ▼
//	Implementation.New ──▶ Locker ──Lock, TryLock──▶ Lease ──Release──▶
//	                                                   └── may also be an Extender, Reporter,
//	                                                       Started, Fenced, Tokened, Renewing
//
// A [Lease] may implement further interfaces: the end of its validity
// ([Reporter]), extension, a token, a fencing token, events of renewals. Without
// Reporter the laboratory assumes the whole TTL from the start of the attempt.
//
// A lock takes time, timers and randomness only from its [Environment], so that a run
// is a function of its plan. The client's process may pause or crash at any of these
// calls.
//
// [Register] makes a lock known by name: its declaration for package plan and its code
// for package play. [ClassOf] gives an error one word, which is the same in every run.
//
// Durations are readings of the named clock, or true time where none is named.
// Every error of TryLock or Lock counts as a lost attempt. The package knows no particular
// lock and does not play one.
package lock
