package redlock

import (
	"strconv"
	"strings"
)

// deletes reports whether a form is a command that deletes a key if it carries a token. It
// answers 1 or 0, and does not tell a missing key from one with another token.
func (f form) deletes() bool { return f == formDelifeq || f == formDelex }

// deletionOf returns the command that a server should have, by a line of INFO server: DELIFEQ
// (Valkey 9) or DELEX (Redis 8.4). Valkey also says which Redis it is compatible with. The answer
// to the command decides: a server that refuses it gets the script.
func deletionOf(name, version string) form {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err := strconv.Atoi(major)
	second, minorErr := strconv.Atoi(minor)
	switch {
	case err != nil || minorErr != nil:
		return formPlain
	case name == "valkey_version" && first >= 9:
		return formDelifeq
	case name == "redis_version" && (first > 8 || first == 8 && second >= 4):
		return formDelex
	default:
		return formPlain
	}
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
