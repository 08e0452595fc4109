package redlock

import "time"

// WithRestartGuard counts a node's votes only when its server has been up, and has been a
// master, for at least largestTTL as far as INFO shows. Votes that the server forgot before
// have then lapsed (claim RP-4, assumption A-VOTE). The guard replaces delayed restarts.
//
// All clients of a resource must use the guard with the same largestTTL, from
// [MinimumTTL] to [MaximumTTL]. No client may lock for longer; this Locker refuses to.
//
// When a Locker first reaches a server, the guard reads the server's age from its
// uptime. A stepped server clock can falsify that age (assumption A-STEP). After that, a
// changed run id or replication id starts a quarantine of largestTTL and its allowance, on the
// client's clock. A server changes its replication id when it is promoted, also in the same
// process. It also does when its first replica connects, and when its last one has been away for
// repl-backlog-ttl; each of these costs a quarantine, too. A replica never votes.
//
// A server with a second replication id (master_replid2) was a replica before, or its snapshot
// is of such a server. INFO does not tell when it was promoted. So a Locker that meets one
// for the first time begins with a quarantine: where a majority of the nodes was ever promoted, a
// new process locks nothing for largestTTL. A restart without a snapshot ends that.
//
// INFO shows none of these, so the guard cannot see them (assumptions A-OWNER and A-VOTE):
//
//   - FLUSHALL, DEBUG RELOAD of an older snapshot, and other ways to remove keys.
//   - For a Locker that meets the server for the first time: a promotion after which the server
//     had no replica for repl-backlog-ttl, 1 hour by default, or DEBUG CHANGE-REPL-ID. Set
//     repl-backlog-ttl to 0, or to more than largestTTL and its allowance.
//
// A vote counts only if its server reported its run id over the same connection, and its
// replication id in the same pipeline, after the vote. So the guard sends INFO server with the
// first commands over each connection that it takes from the driver's pool, every 20 ms, and
// INFO replication with each pipeline that may bring a vote. It needs the permission to. It
// cannot see connections behind a multiplexing proxy. [New] refuses it for cluster clients.
//
// The guard does not bring back lost fencing counters (A-COUNTER). The default is no
// guard.
func WithRestartGuard(largestTTL time.Duration) Option {
	return lockerOption(func(s *settings) error {
		s.guardTTL = largestTTL
		return between("WithRestartGuard", largestTTL, MinimumTTL, MaximumTTL)
	})
}
