// Package checker judges what a distributed lock did.
//
// It reads a [History]: what clients called and were told, what they were
// entitled to believe, what nodes executed, what the protected resource
// accepted, and what happened to the world around them. It returns a [Verdict]:
// the answers of four oracles, none of which sees the answer of another, and a
// ledger of the assumptions that the history kept or broke.
//
//	History ──► problems: contradictions in the history itself (package history)
//	   ├──────► ledger: which of A-RATE … A-BOUNDED were broken, when, by which event
//	   ├──────► overlap          no two leases of one resource are believed at once; margins in ns
//	   ├──────► linearizability  lock with an owner, registers, inventory counter (porcupine)
//	   ├──────► resource         stale accesses, lost updates, order of fencing tokens
//	   └──────► liveness         each goal is met within its bound
//	                │
//	                └─► Answers: one per [Oracle], with the assumptions that explain it
//
// Every oracle answers holds, violated or inconclusive; inconclusive never counts
// as success. The resource oracle answers four times: for each kind of register,
// and for fencing tokens. A broken assumption explains a finding if one of its
// breaks touched what the finding is about: a counted vote, the clock of a holder,
// by enough and in time. HISTORY.md has the table. A finding that nothing explains
// is a bug in the lock.
//
// All times are int64 nanoseconds of true time since the start of the run.
// Beliefs are half-open intervals: a lease that ends at t and one that begins at
// t do not overlap (margin 0). Porcupine's intervals are closed: calls that touch
// are concurrent.
//
// The package imports only package history of this project, which has the records
// and their notation, so that it can judge a history from anywhere. HISTORY.md
// describes the file format. The ids of claims and assumptions are those that
// REPORT.md settles.
//
// The checker believes the history, as long as its records agree. It does not find
// a wrong time or a missing lease, unless that contradicts another record.
package checker
