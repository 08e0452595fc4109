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

// BadNumber returns the error with which Redis answers numbers that it does not read
// and times that do not fit into 63 bits, or "". args are the command's arguments. It
// also knows that SET takes no KEEPTTL beside a TTL.
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
	keeps, expires, wrong := false, false, ""
	for i := 2; i < len(args); i++ {
		switch word := Upper(args[i]); word {
		case "KEEPTTL":
			keeps = true
		case "EX", "PX", "EXAT", "PXAT":
			if i++; i == len(args) {
				return syntaxError
			}
			expires = true
			unit := int64(1)
			if word[0] == 'E' {
				unit = 1000
			}
			if wrong == "" {
				wrong = badNumber("SET", args[i], unit, slices.Contains([]string{"EXAT", "PXAT"}, word))
			}
		}
	}
	if keeps && expires {
		return syntaxError
	}
	return wrong
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
