// Package fidelity lists the behaviours in which a simulated node was compared with a
// real Redis server, and the differences.
package fidelity

// Row is one behaviour of a node that was compared with a real Redis server.
type Row struct {
	Name     string // of the row in the fidelity suite; several rows may share it, with different words after a colon
	Compared string // what both servers are asked for
	Tried    bool   // with a real redis-server process, by `go test ./sim -run Fidelity`
	Why      string // when it was not tried: the reason, and the model's source instead
}

// Difference is a known difference. In rows and at steps whose names begin
// with Row and Step, a node of the world answers World where Redis 7.0 answers Redis.
type Difference struct {
	Row, Step    string
	Redis, World string
	Why          string // why the difference is harmless
	Sometimes    bool   // Redis answers as the world does, too: which of the two is chance
}

// Rows lists the behaviours that are compared with a real server, over RESP 2 and
// over RESP 3, and those
// that are modelled but cannot be tried. The suite plays exactly the rows that
// are tried.
func Rows() []Row {
	return []Row{
		{Name: "commands of locks", Tried: true, Compared: "SET with NX, XX, GET, PX, EX and KEEPTTL, GET, DEL, PTTL, PEXPIRE, SETNX, GETSET, INCR, HSET, MGET, FLUSHALL"},
		{Name: "refused commands", Tried: true, Compared: "the class of every error: wrong type, bad number, bad TTL, bad syntax, unknown command and script"},
		{Name: "numbers", Tried: true, Compared: "times and counts with a sign, with leading zeros and beyond 63 bits, and PX beside KEEPTTL: in SET, PSETEX, PEXPIRE, INCRBY and in a script"},
		{Name: "transactions", Tried: true, Compared: "WATCH, MULTI, EXEC, DISCARD: disturbed, undisturbed, nested, with bad and with failing commands, with a key that expired"},
		{Name: "expiry boundary", Tried: true, Compared: "the milliseconds before, at and after a deadline"},
		{Name: "clock steps", Tried: true, Compared: "keys under a clock that is set forward and back"},
		{Name: "script cache", Tried: true, Compared: "EVAL, EVALSHA, NOSCRIPT, SCRIPT LOAD, EXISTS and FLUSH, and what a restart leaves of the cache"},
		{Name: "uptime and run id", Tried: true, Compared: "INFO server as time passes, under clock steps, after kill -9 and SHUTDOWN"},
		{Name: "script", Tried: true, Compared: "every script of every subject on every state of one and of two keys"},
		{Name: "restart", Tried: true, Compared: "no persistence, RDB, AOF everysec, AOF always × kill -9, SHUTDOWN: what is kept, with which TTL"},
		{Name: "expired keys", Tried: true, Compared: "a key that ends after the last snapshot, rewrite or word to a replica, a clock that is set back, and then kill -9, SHUTDOWN, " +
			"a failover or a full disk: who brings it back, in every mode of persistence; a snapshot needs a change, which the end of a key is not"},
		{Name: "expired while down", Tried: true, Compared: "a clock that is set forward before a restart and back after it"},
		{Name: "removal of an expired key", Compared: "when a server removes a key whose time is over and that nobody asks for",
			Why: "the world removes it at once; Redis within a tenth of a second (activeExpireCycle), or when it continues after a stop. A clock that is set back in between finds the key there"},
		{Name: "first write of an idle server", Compared: "when the append-only file of a server that has been idle is synced",
			Why: "the world syncs at whole seconds, for other clients keep a server busy; Redis syncs the first write at once, which keeps more"},
		{Name: "slow disk", Tried: true, Compared: "AOF everysec × kill -9 while a sync runs (held up by strace): what is written, what waits in the process, and for how long"},
		{Name: "refusing node", Tried: true, Compared: "every well-formed command of locks, and scripts, on a node that is out of memory, a replica, unable to save, loading, " +
			"busy with a script, cut off from its master, without permission to write, behind a password, or full of clients: " +
			"the whole error, but for the line of a script that Redis adds to it"},
		{Name: "refused transaction", Tried: true, Compared: "a refusal that begins before MULTI, between MULTI and EXEC, or ends there"},
		{Name: "expiry on a replica", Tried: true, Compared: "keys whose time is over on a replica, which deletes nothing by itself, before and after it becomes a master, and its replication ids"},
		{Name: "permission lost in a transaction", Compared: "EXEC after a permission was taken away between MULTI and EXEC",
			Why: "the world discards the whole transaction, as for other refusals; Redis runs the other commands. No subject queues more than one write"},
		{Name: "full disk", Tried: true, Compared: "writes, PING and scripts on a server whose append-only file cannot grow, with everysec and always: what is answered, " +
			"and what kill -9, SHUTDOWN, or room for the file leave of it"},
		{Name: "eviction", Tried: true, Compared: "what a lock finds, and a client who WATCHes, after maxmemory with allkeys-random has taken every key"},
		{Name: "third party", Tried: true, Compared: "what a lock finds, and a client who WATCHes, after somebody's DEL, FLUSHALL and SCRIPT FLUSH"},
		{Name: "failover", Tried: true, Compared: "a replica that is promoted (REPLICAOF NO ONE) without having heard of the master's last writes: what is lost and what comes back, TTLs, run id, uptime, scripts; the replication ids of INFO, also after FLUSHALL"},
		{Name: "demotion", Tried: true, Compared: "a master that copies its promoted replica and is promoted again in the same process: what is lost, refused writes meanwhile, run id, replication ids, scripts"},
		{Name: "when a demoted master copies", Compared: "reads between the demotion and the promotion",
			Why: "the world copies the memory at the promotion; until then the node refuses writes, so no lock is held there"},
		{Name: "other changes of the replication id", Compared: "a server that had no replica for repl-backlog-ttl, DEBUG CHANGE-REPL-ID, and a restart from a snapshot of a server with replicas",
			Why: "the world's nodes keep their replicas and have no DEBUG; a restart there shows no second id, as in Redis 6.2. Each of these costs a guarded lock time only"},
		{Name: "replication lag", Compared: "which writes a replica has not heard of when its master ends",
			Why: "a real replica's lag cannot be set; the row failover cuts its link before the last writes instead, and the lag itself is the world's"},
		{Name: "Sentinel", Compared: "a client that asks Sentinels for the master's address, and their vote on a failover",
			Why: "the world has no Sentinels. It plays what they bring about: a failover behind one address, and an address that moves while the old server still answers"},
		{Name: "choice of the evicted key", Compared: "which key goes first",
			Why: "it is drawn from the seed; allkeys-random promises no order"},
		{Name: "slow and stopped servers", Compared: "how long a server works on a request, or executes nothing",
			Why: "durations are no answers; ./simulate live stops real servers by SIGSTOP and compares verdicts"},
		{Name: "power loss", Compared: "what was not synced is gone",
			Why: "the machine under the server would have to lose its power; modelled after the documentation of appendfsync and save"},
		{Name: "conditional commands", Tried: true, Compared: "DELIFEQ of Valkey 9 and SET with IFEQ, alone, with GET, PX, EX and KEEPTTL, on keys of another type, and in a transaction: with Valkey 9.1"},
		{Name: "new commands", Compared: "DELEX of Redis 8.4",
			Why: "no Redis 8.4 is here; the engine plays DELEX with IFEQ and IFNE after its documentation, and refuses IFDEQ and IFDNE. SET with IFEQ is compared with Valkey; IFNE is refused"},
		{Name: "conditional commands in scripts", Compared: "DELIFEQ and SET with IFEQ, called by a script",
			Why: "the engine does not know them there; a script compares by itself"},
		{Name: "other types", Compared: "lists, sets, sorted sets and streams through a restart",
			Why: "a node's disk keeps strings and hashes, for no lock under test uses another type"},
	}
}

// boundaryWhy explains the differences at a deadline. A lock that is safe in the
// world is not made unsafe by them on Redis, which keeps keys longer.
const boundaryWhy = "Redis keeps a key for as long as now > deadline is false, the world's engine while time is left: " +
	"keys here end up to 1 ms earlier, never later, which is the unsafe side for a lock"

// Differences lists the known differences. The suite fails when one of
// them no longer exists, but for those that show only sometimes.
func Differences() []Difference {
	return []Difference{
		{"expiry boundary", "at the deadline: GET r", `"a"`, "nil", boundaryWhy, false},
		{"expiry boundary", "at the deadline: PTTL r", "0", "-2", boundaryWhy, false},
		{"expiry boundary", "at the deadline: EXISTS s", "1", "0", boundaryWhy, false},
		{"expiry boundary", "at the deadline: SET then b NX PX 50", "nil", `"OK"`, boundaryWhy, false},
		{"expiry boundary", "TTL u", "1", "0", "TTL is rounded to whole seconds there and cut here; subjects ask PTTL", false},
		{"transactions", "bad command: own EXEC", "-EXECABORT", `["OK"]`, "no subject queues an unknown command", false},
		{"transactions", "bad command: own GET k", `"a"`, `"never"`, "as the line before", false},
		{"script cache", "EVALSHA in capitals", `"v"`, "-NOSCRIPT", "digests are compared as they are written; every driver writes them small", false},
		{"refusing node: out of memory", "ill-formed: SET k", "-ERR wrong number of arguments for 'set' command", "-OOM command not allowed when used memory > 'maxmemory'.",
			"Redis looks at the number of arguments before it refuses; no subject sends ill-formed commands", false},
		{"refusing node: full of clients", "full of clients: PING", "broken connection", "-ERR max number of clients reached",
			"Redis writes the error and closes without being asked; who writes first may see only the closed connection. Neither is a vote", true},
		{"script: ", "", "-WRONGTYPE", "-ERR", "the interpreter rewords errors of redis.call; native twins, which run by default, answer as Redis does", false},
	}
}
