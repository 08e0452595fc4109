// Package lock says what a lock under test is, and what the laboratory gives it.
//
//	                 Environment: one go-redis client per node, clocks, timers,
//	                      │       random source, logger, delays of the scenario
//	                      ▼
//	Implementation.New ──▶ Locker ──Lock, TryLock──▶ Lease ──Release──▶
//	                                                   └── may also be an Extender, Reporter,
//	                                                       Started, Fenced, Tokened, Renewing
//
// A [Lease] offers what its type offers: an end of its validity ([Reporter]), an
// extension, a token, a fencing token, news of renewals. Without Reporter the
// laboratory reads the whole TTL from the start of the attempt.
//
// A lock takes time, timers and randomness from its [Environment] alone. Then a run is
// a function of its plan. The client's process may be paused or crash at any of these
// calls.
//
// [Register] makes a lock known by name: its declaration for package plan and its code
// for package play. [ClassOf] gives an error one word, which is the same in every run.
//
// Durations are readings of the named clock, or true time where none is named.
// Every error of TryLock or Lock is a lost attempt. The package knows no particular
// lock and does not play one.
package lock
