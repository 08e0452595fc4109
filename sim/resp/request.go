package resp

import (
	"slices"
	"strconv"
	"strings"
)

// IsEval reports whether a command runs a script.
func IsEval(command string) bool { return strings.HasPrefix(strings.ToUpper(command), "EVAL") }

// FirstKey returns the first key that a request names, or "" when it names none.
func FirstKey(args []string) string {
	if len(args) < 2 {
		return ""
	}
	switch strings.ToUpper(args[0]) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO":
		if len(args) > 3 && args[2] != "0" {
			return args[3]
		}
		return ""
	case "PING", "INFO", "HELLO", "CLIENT", "SCRIPT", "TIME", "SELECT", "AUTH", "COMMAND", "CONFIG", "CLUSTER", "FLUSHALL", "FLUSHDB", "UNWATCH", "MULTI", "EXEC", "DISCARD":
		return ""
	}
	return args[1]
}

// FurtherKeys returns the keys of a request, except the first.
func FurtherKeys(args []string) []string {
	if len(args) < 3 {
		return nil
	}
	switch strings.ToUpper(args[0]) {
	case "DEL", "UNLINK":
		return args[2:]
	case "EVAL", "EVALSHA":
		if count, err := strconv.Atoi(args[2]); err == nil && count > 1 && len(args) >= 3+count {
			return args[4 : 3+count]
		}
	}
	return nil
}

// Reads reports whether a command certainly changes no key. Redis counts no change then,
// and so takes no snapshot.
func Reads(command string) bool { return slices.Contains(reading, command) }

var reading = []string{
	"GET", "PTTL", "TTL", "EXISTS", "MGET", "TYPE", "STRLEN", "HGET", "HGETALL", "HLEN", "HEXISTS", "EVAL_RO", "EVALSHA_RO",
	"PING", "HELLO", "CLIENT", "INFO", "TIME", "AUTH", "SELECT", "COMMAND", "CONFIG", "SCRIPT", "ECHO", "WAIT", "WAITAOF",
	"WATCH", "UNWATCH", "MULTI", "DISCARD", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE", "PUBLISH",
}
