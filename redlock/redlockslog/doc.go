// Package redlockslog logs the events of a redlock.Locker with log/slog.
//
//	locker, err := redlock.New(nodes, redlock.WithObserver(redlockslog.New(logger)))
//
// The levels are
//
//   - debug for rounds that succeeded or were contended,
//   - info for a node that is not skipped any more,
//   - warn for other failed rounds, for leases that ended without a release, and for nodes
//     that are skipped or in quarantine.
//
// Only the first characters of tokens appear.
package redlockslog
