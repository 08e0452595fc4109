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
// changed run id starts a quarantine of largestTTL on the client's own clock. A promoted
// replica counts as a restart.
//
// The guard sends INFO server once per new connection, and needs the permission to. It
// adds a dial hook to each client, which go-redis cannot remove: make only one Locker per
// set of clients. It cannot see connections behind a multiplexing proxy. [New] refuses
// the guard for clients whose dials it cannot see, such as cluster clients.
//
// The guard does not bring back lost fencing counters (A-COUNTER). The default is no
// guard.
func WithRestartGuard(largestTTL time.Duration) Option {
	return lockerOption(func(s *settings) error {
		if largestTTL < MinimumTTL || largestTTL > MaximumTTL {
			return invalid("WithRestartGuard: %v; want %v to %v", largestTTL, MinimumTTL, MaximumTTL)
		}
		s.guardTTL = largestTTL
		return nil
	})
}
