// Package redlock locks named resources on a majority of independent Redis
// servers. It implements the Redlock algorithm on go-redis.
//
//	locker, err := redlock.Open(ctx, []redlock.Node{
//		{Name: "a", Client: redis.NewClient(&redis.Options{Addr: "10.0.0.1:6379"})},
//		{Name: "b", Client: redis.NewClient(&redis.Options{Addr: "10.0.0.2:6379"})},
//		{Name: "c", Client: redis.NewClient(&redis.Options{Addr: "10.0.0.3:6379"})},
//	})
//	...
//	err = locker.Do(ctx, "invoice:42", 10*time.Second, func(ctx context.Context) error {
//		return work(ctx) // ctx ends when the lease does
//	})
//
// Each server is a node. A [Locker] sends every command to all nodes at the same
// time; such a round succeeds when a quorum of nodes votes for it. A successful
// acquisition returns a [Lease].
//
// Ids such as MX-1 and A-VOTE name the claims and assumptions that this project
// tests. REPORT.md lists the results.
//
// # One acquisition
//
// The package reads the clock, draws a fresh random token, and sends SET res token NX GET
// PX ttl to all nodes. The quorum-th vote decides. Validity ends at start + ttl - allowance,
// and is checked at the deciding answer. After a lost, late or cancelled round, the
// package sends a release to every node that may carry the token: to each that got the SET,
// unless it has answered that another holds the key.
//
// A node votes for an acquisition when its answer proves that the key carries the
// token of this attempt: nil proves that the key was free and is now ours; the token
// itself proves that an earlier sending arrived although its answer was lost. An unknown
// outcome is not a vote, and is released (claims MX-3, MX-11, LV-11). Extending and
// releasing are rounds too.
//
// # Guarantees
//
// No two leases of a resource are valid at the same instant of true time (claim
// MX-1). This holds for any number of nodes, even or odd, and for one (MX-7).
// It holds whatever messages are lost, delayed or repeated, whichever clients are
// paused or cut off, and whichever minority of nodes is down. It needs these
// assumptions. Each is listed with the options or settings that provide it:
//
//	A-RATE      Clocks run at rates within the stated bound.
//	            WithClockRateBound.
//	A-STEP      Nobody steps a server's clock while a lease exists.
//	A-VOTE      Nodes do not forget votes in a restart.
//	            WithRestartGuard, or persistence with an fsync at every write, or
//	            restarts delayed by the largest time to live.
//	A-DISTINCT  All clients use the same independent servers.
//	            Open and Check.
//	A-OWNER     Nobody else removes or changes the keys: no DEL, no FLUSHALL, no
//	            eviction (maxmemory-policy noeviction, or no memory limit).
//	A-TOKEN     Tokens are unique.
//	            crypto/rand.
//
// The package also guarantees:
//
//   - When a holder disappears, its lock is free again after its time to live
//     (LV-1).
//   - With a minority of nodes down, every round still decides within the per-node
//     timeout (LV-2).
//   - A lease that lapsed cannot release or extend the lease of another (MX-5), and
//     never becomes valid again (MX-8).
//   - After [Lease.Release] is called, or the lease has ended in any other way, the
//     package sends nothing that could set the key again (MX-10). It reads the clock
//     before each sending, also when the driver sends again, and drops commands that
//     are too late.
//   - The calls of one Locker do not cost each other their leases: extensions and releases
//     overtake acquisitions, and of the calls for the same resources one at a time asks the
//     nodes (LV-2).
//   - A node that may carry a token that nobody holds gets a release, again and again
//     until it confirms or the key has expired (LV-11). This ends with [Locker.Close].
//     A node for which 4,096 releases are already waiting gets no further ones.
//
// # What the package does not guarantee
//
//   - That a holder stops in time. The holder can be paused, or its message delayed,
//     after it checked [Lease.Valid] (assumption A-WORK, claims RS-1 to RS-3). Where
//     two writers would be harmful and not merely wasteful, take a fencing token
//     ([WithFencing]) and let the resource check it (package fence, claim RP-5).
//   - Safety on asynchronous replication. A node backed by Sentinel or Cluster can
//     lose a vote in a failover (A-DISTINCT, claim BA-5). With [WithRestartGuard] each
//     promotion that INFO shows counts as a restart. The guard says which ones it does
//     not show.
//   - Fairness between Lockers. [Locker.Lock] retries at random times. Only the calls of one
//     Locker for the same resources come in their order.
//   - Progress while a majority of nodes is down (LV-7), or against a holder that
//     extends for ever (LV-9, [WithMaximumExtensions]).
//   - Reentrance. A second TryLock by the holder fails with [ErrContended].
//
// # Who holds, and handing over
//
// [WithOwner] writes beside the token who holds, and [Locker.Holder] reads it from a quorum.
// [Lease.HandOver] and [Locker.Adopt] pass a lease on to another process, without a moment in
// which others can take it. The token is all that the nodes know of a holder: whoever has it is
// the holder (A-TOKEN).
//
// # Time
//
// All durations are [time.Duration]. [Lease.Until] and Clock.Now are durations since
// a fixed instant of the clock. On Linux the default [Clock] goes on while the machine
// is suspended, so that validity also ends during a suspension. Elsewhere it may stop:
// then use a [Clock] that does not.
//
// The allowance shortens the validity to cover the errors of the node's clock and of the
// client's clock together. It is 1 % of the time to live plus 2 ms, unless
// [WithClockRateBound] states a bound; this covers about 0.5 % per clock. See
// [AllowanceFor].
//
// The per-node timeout bounds every round, dialling included, and so does the validity.
// They do not depend on the driver's timeouts. A command without an answer at the timeout
// is not forgotten: if it lands late, its release is sent again. The driver's timeouts
// decide how soon a release that was lost unseen is sent again: within about a second
// after the driver has given up its connection.
//
// # Errors
//
// Test for the Err… variables with errors.Is. An error of a round is a [*RoundError], which
// reports the outcome, latency and cause of every node. When a context ended a call,
// errors.Is finds the context's error too.
//
// # Migrating from redsync
//
// Both packages set the same plain key to a token of their own. On the same nodes,
// under the same name, each keeps the other out, so programs can migrate one by one.
// The exception is WithFencing: redsync raises no counters.
//
//	redsync                            redlock
//	redsync.New(pools...)              Open(ctx, nodes), once; share the Locker
//	NewMutex(name, WithExpiry(ttl))    nothing: pass name and ttl to each call;
//	                                   each success returns its own Lease
//	LockContext, TryLockContext        Lock, TryLock; or Do, which renews and releases
//	UnlockContext: false, err          Release: ErrLapsed, ErrNotHeld, ErrNoQuorum
//	ExtendContext                      Extend, WithRenewal
//	Until, ValidContext                Until, Valid, Context; none of them asks a node
//	WithTries, WithRetryDelay          the context (see Lock), WithBackoff
//	WithDriftFactor                    WithClockRateBound
//	WithTimeoutFactor                  WithNodeTimeout
//	WithSetNXOnExtend                  always on, once the extension has succeeded
//	WithFailFast, WithShufflePools     always decides early; always asks all at once
//	WithGenValueFunc, WithValue        HandOver, Adopt; else tokens are unique (A-TOKEN)
//	ErrTaken, ErrNodeTaken, RedisError ErrContended, ErrNoQuorum; RoundError.Nodes
//
// # Migrating from redislock
//
// The key is the same plain string here, too: on one node, under the same name, each keeps the
// other out.
//
//	redislock                          redlock
//	redislock.New(client)              Open(ctx, nodes), once; with one node or with several
//	Obtain(ctx, key, ttl, nil)         TryLock
//	Options.RetryStrategy              Lock and its context; WithBackoff
//	Options.Metadata, Lock.Metadata    WithOwner, Holder
//	Options.Token                      HandOver, Adopt; else tokens are unique (A-TOKEN)
//	Refresh                            Extend, WithRenewal
//	Lock.TTL, which asks the server    Remaining, which asks no node
//	Release                            Release
//	ErrNotObtained, ErrLockNotHeld     ErrContended; ErrLapsed, ErrNotHeld
//
// # Migrating from Redisson
//
// Redisson keeps a hash under the name of the lock. Each of the two then meets a key of a wrong
// type and fails with WRONGTYPE, so take other names and change all programs at once.
//
//	Redisson                           redlock
//	getLock(name), lock()              Do, which renews and releases
//	tryLock(wait, lease, unit)         Lock, with a context that ends after wait
//	lockWatchdogTimeout                the time to live of Do, or of Lock and WithRenewal
//	unlock                             Release
//	isHeldByCurrentThread              Lease.Valid
//	a second lock() of the holder      nothing: pass the Lease on, as LeaseFrom does
//	getMultiLock, RedissonRedLock      LockAll; one Locker with several nodes
//	getFencedLock, lockAndGetToken     WithFencing, Lease.Fence
//	getFairLock                        calls of one Locker come in their order; others do not
//
// # Nodes
//
// The algorithm is meant for an odd number of single Redis servers, one per node, on
// machines that fail independently. [Node] says which clients can vote. With Cluster, the
// resources of one call must have the same {tag}.
//
// go-redis 9.23 has a data race in the handshake of RESP3 connections while it finds out
// whether the server announces maintenance. If your servers do not announce it, switch
// these notifications off:
//
//	MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
//
// The package tells servers apart by their run id (INFO server), through a *redis.Client
// and if the server permits INFO. It asks a server until it has told, after a failure,
// and in [Locker.Check]; with [WithRestartGuard] on each connection. A server that answers
// INFO with BUSY, LOADING or another passing error does not vote until it has told. It does
// vote if it answers NOPERM, ERR or no run id: such servers cannot be told apart. While two
// nodes answer as one server, [Open], acquisitions and extensions fail with [ErrSameServer] (claim BA-9).
//
// A plain client behind a host name that moves to another server keeps its
// connections to the old server. That server then answers READONLY, which is not a
// vote. Use a Sentinel client there, or set ConnMaxLifetime.
//
// Redis 6.0 and later work. Before 7.0 a script replaces SET with NX and GET. A lock on one
// resource is released without a script by servers that have a command for that: DELIFEQ
// (Valkey 9) or DELEX (Redis 8.4). INFO tells which one to try, and a server that refuses it gets
// the script. Extensions are always scripts: SET with IFEQ could shorten a later one.
//
// # Performance and resources
//
// One goroutine sends the commands of a node. It sends everything that waits as one
// pipeline, so that load makes larger batches. When a batch has no answer within the
// per-node timeout, another goroutine takes over; at most seven do so at a time. After
// three failures in a row a node is skipped for a second, as long as the other nodes
// can make a quorum. This bounds goroutines and connections even when a node answers
// nothing. A lock and its release over five nodes cost at most 60 allocations.
//
// A sender takes a connection from the driver's pool and puts it back after 20 ms, busy or
// idle; a batch under way ends first. So many Lockers can share a client with each other
// and with the rest of the program. With a pool of n connections, a user waits 20 ms for
// every n users before it.
//
// # Security
//
// Tokens are 20 bytes from crypto/rand and are never logged in full. Use TLS through
// redis.Options. For resources whose names begin with "lock:" this ACL grants the
// least privilege; it is tested on real single servers and database 0 (another database
// needs +select, and Cluster its own commands):
//
//	ACL SETUSER locker on >password resetkeys ~lock:* ~{lock:* resetchannels -@all
//	ACL SETUSER locker +set +get +del +pttl +pexpire +eval +evalsha +ping +hello +info +client|setname
//
// Give the Locker WithKeyPrefix("lock:"), and [Open] and [Locker.Check] try all of it; without a
// prefix their own key lies outside of the pattern.
//
// ~{lock:* is for the counters of WithFencing. +info is for Open, Check and
// WithRestartGuard; without it servers cannot be told apart. Redis 7.2 and later
// need +client|setinfo, too. +delifeq or +delex saves the script of a release.
package redlock
