package redlock

import (
	"strconv"
	"strings"
)

// deletes reports whether a form is a command that deletes a key if it carries a token. It
// answers 1 or 0, and does not tell a missing key from one with another token.
func (f form) deletes() bool { return f == formDelifeq || f == formDelex }

// deletionOf returns the command that a server should have, by the versions that INFO server shows:
// DELIFEQ (Valkey 9) or DELEX (Redis 8.4). Valkey also says which Redis it is compatible with. The
// answer to the command decides: a server that refuses it gets the script.
func deletionOf(valkey, redis string) form {
	switch {
	case sinceVersion(valkey, 9, 0):
		return formDelifeq
	case sinceVersion(redis, 8, 4):
		return formDelex
	default:
		return formPlain
	}
}

// sinceVersion reports whether a version is the given one or a later one.
func sinceVersion(version string, major, minor int) bool {
	words := append(strings.Split(version, "."), "0")
	first, err := strconv.Atoi(words[0])
	second, minorErr := strconv.Atoi(words[1])
	return err == nil && minorErr == nil && (first > major || first == major && second >= minor)
}

// refusedDeletion reports whether the server refused a command that deletes by token, and
// records that: it lacks the command, or the user lacks the permission.
func (q *nodeQueue) refusedDeletion(r *request) bool {
	refused := r.reply.hasErrorPrefix("ERR unknown command") || r.reply.hasErrorPrefix("ERR syntax") ||
		r.reply.hasErrorPrefix("NOPERM")
	if refused {
		q.server.deletion.Store(uint32(formPlain))
	}
	return refused
}
