package sim

import (
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// The reasons for which a node refuses commands, as [Impair] events name them.
const (
	MemoryFull = "out of memory"  // maxmemory with noeviction: commands that need memory are answered OOM
	ReadOnly   = "read-only"      // a replica: writes are answered READONLY
	DiskError  = "unable to save" // stop-writes-on-bgsave-error: writes and PING are answered MISCONF
	Loading    = "loading"        // it reads its data: nearly all commands are answered LOADING
)

// refusalTexts are the errors of Redis.
var refusalTexts = map[string]string{
	MemoryFull: "OOM command not allowed when used memory > 'maxmemory'.",
	ReadOnly:   "READONLY You can't write against a read only replica.",
	DiskError: "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.",
	Loading: "LOADING Redis is loading the dataset in memory",
}

// The commands on strings, hashes, lists and keys, by the flags that Redis gives them.
var (
	needMemory = []string{
		"APPEND", "DECR", "DECRBY", "GETSET", "HINCRBY", "HMSET", "HSET", "HSETNX", "INCR", "INCRBY", "INCRBYFLOAT", "LPUSH",
		"MSET", "MSETNX", "PSETEX", "RPUSH", "SET", "SETEX", "SETNX", "SETRANGE",
	}
	needNone = []string{
		"DEL", "DELEX", "EXPIRE", "EXPIREAT", "FLUSHALL", "FLUSHDB", "GETDEL", "GETEX", "HDEL", "LPOP", "LREM", "LTRIM", "PERSIST",
		"PEXPIRE", "PEXPIREAT", "RENAME", "RENAMENX", "RPOP", "UNLINK",
	}
	whileLoading = []string{
		"AUTH", "CLIENT", "COMMAND", "CONFIG", "DISCARD", "EXEC", "HELLO", "INFO", "MULTI", "RESET", "SELECT", "SHUTDOWN", "TIME", "UNWATCH", "WATCH",
	}
)

// refusal is one reason why a node refuses commands.
type refusal struct{ why, fault string }

// refuses reports whether a command is refused for this reason.
func (r refusal) refuses(command string) bool {
	switch r.why {
	case Loading:
		return !slices.Contains(whileLoading, command)
	case MemoryFull:
		return slices.Contains(needMemory, command)
	case DiskError:
		if command == "PING" {
			return true
		}
	}
	return slices.Contains(needMemory, command) || slices.Contains(needNone, command)
}

// Refuse makes the node refuse commands for a reason: [MemoryFull], [ReadOnly],
// [DiskError] or [Loading]. Controller context only.
func (n *Node) Refuse(why, fault string) {
	n.refusals = append(n.refusals, refusal{why, fault})
	n.engine.Server().SetPreHook(n.beforeNested)
	n.world.emit(Event{Kind: Impair, Node: n.Name, Detail: why, Fault: fault})
}

// Grant ends a refusal of the same reason and fault. Controller context only.
func (n *Node) Grant(why, fault string) {
	i := slices.Index(n.refusals, refusal{why, fault})
	if i < 0 {
		return
	}
	n.refusals = slices.Delete(n.refusals, i, i+1)
	if len(n.refusals) == 0 {
		n.engine.Server().SetPreHook(nil)
	}
	n.world.emit(Event{Kind: Recover, Node: n.Name, Detail: why, Fault: fault})
}

// LoadFor makes a node that was just restarted refuse commands with [Loading] for
// d of true time. Controller context only.
func (n *Node) LoadFor(d time.Duration, fault string) {
	if !n.up || d == 0 {
		return
	}
	n.Refuse(Loading, fault)
	life := n.life
	n.world.At(n.world.now+d, func() {
		if n.life == life {
			n.Grant(Loading, fault)
		}
	})
}

// stopLoading ends [Loading] early because the node has ended.
func (n *Node) stopLoading() {
	for _, r := range slices.Clone(n.refusals) {
		if r.why == Loading {
			n.Grant(r.why, r.fault)
		}
	}
}

// refusalOf returns the error with which a command is refused, or "".
func (n *Node) refusalOf(command string) string {
	for _, r := range n.refusals {
		if r.refuses(command) {
			return refusalTexts[r.why]
		}
	}
	return ""
}

// refuse answers a command in place of the engine and reports whether it is
// refused. A command that is refused after MULTI makes EXEC fail. EXEC is also
// refused if any of the commands that it would run is refused by then.
func (n *Node) refuse(c *conn, command string) bool {
	switch command {
	case "EXEC":
		return n.refuseExec(c)
	case "DISCARD":
		c.doomed = false
	}
	answer := n.refusalOf(command)
	if answer == "" && c.transaction && !slices.Contains(neverQueued, command) && n.short() {
		answer = refusalTexts[MemoryFull] // queueing needs memory for any command
	}
	if answer == "" {
		return false
	}
	c.doomed = c.doomed || c.transaction
	c.peer.WriteError(answer)
	return true
}

// neverQueued are the commands that act at once after MULTI.
var neverQueued = []string{"DISCARD", "EXEC", "QUIT", "RESET"}

// short reports whether the node is out of memory.
func (n *Node) short() bool {
	return slices.ContainsFunc(n.refusals, func(r refusal) bool { return r.why == MemoryFull })
}

// refuseExec discards a transaction of which a command was refused or is refused by
// now. It reports whether it did.
func (n *Node) refuseExec(c *conn) bool {
	why := ""
	for _, command := range c.commands {
		if answer := n.refusalOf(command); answer != "" && command != "PING" { // PING is refused only outside of transactions
			why = "of: " + answer
			break
		}
	}
	if c.doomed {
		why = "of previous errors."
	}
	if why == "" {
		return false
	}
	c.doomed = false
	n.aside("DISCARD", c)
	c.peer.WriteError("EXECABORT Transaction discarded because " + why)
	return true
}

// aside runs a command on a connection and discards the answer.
func (n *Node) aside(command string, c *conn) {
	n.engine.Server().Dispatch(c.peer, []string{command})
	c.peer.Flush()
	n.out.Reset()
	c.transaction, c.commands = false, nil
}

// beforeNested refuses a command that a script calls. The engine calls it before
// every such command.
func (n *Node) beforeNested(peer *server.Peer, command string, _ ...string) bool {
	answer := n.refusalOf(command)
	if answer == "" {
		return false
	}
	n.nested = answer
	peer.WriteError(answer)
	return true
}
