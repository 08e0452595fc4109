package sim

import "strings"

// Purpose is what a client sends a command for.
type Purpose string

// The purposes. The first three are the words of the operations in [Call] events.
const (
	PurposeAcquire Purpose = "acquire"
	PurposeExtend  Purpose = "extend"
	PurposeRelease Purpose = "release"
	PurposeRead    Purpose = "read"    // reads, watches or counts between the steps of a lock: neither vote nor release
	PurposeInspect Purpose = "inspect" // asks the server about itself, or prepares a connection
	PurposeUnknown Purpose = ""        // the name does not say
)

// AboutLock reports whether a command with this purpose asks for a vote, for
// more time, or for a release.
func (p Purpose) AboutLock() bool {
	return p == PurposeAcquire || p == PurposeExtend || p == PurposeRelease
}

// purposes says what each command and each registered script is for. Locks use
// SET to extend, too: the operation that is open tells.
var purposes = map[string]Purpose{
	"SET": PurposeAcquire, "SETNX": PurposeAcquire, "GETSET": PurposeAcquire,
	"acquire": PurposeAcquire, "acquire_fenced": PurposeAcquire,
	"PEXPIRE": PurposeExtend, "EXPIRE": PurposeExtend, "extend": PurposeExtend, "extend_or_set": PurposeExtend,
	"DEL": PurposeRelease, "DELEX": PurposeRelease, "DELIFEQ": PurposeRelease, "UNLINK": PurposeRelease, "release": PurposeRelease,
	"GET": PurposeRead, "EXISTS": PurposeRead, "TTL": PurposeRead, "PTTL": PurposeRead,
	"WATCH": PurposeRead, "UNWATCH": PurposeRead, "MULTI": PurposeRead, "EXEC": PurposeRead,
	"INCR": PurposeRead, "INCRBY": PurposeRead, "DECR": PurposeRead, "DECRBY": PurposeRead,
	"fence": PurposeRead, // raises a counter, and leaves the lock's key as it is

	"INFO": PurposeInspect, "PING": PurposeInspect, "TIME": PurposeInspect, "HELLO": PurposeInspect,
	"CLIENT": PurposeInspect, "SCRIPT": PurposeInspect,
}

// PurposeOf returns what a command is for, by its name as [Event].Command has
// it: in capitals, or the name of a registered script.
func PurposeOf(command string) Purpose { return purposes[command] }

// purposeIn returns what a command is for that a process sends while an operation is
// open. The operation decides when the name does not say it, as with EVALSHA, and about
// SET, which some locks use to extend.
func purposeIn(command, key string, open Purpose) Purpose {
	named := PurposeOf(command)
	if command == "SET" && open == PurposeExtend || named == PurposeUnknown && key != "" {
		return open
	}
	return named
}

// operationOf returns the operation that the detail of a [Call] or [Failed] event names,
// "acquire" for "acquire: contended", and the purpose of its commands.
func operationOf(detail string) (name string, p Purpose) {
	name, _, _ = strings.Cut(detail, ":")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	if p = Purpose(name); !p.AboutLock() {
		p = PurposeUnknown
	}
	return name, p
}
