// Package checker judges what a distributed lock did.
//
// It reads a History (what clients called and were told, what they were
// entitled to believe, what nodes executed, what the protected resource
// accepted, and which assumptions of the outside world were disturbed), and
// answers with a Verdict: four oracles that never see one another's answers,
// and a ledger of the assumptions that the history kept or broke.
//
//	History ──► assumption checks on the history itself (Problems)
//	   ├──────► ledger: which of A-RATE … A-BOUNDED were kept, which broken, when, by which event
//	   ├──────► overlap          lease overlap in true time, signed margin in ns
//	   ├──────► linearizability  owner-aware lock, registers, inventory counter (porcupine)
//	   ├──────► resource         stale accesses accepted, lost updates, order of fencing tokens
//	   └──────► liveness         goals with a bound of their own
//
// Every oracle answers holds, violated or inconclusive; inconclusive is never
// green. A violation with every relevant assumption kept is a bug in the lock.
//
// All times are int64 nanoseconds of true time since the start of the run.
// Belief intervals are half-open: a lease that ends at t and one that begins
// at t do not overlap (margin 0). Porcupine's intervals are closed: operations
// that touch count as concurrent.
//
// The package imports nothing of this project, so it can judge a history from
// anywhere. HISTORY.md describes the file format field by field. Words and
// assumption ids are those of the claims that the project settles.
//
// What it does not promise: it believes the history. A client that reports
// another time than the true one, or a lease that is missing, is not found
// here unless it contradicts another record.
package checker
