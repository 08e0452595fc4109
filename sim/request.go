package sim

import (
	"slices"
	"strconv"
	"strings"
)

// commandName is the name of a request in the trace: that of the registered
// script, or else the command.
func commandName(args []string, s *Script) string {
	if s != nil {
		return s.Name
	}
	if len(args) == 0 {
		return ""
	}
	return upper(args[0])
}

func upper(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'a' && c <= 'z' {
			return strings.ToUpper(s)
		}
	}
	return s
}

func isEval(command string) bool { return strings.HasPrefix(upper(command), "EVAL") }

// firstKey returns the first key that a request names, or "" when it names none.
func firstKey(args []string) string {
	if len(args) < 2 {
		return ""
	}
	switch upper(args[0]) {
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

// render writes a request on one line. Opaque values appear as token#k.
func (r *recorder) render(args []string, s *Script) string {
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + min(len(a), longest)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case s != nil && i == 1:
			b.WriteString(s.Name)
		case i == 1 && s == nil && len(args) > 2 && isEval(args[0]):
			b.WriteString("(script)")
		case i == 0 || len(a) < opaqueLength:
			b.WriteString(a)
		case a == firstKey(args):
			b.WriteString(a)
		default:
			b.WriteString(r.name(a))
		}
	}
	return b.String()
}

// namedKeys returns the keys of a request, except the first.
func namedKeys(args []string) []string {
	if len(args) < 3 {
		return nil
	}
	switch upper(args[0]) {
	case "DEL", "UNLINK":
		return args[2:]
	case "EVAL", "EVALSHA":
		if count, err := strconv.Atoi(args[2]); err == nil && count > 1 && len(args) >= 3+count {
			return args[4 : 3+count]
		}
	}
	return nil
}

// compareRequests orders requests that a process sent to one node between two
// rests by their words before the first opaque value. Opaque values do not count:
// they may be random. The source or digest of a script counts.
func compareRequests(a, b []string) int {
	return slices.Compare(a[:plain(a)], b[:plain(b)])
}

// plain returns how many words of a request come before the first opaque value.
func plain(args []string) int {
	known := 1
	if isEval(args[0]) {
		known = 2
	}
	for i := known; i < len(args); i++ {
		if len(args[i]) >= opaqueLength {
			return i
		}
	}
	return len(args)
}
