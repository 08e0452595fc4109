package redlock

import "time"

// WithRestartGuard counts a node's votes only when its server is known to have been up
// for at least largestTTL. Votes that the server forgot in a restart have then lapsed
// (claim RP-4, assumption A-VOTE). The guard replaces delayed restarts.
//
// All clients of a resource must use the guard with the same largestTTL, from
// [MinimumTTL] to [MaximumTTL]. No client may lock for longer; this Locker refuses to.
//
// When a Locker first reaches a server, the guard reads the server's age from its
// uptime. A stepped server clock can falsify that age (assumption A-STEP). After that, a
// changed run id starts a quarantine of largestTTL and its allowance, on the client's
// clock. A promoted replica counts as a restart.
//
// A vote counts only if its server reported its run id over the same connection. So the
// guard sends INFO server with the first commands over each connection that it takes from
// the driver's pool, every 20 ms, and needs the permission to. It cannot see connections
// behind a multiplexing proxy. [New] refuses it for cluster clients.
//
// The guard does not bring back lost fencing counters (A-COUNTER). The default is no
// guard.
func WithRestartGuard(largestTTL time.Duration) Option {
	return lockerOption(func(s *settings) error {
		s.guardTTL = largestTTL
		return between("WithRestartGuard", largestTTL, MinimumTTL, MaximumTTL)
	})
}
