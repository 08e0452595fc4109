// Package diagnosis says what a lock did wrong in one run, in words that its author can use.
//
//	events ──sim.Keys──▶ what each command did to a key ─┐
//	history: leases, beliefs ────────────────────────────┼──▶ Bug{Kind, Text}
//	verdict: findings that nothing explains ─────────────┘
//
// [Of] looks at the findings that no broken assumption explains. It reads what commands did to
// keys, never what they are called: a script counts as a release if it deleted a key. The
// first of these that the trace shows is the answer, in this order:
//
//   - a client deleted, replaced or prolonged the key of another's living lease;
//   - an extension deleted its own keys;
//   - a lease was acquired with keys on fewer nodes than a quorum, or on none;
//   - a lease that had lapsed got its keys again;
//   - the keys of a lease ended before the lease did;
//   - keys that belong to no lease kept others from the lock;
//   - otherwise the oracle's own words.
//
// Bugs of one [Bug.Kind] have one cause: the kind names no client, node or time. Times are
// true time. The package decides nothing: the checker has found the violation.
package diagnosis
