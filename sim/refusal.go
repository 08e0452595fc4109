package sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// Why a node refuses commands: what an [Impair] event says of it.
const (
	MemoryFull = "out of memory"  // maxmemory with noeviction: what needs memory is answered OOM
	ReadOnly   = "read-only"      // a replica: writes are answered READONLY
	DiskError  = "unable to save" // stop-writes-on-bgsave-error: writes and PING are answered MISCONF
	Loading    = "loading"        // it reads its data: nearly everything is answered LOADING
)

// refusalTexts are Redis' own.
var refusalTexts = map[string]string{
	MemoryFull: "OOM command not allowed when used memory > 'maxmemory'.",
	ReadOnly:   "READONLY You can't write against a read only replica.",
	DiskError: "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.",
	Loading: "LOADING Redis is loading the dataset in memory",
}

// The commands about strings, hashes, lists and keys, as Redis flags them.
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

// refuses reports whether a command is refused for that reason.
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

// Refuse makes the node refuse commands from now on, for one of the reasons
// above. Controller context only.
func (n *Node) Refuse(why, fault string) {
	n.refusals = append(n.refusals, refusal{why, fault})
	n.engine.Server().SetPreHook(n.beforeNested)
	n.world.emit(Event{Kind: Impair, Node: n.Name, Detail: why, Fault: fault})
}

// Grant ends what Refuse began. Controller context only.
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

// LoadFor makes a node that was just restarted read its data for so long.
// Controller context only.
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

// stopLoading ends a loading that the node's end has cut short.
func (n *Node) stopLoading() {
	for _, r := range slices.Clone(n.refusals) {
		if r.why == Loading {
			n.Grant(r.why, r.fault)
		}
	}
}

// refusalOf is what a command is answered with; empty when nothing refuses it.
func (n *Node) refusalOf(command string) string {
	for _, r := range n.refusals {
		if r.refuses(command) {
			return refusalTexts[r.why]
		}
	}
	return ""
}

// refuse answers a command in the engine's place, if something refuses it. A
// command that is refused behind MULTI dooms the transaction, and EXEC is refused
// as each of the commands that it would run.
func (n *Node) refuse(c *conn, command string) bool {
	switch command {
	case "EXEC":
		return n.refuseExec(c)
	case "DISCARD":
		c.doomed = false
	}
	answer := n.refusalOf(command)
	if answer == "" && c.transaction && !slices.Contains(neverQueued, command) && n.short() {
		answer = refusalTexts[MemoryFull] // a queue needs memory, whatever it holds
	}
	if answer == "" {
		return false
	}
	c.doomed = c.doomed || c.transaction
	c.peer.WriteError(answer)
	return true
}

// neverQueued are the commands that act at once behind MULTI.
var neverQueued = []string{"DISCARD", "EXEC", "QUIT", "RESET"}

// short reports whether the node is out of memory.
func (n *Node) short() bool {
	return slices.ContainsFunc(n.refusals, func(r refusal) bool { return r.why == MemoryFull })
}

// refuseExec discards a transaction that is doomed, or that holds what is refused by now.
func (n *Node) refuseExec(c *conn) bool {
	why := ""
	for _, command := range c.commands {
		if answer := n.refusalOf(command); answer != "" && command != "PING" { // which is refused only by itself
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

// aside runs a command on a connection and throws its answer away.
func (n *Node) aside(command string, c *conn) {
	n.engine.Server().Dispatch(c.peer, []string{command})
	c.peer.Flush()
	n.out.Reset()
	c.transaction, c.commands = false, nil
}

// beforeNested is asked before every command that a script calls.
func (n *Node) beforeNested(peer *server.Peer, command string, _ ...string) bool {
	answer := n.refusalOf(command)
	if answer == "" {
		return false
	}
	n.nested = answer
	peer.WriteError(answer)
	return true
}

// Evict removes keys, drawn from the seed, as a server does that is short of
// memory under maxmemory-policy allkeys-random. Controller context only.
func (n *Node) Evict(keys int, fault string) {
	if !n.up {
		return
	}
	n.settle()
	n.disk.beforeWrite(n)
	n.world.emit(Event{Kind: NodeCall, Node: n.Name, Command: Eviction, Detail: "of " + strconv.Itoa(keys), Fault: fault})
	image, life := n.image(), n.life
	for range min(keys, len(image)) {
		if n.life != life || !n.up { // an observer crashed it
			return
		}
		n.evictions++
		i := int(n.world.Random("eviction/"+n.Name, n.evictions) % uint64(len(image)))
		n.engine.Del(image[i].key)
		n.removed(image[i], fault)
		image = slices.Delete(image, i, i+1)
	}
}

// What a [NodeCall] that is no command says instead of one.
const (
	Eviction = "(eviction)" // keys will be evicted
	Removal  = "(removed)"  // somebody who is no client took the key
)

// removed writes down that somebody who is no client took a key.
func (n *Node) removed(was entry, fault string) {
	delete(n.keys, was.key)
	n.world.emit(Event{Kind: NodeCall, Node: n.Name, Command: Removal, Key: was.key, Value: n.world.recorder.name(was.shown()), TTL: n.remaining(was), Fault: fault})
}
