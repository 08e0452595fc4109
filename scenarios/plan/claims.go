package plan

import "slices"

// Kind says how a claim is settled.
type Kind string

// The kinds of claims.
const (
	KindHolds    Kind = "holds"    // about the algorithm with its assumptions kept, or about a repair
	KindViolated Kind = "violated" // about a broken assumption; the textbook algorithm at least violates it
	KindMeasured Kind = "measured" // about a quantity: the numbers are the verdict
	KindSystem   Kind = "system"   // about one lock, which the whole suite is asked about
)

// Claim is something that somebody said in public about locks on Redis.
type Claim struct {
	ID     string
	Kind   Kind
	Source string // letters of [Publications], separated by blanks; empty: nobody before this project
	Short  string // in at most 43 columns, for tables
	Title  string
}

// Publication is a public text that claims come from. Link is empty where no
// lasting address is known.
type Publication struct{ Letter, Title, Link string }

// Publications returns the texts that a claim's Source names by letter.
func Publications() []Publication {
	return []Publication{
		{"D", `redis.io, "Distributed Locks with Redis"`, "https://redis.io/topics/distlock"},
		{"S", `redis.io, SETNX, section "Design pattern: Locking with SETNX"`, "https://redis.io/commands/setnx/"},
		{"G", `"Go与Redis实现分布式互斥锁和红锁" (a mutex, a watchdog and a red lock on go-redis)`, ""},
		{"P", `"如何基于redis在分布式环境下实现一个全局锁" (redlock-php on three nodes)`, ""},
		{"X", "StackExchange.Redis, LockTake and LockRelease", "https://stackexchange.github.io/StackExchange.Redis/"},
		{"K", `M. Kleppmann, "How to do distributed locking" (2016)`, "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html"},
		{"A", `S. Sanfilippo, "Is Redlock safe?" (2016)`, "http://antirez.com/news/101"},
	}
}

// Letters returns the letters of all publications, in their order.
func Letters() []string {
	return Texts(Publications(), func(p Publication) string { return p.Letter })
}

// claims are all claims, in the order of reports. An id is kept for ever.
var claims = []Claim{
	{"MX-1", KindHolds, "D", "two clients never hold at once", "no two beliefs in one resource overlap in true time, whatever the latencies, lost messages, minority crashes, partitions and pauses"},
	{"MX-2", KindHolds, "D", "a majority keeps its vote for the validity", "after an acquisition that took T2-T1, no majority grants the resource to another for TTL-(T2-T1)-allowance"},
	{"MX-3", KindHolds, "D", "too slow an acquisition is refused", "an acquisition that took longer than its validity is refused, and released on every node that a SET was sent to"},
	{"MX-4", KindHolds, "A", "a pause during the replies is caught", "the elapsed-time check catches a pause or delay while replies are in flight"},
	{"MX-5", KindHolds, "D S G P X", "a lapsed holder cannot touch another's lock", "a holder whose lease lapsed cannot release or extend another client's lock"},
	{"MX-6", KindHolds, "D", "of a simultaneous start one wins at most", "contenders that start at the same instant never both win"},
	{"MX-7", KindHolds, "D P", "so it is with 1, 3, 4, 5 and 7 nodes", "mutual exclusion holds for 1, 3, 5, 7 and even numbers of nodes, with quorum N/2+1 rounded down"},
	{"MX-8", KindHolds, "D", "an extension needs a majority, in time", "an extension counts only with a majority, read before the deadline; a lapsed lock is never revived"},
	{"MX-9", KindHolds, "D", "a late SET costs time, never safety", "a SET or top-up that arrives late costs availability only, at most one TTL, never safety"},
	{"MX-10", KindHolds, "G", "after its release nothing is renewed", "after the call of release, or after loss, no renewal is sent"},
	{"MX-11", KindHolds, "D", "a lost answer is no vote and no key", "an answer that never arrived neither makes a free lock look taken nor counts as a vote"},
	{"BA-1", KindViolated, "K", "a node's clock leaps forward", "a node's clock jumps forward past the TTL"},
	{"BA-2", KindViolated, "D K P", "a node without a disk forgets its vote", "a node crashes without persistence and restarts at once"},
	{"BA-3", KindViolated, "D", "power loss with AOF everysec, or RDB", "a node loses power with AOF everysec, or with RDB snapshots"},
	{"BA-4", KindViolated, "K", "a node stays out for too short a time", "a delayed restart is too short, or is timed by a stepped clock"},
	{"BA-5", KindViolated, "D", "a replica is promoted without the vote", "asynchronous failover: a master dies before it replicated, and its replica is promoted"},
	{"BA-6", KindViolated, "D K", "validity by a clock that is set back", "validity is measured on a wall clock that steps back"},
	{"BA-7", KindViolated, "", "the client's host sleeps", "the client's host is suspended, and its clock does not count it"},
	{"BA-8", KindViolated, "D K", "clocks run at wrong rates", "a clock runs faster or slower than the allowance covers"},
	{"BA-9", KindViolated, "", "two addresses, one server; or N changes", "two of the addresses are one server, or N is changed while a lock is held"},
	{"BA-10", KindViolated, "", "an operator deletes the key", "an operator's DEL or FLUSHALL, or an eviction, removes a key on a node of the quorum"},
	{"BA-11", KindViolated, "S X", "all clients use one token", "clients share one token"},
	{"RP-1", KindHolds, "D P", "repair: a crashed node stays out for a TTL", "a crash without persistence is safe when the node stays out for longer than the largest TTL"},
	{"RP-2", KindHolds, "D", "repair: AOF always", "a crash with AOF always is safe; so is the crash of the process alone with everysec, while no sync takes long"},
	{"RP-3", KindHolds, "D", "repair: a clean shutdown", "a clean SHUTDOWN with AOF and a restart are safe; time goes on for the keys meanwhile"},
	{"RP-4", KindHolds, "", "repair: the client's restart guard", "a client-side restart guard makes forgotten votes harmless with no operator's action; its price is measured"},
	{"RP-5", KindHolds, "K D", "repair: fencing at every access", "a fencing token makes late effects harmless when the resource raises its high-water token on every access"},
	{"RS-1", KindViolated, "K", "the holder pauses before its write", "the holder pauses between its look at the lease and its write"},
	{"RS-2", KindViolated, "K", "the network delays the write", "the network delays the write itself"},
	{"RS-3", KindViolated, "P", "the last item is sold twice", "the inventory counter: a lost update is an item sold twice"},
	{"RS-4", KindViolated, "K", "fencing tokens go backwards", "the source of fencing tokens goes backwards"},
	{"LV-1", KindHolds, "D", "the holder dies: others get the lock", "deadlock freedom: when the holder is gone, another client acquires within a bound"},
	{"LV-2", KindHolds, "D", "a minority is gone: rounds stay fast", "fault tolerance: with a minority gone every round decides within the timeout of one node"},
	{"LV-3", KindHolds, "D", "a split vote is over soon", "after a split vote all give up, and one wins within a few rounds"},
	{"LV-4", KindViolated, "D", "equal delays split every vote", "contenders with one fixed retry delay split the vote again and again: nobody wins"},
	{"LV-5", KindMeasured, "D", "who is fast splits few votes", "the faster a client reaches the majority, the fewer split votes"},
	{"LV-6", KindHolds, "D", "a holder that is cut off blocks a TTL", "a holder cut off before its release blocks the resource for at most TTL, clock error and the latest message"},
	{"LV-7", KindViolated, "D", "partitions without end: nobody acquires", "while partitions never end, nobody acquires"},
	{"LV-8", KindHolds, "D", "a majority crashes: one TTL of waiting", "a majority crashes with delayed restart: nothing is lockable for a TTL, then all is"},
	{"LV-9", KindViolated, "D", "endless extension starves the others", "endless extension starves the others; a bound restores progress"},
	{"LV-10", KindMeasured, "D", "partial locks, released or left", "how long the next acquisition takes when partial locks are released at once, or left to expire"},
	{"LV-11", KindHolds, "D", "a failed attempt blocks nobody for long", "a cancelled or failed acquisition blocks others no longer than its clean-up takes to arrive"},
	{"LV-12", KindViolated, "", "clocks set back: keys live longer", "the clocks of a majority step back, so keys live longer"},
	{"SY-0", KindSystem, "D", "the textbook algorithm", "the textbook algorithm and nothing more"},
	{"SY-1", KindSystem, "D S G", "one instance", "a single instance: SET NX PX, compare-and-delete, a retry loop"},
	{"SY-2", KindSystem, "D S G", "released with plain DEL", "SET NX PX released with plain DEL"},
	{"SY-3", KindSystem, "G", "GET, compare, DEL", "GET, compare and DEL as separate commands"},
	{"SY-4", KindSystem, "S", "SETNX with a timestamp", "SETNX with a timestamp, expired locks removed with DEL"},
	{"SY-5", KindSystem, "S", "SETNX and GETSET", "SETNX and GETSET, with the owner's check before DEL"},
	{"SY-6", KindSystem, "X", "LockTake and LockRelease", "LockTake and LockRelease, and the Lua twin"},
	{"SY-7", KindSystem, "G", "the Go article's mutex", "the Go article's mutex with a watchdog"},
	{"SY-8", KindSystem, "G", "the Go article's RedLock", "the Go article's RedLock as written"},
	{"SY-9", KindSystem, "P", "redlock-php", "redlock-php, with its quorum as written and with an integer one"},
	{"SY-10", KindSystem, "", "package redlock", "this project's package redlock"},
	{"SY-11", KindSystem, "D", "redsync and redislock", "go-redsync/redsync and bsm/redislock, unmodified"},
}

// Claims returns all claims, in the order of reports.
func Claims() []Claim { return slices.Clone(claims) }

// Measured reports whether a claim is about a quantity. Whether a run of it meets its
// goals is then a number to report, not a failure of the lock.
func Measured(claim string) bool {
	i := placeOf(claim)
	return i >= 0 && claims[i].Kind == KindMeasured
}

// placeOf is a claim's place in the order of reports; -1 when there is none with the id.
func placeOf(id string) int {
	return slices.IndexFunc(claims, func(c Claim) bool { return c.ID == id })
}
