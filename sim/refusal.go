package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/sim/resp"
)

// The reasons for which a node refuses commands, as [Impair] events name them.
const (
	MemoryFull = "out of memory"               // maxmemory with noeviction: commands that need memory are answered OOM
	ReadOnly   = "read-only"                   // a replica: writes are answered READONLY
	DiskError  = "unable to save"              // stop-writes-on-bgsave-error: writes and PING are answered MISCONF
	Loading    = "loading"                     // it reads its data: nearly all commands are answered LOADING
	Busy       = "busy"                        // a script has run for longer than busy-reply-threshold: nearly all commands are answered BUSY
	MasterDown = "cut off from its master"     // a replica with replica-serve-stale-data no: writes get READONLY, reads and scripts MASTERDOWN
	Forbidden  = "without permission to write" // ACL SETUSER default -@write: writes are answered NOPERM
	Password   = "behind a password"           // requirepass was set: connections made since then are answered NOAUTH
	Crowded    = "full of clients"             // maxclients is reached: connections made since then get one error and end
)

// Reasons returns the reasons for which a fault can make a node refuse commands.
func Reasons() []string {
	return []string{MemoryFull, ReadOnly, DiskError, Busy, MasterDown, Forbidden, Password, Crowded}
}

// refusalTexts are the errors of Redis.
var refusalTexts = map[string]string{
	MemoryFull: "OOM command not allowed when used memory > 'maxmemory'.",
	ReadOnly:   "READONLY You can't write against a read only replica.",
	DiskError: "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.",
	Loading:    "LOADING Redis is loading the dataset in memory",
	Busy:       "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
	MasterDown: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
	Forbidden:  "NOPERM this user has no permissions to run the '%s' command",
	Password:   "NOAUTH Authentication required.",
	Crowded:    "ERR max number of clients reached",
}

// forbiddenInScript is the error of a command that a script may not call.
const forbiddenInScript = "ERR The user executing the script can't run this command or subcommand"

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
	whileBusy      = []string{"AUTH", "DISCARD", "HELLO", "MULTI", "QUIT", "RESET", "SHUTDOWN", "UNWATCH", "WATCH"}
	withoutAccount = []string{"AUTH", "HELLO", "QUIT", "RESET"}
)

// refusal is one reason why a node refuses commands.
type refusal struct{ why, fault string }

// answer returns the error with which a command of a connection is refused for this
// reason, or "".
func (r refusal) answer(c *conn, command string) string {
	switch {
	case r.why == MasterDown && writes(command):
		return refusalTexts[ReadOnly]
	case !r.refuses(c, command):
		return ""
	case r.why == Forbidden && c == nil:
		return forbiddenInScript
	case r.why == Forbidden:
		return fmt.Sprintf(refusalTexts[Forbidden], strings.ToLower(command))
	}
	return refusalTexts[r.why]
}

// refuses reports whether a command of a connection is refused for this reason. The
// connection is nil when a script calls the command.
func (r refusal) refuses(c *conn, command string) bool {
	switch r.why {
	case Loading, MasterDown:
		return !slices.Contains(whileLoading, command)
	case Busy:
		return c != nil && !slices.Contains(whileBusy, command)
	case Password:
		return c != nil && c.stranger == Password && !slices.Contains(withoutAccount, command)
	case Crowded:
		return false // the connection ends before it can ask
	case MemoryFull:
		return slices.Contains(needMemory, command)
	case DiskError:
		if command == "PING" {
			return true
		}
	}
	return writes(command)
}

// writes reports whether a command may change keys.
func writes(command string) bool {
	return slices.Contains(needMemory, command) || slices.Contains(needNone, command)
}

// Refuse makes the node refuse commands for a reason: [MemoryFull], [ReadOnly],
// [DiskError], [Loading], [Busy], [MasterDown], [Forbidden], [Password] or [Crowded].
// Controller context only.
func (n *Node) Refuse(why, fault string) {
	n.refusals = append(n.refusals, refusal{why, fault})
	n.world.emit(Event{Kind: Impair, Node: n.Name, Detail: why, Fault: fault})
}

// Grant ends a refusal of the same reason and fault. Controller context only.
func (n *Node) Grant(why, fault string) {
	i := slices.Index(n.refusals, refusal{why, fault})
	if i < 0 {
		return
	}
	n.refusals = slices.Delete(n.refusals, i, i+1)
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

// stopWork ends [Loading] and [Busy] early because the node has ended.
func (n *Node) stopWork() {
	for _, r := range slices.Clone(n.refusals) {
		if r.why == Loading || r.why == Busy {
			n.Grant(r.why, r.fault)
		}
	}
}

// refusalOf returns the error with which a command of a connection is refused, or "".
// The connection is nil when a script calls the command.
func (n *Node) refusalOf(c *conn, command string) string {
	for _, r := range n.refusals {
		if answer := r.answer(c, command); answer != "" {
			return answer
		}
	}
	return ""
}

// greet notes on a new connection that it comes too late to be served: behind a
// password, or beyond the number of clients.
func (n *Node) greet(c *conn) {
	for _, why := range []string{Password, Crowded} {
		if slices.ContainsFunc(n.refusals, func(r refusal) bool { return r.why == why }) {
			c.stranger = why
		}
	}
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
	answer := n.refusalOf(c, command)
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
		answer := n.refusalOf(c, command)
		if answer == refusalTexts[DiskError] && command == "PING" { // it is refused only outside of transactions
			continue
		}
		if answer != "" && (why == "" || writes(command)) { // that it writes is looked at first
			why = "of: " + answer
		}
	}
	if c.doomed {
		why = "of previous errors."
	}
	if answer := n.refusalOf(c, "EXEC"); answer != "" {
		why = "of: " + answer
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

// beforeNested answers a command that a script calls, when the node refuses it or
// when its arguments are wrong. The engine calls it before every command.
func (n *Node) beforeNested(peer *server.Peer, command string, args ...string) bool {
	answer := n.refusalOf(nil, command)
	if answer == "" && n.inScript {
		answer = resp.BadNumber(command, args)
	}
	if answer == "" {
		return false
	}
	n.nested = answer
	peer.WriteError(answer)
	return true
}
