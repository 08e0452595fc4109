package resp

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	notAnInteger = "ERR value is not an integer or out of range"
	syntaxError  = "ERR syntax error"
)

// numbers are the places, from 0 after the command, of the number in commands that
// take one, and its unit in milliseconds; 0: it is no time.
var numbers = map[string]struct {
	place int
	unit  int64
	until bool // the number is a date
}{
	"EXPIRE": {1, 1000, false}, "PEXPIRE": {1, 1, false}, "EXPIREAT": {1, 1000, true}, "PEXPIREAT": {1, 1, true},
	"SETEX": {1, 1000, false}, "PSETEX": {1, 1, false}, "INCRBY": {1, 0, false}, "DECRBY": {1, 0, false},
}

// times are the options of SET that a number follows, and its unit in milliseconds.
var times = map[string]int64{"EX": 1000, "PX": 1, "EXAT": 1000, "PXAT": 1}

// BadNumber returns the error with which Redis answers numbers that it does not read
// and times that do not fit into 63 bits, or "". args are the command's arguments, each
// option once. It also knows which options SET does not take together.
//
// Redis reads only the shortest form of a number: no "+100", no "0100", no "-0".
func BadNumber(command string, args []string) string {
	if command == "SET" {
		return badSet(args)
	}
	known, ok := numbers[command]
	if !ok || known.place >= len(args) {
		return ""
	}
	return badNumber(command, args[known.place], known.unit, known.until)
}

func badSet(args []string) string {
	if len(args) < 2 {
		return ""
	}
	seen, expires, wrong := map[string]bool{}, false, ""
	for i := 2; i < len(args); i++ {
		word := strings.ToUpper(args[i])
		seen[word] = true
		if unit, takes := times[word]; takes {
			if i++; i == len(args) || expires {
				return syntaxError
			}
			expires, wrong = true, badNumber("SET", args[i], unit, strings.HasSuffix(word, "AT"))
		}
	}
	if expires && seen["KEEPTTL"] || seen["NX"] && seen["XX"] {
		return syntaxError
	}
	return wrong
}

// LastOfEach drops each option of a SET that a later one of its name repeats: the last one
// counts. args begin with the command.
func LastOfEach(command string, args []string) []string {
	if command != "SET" || len(args) < 5 {
		return args
	}
	kept, names := slices.Clone(args[:3]), map[string][]string{}
	var order []string
	for i := 3; i < len(args); i++ {
		name, start := strings.ToUpper(args[i]), i
		if _, takes := times[name]; takes && i+1 < len(args) {
			i++
		}
		if names[name] == nil {
			order = append(order, name)
		}
		names[name] = args[start : i+1]
	}
	for _, name := range order {
		kept = append(kept, names[name]...)
	}
	return kept
}

// latest is a date, in milliseconds, after the end of any run. A relative time must
// fit behind the server's date.
const latest = 1 << 41

func badNumber(command, text string, unit int64, until bool) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return notAnInteger
	}
	limit := int64(math.MaxInt64)
	if !until {
		limit -= latest
	}
	if unit > 0 && (n > limit/unit || n < math.MinInt64/unit) {
		return "ERR invalid expire time in '" + strings.ToLower(command) + "' command"
	}
	return ""
}

// CutIfEqual takes the condition IFEQ, and GET beside it, out of the options of a SET; expected is
// nil without the condition. args begin with the command.
func CutIfEqual(args []string) (expected *string, get bool, rest []string, wrong string) {
	if len(args) < 5 {
		return nil, false, args, ""
	}
	rest = slices.Clone(args[:3])
	exclusive, past := false, false
	for i := 3; i < len(args); i++ {
		name := strings.ToUpper(args[i])
		_, takes := times[name]
		switch {
		case name == "IFEQ" && (expected != nil || i+1 == len(args)):
			return nil, false, nil, syntaxError
		case name == "IFEQ":
			i++
			expected = &args[i]
			continue
		case name == "GET":
			get = true
			continue
		case takes && i+1 < len(args):
			rest = append(rest, args[i])
			i++
			if n, err := strconv.ParseInt(args[i], 10, 64); err == nil && n <= 0 {
				past = true
			}
		}
		exclusive = exclusive || name == "NX" || name == "XX"
		rest = append(rest, args[i])
	}
	if expected != nil && exclusive {
		return nil, false, nil, syntaxError
	}
	if expected != nil && past { // Redis looks at that before it compares
		return nil, false, nil, "ERR invalid expire time in 'set' command"
	}
	return expected, get, rest, ""
}
