// Package resp reads the commands and answers of the Redis protocol as they are on the
// wire, and selects the parts that the trace shows.
package resp

import (
	"errors"
	"strconv"
	"strings"
)

var errFrame = errors.New("resp: not a RESP array of bulk strings")

// Cut parses the first command in b. size is its length in bytes, or 0 when the command
// is not complete yet. The error says that b is no RESP command.
func Cut(b []byte) (args []string, size int, err error) {
	if len(b) == 0 {
		return nil, 0, nil
	}
	count, i, err := header(b, 0, '*')
	if err != nil || i == 0 {
		return nil, 0, err
	}
	if count == 0 {
		return nil, 0, errFrame
	}
	// First pass: is the command complete?
	end := i
	for range count {
		length, next, err := header(b, end, '$')
		if err != nil || next == 0 {
			return nil, 0, err
		}
		end = next + length + 2
		if end > len(b) {
			return nil, 0, nil
		}
		if b[end-2] != '\r' || b[end-1] != '\n' {
			return nil, 0, errFrame
		}
	}
	// Second pass: the arguments are parts of one string, to save allocations.
	frame := string(b[:end])
	args = make([]string, count)
	for n := range args {
		length, next, _ := header(b, i, '$')
		args[n] = frame[next : next+length]
		i = next + length + 2
	}
	return args, end, nil
}

// longestFrame limits every count and length, as proto-max-bulk-len does in Redis.
const longestFrame = 512 << 20

// header parses "<mark><number>\r\n" at position i. It returns the number and the
// position after the line, or 0 when the line is not complete.
func header(b []byte, i int, mark byte) (number, next int, err error) {
	if i >= len(b) {
		return 0, 0, nil
	}
	if b[i] != mark {
		return 0, 0, errFrame
	}
	for j := i + 1; j < len(b); j++ {
		switch c := b[j]; {
		case c >= '0' && c <= '9':
			if number = number*10 + int(c-'0'); number > longestFrame {
				return 0, 0, errFrame
			}
		case c == '\r' && j > i+1:
			if j+1 >= len(b) {
				return 0, 0, nil
			}
			if b[j+1] != '\n' {
				return 0, 0, errFrame
			}
			return number, j + 2, nil
		default:
			return 0, 0, errFrame
		}
	}
	return 0, 0, nil
}

// Longest is the number of bytes of an answer that the trace shows.
const Longest = 120

// Describe returns a RESP answer as the trace shows it: on one line, cut off
// at [Longest]. name maps opaque values to their names.
func Describe(b []byte, name func(string) string) string {
	text, _ := describe(string(b), name)
	if len(text) > Longest {
		text = text[:Longest] + "…"
	}
	return strings.ReplaceAll(text, "\r\n", " ")
}

func describe(s string, name func(string) string) (text, rest string) {
	line, rest, ok := strings.Cut(s, "\r\n")
	if !ok || line == "" {
		return "?", ""
	}
	switch body := line[1:]; line[0] {
	case '+', ':', '-', '#', ',':
		return body, rest
	case '_':
		return "nil", rest
	case '$', '*':
		n, err := strconv.Atoi(body)
		switch text := line[0] == '$'; {
		case err != nil:
			return "?", ""
		case n < 0:
			return "nil", rest
		case text && n > len(rest)-2:
			return "?", ""
		case text:
			return name(rest[:n]), rest[n+2:]
		}
		parts := make([]string, 0, min(n, 8))
		for i := 0; i < n && rest != ""; i++ {
			var part string
			part, rest = describe(rest, name)
			parts = append(parts, part)
		}
		return "[" + strings.Join(parts, " ") + "]", rest
	}
	return "?", ""
}
