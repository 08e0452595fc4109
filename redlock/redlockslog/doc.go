// Package redlockslog writes what a redlock.Locker does to a log/slog logger.
//
//	locker, err := redlock.New(nodes, redlock.WithObserver(redlockslog.New(logger)))
//
// Won rounds are logged at debug level, contention at debug, every other failed
// round, lost leases and nodes that are skipped or in quarantine at warn. Tokens
// appear as their first characters only.
package redlockslog
