// Package checker reads the history of a distributed lock and decides whether
// the lock kept its guarantees.
//
// A [History] records the clients' calls and their results, the leases that
// clients believed, the commands that nodes executed, the accesses that the
// protected resource accepted, and the faults around them. HISTORY.md describes
// its text format; [Read] reads it and [Write] writes it. [Judge] returns a
// [Verdict]: the answers of four independent oracles, and a ledger of the
// assumptions that the history kept or broke.
//
//	text ◄──► History ──► problems: contradictions in the history itself
//	             ├──────► ledger: which of A-RATE … A-BOUNDED were broken, when, by which event
//	             ├──────► overlap          no two leases of one resource are believed at once; margins in ns
//	             ├──────► linearizability  lock with an owner, registers, inventory counter (porcupine)
//	             ├──────► resource         stale accesses, lost updates, order of fencing tokens
//	             └──────► liveness         each goal is met within its bound
//	                          │
//	                          └─► Answers: one per [Oracle], with the footprint of each finding
//
// Every oracle answers holds, violated or inconclusive; inconclusive never counts
// as success. The resource oracle answers four times: for each kind of register,
// and for fencing tokens.
//
// The footprint of a finding is the set of broken assumptions whose breaks touched
// the finding. A break touches, for example, a counted vote or a holder's clock, by
// enough and in time. The footprint is computed from the history alone; the table
// of its rules is in HISTORY.md. A finding without a footprint is a bug in the
// lock. If the run can be played again, package scenarios/cause gives the
// stricter answer: the cause.
//
// All times are int64 nanoseconds of true time since the start of the run.
// Beliefs are half-open intervals: a lease that ends at t and one that begins at
// t do not overlap (margin 0). Porcupine's intervals are closed: calls that touch
// are concurrent.
//
// The package imports no other package of this project, so that it can judge any
// system's history. The ids of claims and assumptions are those that REPORT.md
// settles.
//
// The checker believes the history, as long as its records agree. It does not find
// a wrong time or a missing lease, unless that contradicts another record.
package checker
