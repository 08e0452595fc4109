// Package redlock locks named resources on a majority of independent Redis
// servers: the Redlock algorithm over go-redis, for production use.
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
// # One acquisition
//
//	caller        TryLock(ctx, "res", ttl)
//	  |  start := Clock.Now()                     before the first send
//	  |  fresh random token
//	  |--- SET res token NX GET PX ttl ---> n1 .. nN     in parallel
//	  |<-- answers, counted by package round; the quorum-th vote decides
//	  |  Until = start + ttl - allowance          judged at the deciding answer
//	  |  lost, late, cancelled: release to every node that a SET went to
//	  v
//	Lease         Valid, Until, Context, Extend, Release, Handover, Fence
//
// A vote is an answer that proves that the key carries this attempt's token:
// nil (the key was free and is ours now) or the token itself (an earlier sending
// arrived although its answer was lost). An unknown outcome is no vote, and is
// released (claims MX-3, MX-11, LV-11). Extending and releasing are rounds of
// the same kind. Validity is measured by a clock that counts suspension.
//
// Ids like MX-1 name claims and assumptions that this project tests; see
// REPORT.md.
//
// # What it guarantees
//
// No two leases of a resource are valid at the same instant of true time (MX-1),
// also for even numbers of nodes and for one (MX-7), whatever is lost, delayed,
// partitioned, paused or, in a minority, down, as long as these assumptions hold:
//
//	A-RATE      clocks run at rates within the stated bound   WithClockRateBound
//	A-STEP      no server's clock is stepped while a lease exists
//	A-VOTE      nodes do not forget votes in a restart        WithRestartGuard, or
//	            persistence with fsync at every write, or a restart delayed by the
//	            largest time to live
//	A-DISTINCT  all clients use the same independent servers  Open, Check
//	A-OWNER     nobody else removes or changes the keys: no DEL, no FLUSHALL, no
//	            eviction (maxmemory-policy noeviction, or no memory limit)
//	A-TOKEN     tokens are unique                             crypto/rand
//
// A lock of a holder that vanished is free again after its time to live (LV-1).
// With a minority of nodes away every call still decides within the per-node
// timeout (LV-2). A lease that lapsed cannot release or extend another's (MX-5),
// and is never revived (MX-8). After Release nothing is sent that could set the
// key again (MX-10).
//
// # What it does not guarantee
//
//   - That a holder stops in time. It can be paused, or its message delayed,
//     after it looked at Valid (assumption A-WORK, claims RS-1 to RS-3). Where
//     two writers would be harmful, not merely wasteful, take a fencing token
//     (WithFencing) and have the resource check it (package fence, claim RP-5).
//   - Safety behind asynchronous replication: a Sentinel- or Cluster-backed node
//     can lose a vote in a failover (A-DISTINCT, claim BA-5). With the restart
//     guard a promoted replica counts as a restart.
//   - Fairness. Lock retries at random times; who waits longest is not served
//     first.
//   - Progress while a majority is away (LV-7), or against a holder that extends
//     for ever (LV-9, WithMaximumExtensions).
//   - Reentrance: a second TryLock by the holder is contended.
//
// # Time
//
// All durations are time.Duration; Until and Clock.Now are durations since the
// clock's fixed instant. The time to live is 10 ms to 366 days in whole
// milliseconds. The allowance is 1 % plus 2 ms unless a rate bound is stated; it
// must cover the node's clock and the client's together, so that the customary
// 1 % covers about 0.5 % each: see AllowanceFor. The per-node timeout bounds
// every round, dialling included; it is enforced here and does not depend on the
// driver's. A command that is out when it passes is still looked after: if it
// lands late, its release is sent again.
//
// # Options, and which assumption each one buys
//
//	WithClockRateBound      A-RATE up to the bound, at the price of validity
//	WithRestartGuard        A-VOTE and failovers, at the price of availability for
//	                        one largest time to live after each restart (RP-4)
//	WithFencing             a number for the resource to check; needs A-COUNTER
//	WithMaximumExtensions   A-BOUNDED, so that others get their turn
//	WithBackoff             A-RANDOM: keep it random
//	WithNodeTimeout, WithNodeConcurrency, WithCircuit     speed and isolation
//	WithRenewal, WithWaitLimit, WithQuietRelease          convenience of a call
//	WithClock, WithRandom, WithObserver                   seams
//
// # Errors
//
// ErrContended, ErrNoQuorum, ErrLate, ErrLapsed, ErrNotHeld, ErrReleased,
// ErrExtensionLimit, ErrWaitLimit, ErrInvalidArgument, ErrSameServer, ErrClosed
// and ErrReleasesDropped, each with one meaning. Errors of rounds are *RoundError
// with every node's name, outcome, latency and cause. errors.Is also finds the
// context's error where the context ended a call.
//
// # Coming from redsync
//
// Both set the same plain key to a token of their own, so that on the same nodes,
// under the same names, each keeps the other out: programs can change over one by
// one (not those that use WithFencing: redsync raises no counters).
//
//	redsync.New(pools...)              Open(ctx, nodes), once; share the Locker
//	NewMutex(name, WithExpiry(ttl))    nothing: name and ttl go with each call, and
//	                                   each success is a Lease of its own
//	LockContext, TryLockContext        Lock, TryLock; or Do, which renews and releases
//	UnlockContext: false, err          Release: ErrLapsed, ErrNotHeld, ErrNoQuorum
//	ExtendContext                      Extend, WithRenewal
//	Until, ValidContext                Until, Valid, Context; they ask no node
//	WithTries, WithRetryDelay          WithWaitLimit or the context, WithBackoff
//	WithDriftFactor                    WithClockRateBound
//	WithTimeoutFactor                  WithNodeTimeout
//	WithSetNXOnExtend                  always; a key that was put back is no vote
//	WithFailFast, WithShufflePools     always decides early; always asks all at once
//	WithGenValueFunc, WithValue        none: tokens are unique (A-TOKEN); Handover
//	ErrTaken, ErrNodeTaken, RedisError ErrContended, ErrNoQuorum; RoundError.Nodes
//
// # Nodes
//
// One single Redis server per node is what the algorithm is about; N of them,
// odd, on machines that fail independently. Any redis.UniversalClient will do.
// On a Cluster-backed node the resources of one call must share a hash slot.
// Nodes are told apart by their run id (INFO server): two names for one server
// are refused by Open, or at the first contact (BA-9).
//
// A plain client behind a host name that moves to another server keeps its
// connections to the old one, which then answers READONLY: no vote. Use a
// Sentinel client there, or bound ConnMaxLifetime.
//
// Servers from Redis 6.0 on work: before 7.0 a script replaces SET with NX and
// GET. From 8.4 on DELEX replaces one; that was tested against an emulation, no
// real 8.4 was at hand.
//
// # Speed and resources
//
// A node is served by one goroutine that sends what has gathered as one pipeline:
// load makes batches. A command that is overdue is overtaken by at most seven
// more; a node that fails three times in a row is skipped for a second while the
// others can still make a quorum. Goroutines and connections are bounded by that,
// whatever a dead node does.
//
// A lock and its release over five nodes cost at most 60 allocations; a test holds
// that bound.
//
// An ordinary client's connection stays with the goroutine that uses it, if
// PoolSize leaves at least one to others (WithNodeConcurrency + 8 or more; the
// default does). The first batch after a second returns it to the pool and takes
// one again; an idle Locker keeps its connections. Otherwise, and with Sentinel,
// each batch takes one from the pool that go-redis keeps for pipelines, whose
// buffers (PipelineReadBufferSize, PipelineWriteBufferSize) are 128 KiB each.
//
// # Security
//
// Tokens are 20 bytes of crypto/rand and are never logged in full. Use TLS
// through redis.Options. The least privilege for resources that begin with
// "lock:" is this ACL line, which is tested against a real server:
//
//	ACL SETUSER locker on >password resetkeys ~lock:* ~{lock:* resetchannels -@all +set +get +del +pttl +pexpire +eval +evalsha +ping +hello +info +client|setname
//
// ~{lock:* is for the counters of WithFencing; +info is for Open, Check and
// WithRestartGuard, without it nodes cannot be told apart. Newer servers take two
// words more: +client|setinfo from 7.2 on, +delex from 8.4 on.
package redlock
