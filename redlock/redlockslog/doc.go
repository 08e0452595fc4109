// Package redlockslog logs the events of a redlock.Locker with log/slog.
//
//	locker, err := redlock.New(nodes, redlock.WithObserver(redlockslog.New(logger)))
//
// The levels are
//
//   - debug for rounds and calls that succeeded or were contended, with how long a call
//     waited for its lease, and for leases that were released, with how long they were
//     held,
//   - warn for other failed rounds and calls, for leases that ended without a release, and for nodes
//     in quarantine.
//
// Only the first characters of tokens appear.
package redlockslog
