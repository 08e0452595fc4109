package sim

import (
	"fmt"
	"slices"
	"strings"
)

// The reasons for which a node refuses commands, as [Impair] events name them.
const (
	MemoryFull = "out of memory"  // maxmemory with noeviction: commands that need memory are answered OOM
	ReadOnly   = "read-only"      // a replica: writes are answered READONLY
	DiskError  = "unable to save" // stop-writes-on-bgsave-error: writes and PING are answered MISCONF
	Loading    = "loading"        // it reads its data: nearly all commands are answered LOADING
	// Busy: a script has run for longer than busy-reply-threshold. Nearly all commands are answered BUSY.
	Busy = "busy"
	// MasterDown: a replica with replica-serve-stale-data no. Writes get READONLY, reads
	// and scripts MASTERDOWN.
	MasterDown = "cut off from its master"
	Forbidden  = "without permission to write" // ACL SETUSER default -@write: writes are answered NOPERM
	Password   = "behind a password"           // requirepass was set: connections made since then are answered NOAUTH
	Crowded    = "full of clients"             // maxclients is reached: connections made since then get one error and end
	// DiskFull: a write to the append-only file has failed. Writes and PING are answered
	// MISCONF. No fault asks for it: the next write on a full disk causes it.
	DiskFull = "unable to write its file"
)

// Reasons returns the reasons for which a fault can make a node refuse commands.
func Reasons() []string {
	return []string{MemoryFull, ReadOnly, DiskError, Busy, MasterDown, Forbidden, Password, Crowded}
}

// refusalTexts are the errors of Redis, by the reason.
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
	DiskFull:   "MISCONF Errors writing to the AOF file: No space left on device",
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
		"DEL", "DELEX", "DELIFEQ", "EXPIRE", "EXPIREAT", "FLUSHALL", "FLUSHDB", "GETDEL", "GETEX", "HDEL", "LPOP", "LREM", "LTRIM", "PERSIST",
		"PEXPIRE", "PEXPIREAT", "RENAME", "RENAMENX", "RPOP", "UNLINK",
	}
	whileLoading = []string{
		"AUTH", "CLIENT", "COMMAND", "CONFIG", "DISCARD", "EXEC", "HELLO", "INFO", "MULTI", "RESET", "SELECT", "SHUTDOWN", "TIME", "UNWATCH", "WATCH",
	}
	whileBusy      = []string{"AUTH", "DISCARD", "HELLO", "MULTI", "QUIT", "RESET", "SHUTDOWN", "UNWATCH", "WATCH"}
	withoutAccount = []string{"AUTH", "HELLO", "QUIT", "RESET"}
)

// asker is the sender of a command.
type asker struct {
	script   bool   // a script calls it
	stranger string // why the node does not serve its connection: Password, Crowded, or ""
}

// refusalFor returns the error with which a node refuses a command for a reason, or "".
// It is a table of what Redis does: it knows no node.
func refusalFor(why string, who asker, command string) string {
	switch {
	case why == MasterDown && writes(command):
		return refusalTexts[ReadOnly]
	case !refuses(why, who, command):
		return ""
	case why == Forbidden && who.script:
		return forbiddenInScript
	case why == Forbidden:
		return fmt.Sprintf(refusalTexts[Forbidden], strings.ToLower(command))
	}
	return refusalTexts[why]
}

// refuses reports whether a command is refused for this reason.
func refuses(why string, who asker, command string) bool {
	switch why {
	case Loading, MasterDown:
		return !slices.Contains(whileLoading, command)
	case Busy:
		return !who.script && !slices.Contains(whileBusy, command)
	case Password:
		return !who.script && who.stranger == Password && !slices.Contains(withoutAccount, command)
	case Crowded:
		return false // the connection ends before it can ask
	case MemoryFull:
		return slices.Contains(needMemory, command)
	case DiskError, DiskFull:
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
