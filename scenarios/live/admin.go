package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

// admin is the cluster's own connection to a server.
type admin struct {
	connection net.Conn
	reader     *bufio.Reader
}

func openAdmin(address string) (*admin, error) {
	c, err := net.DialTimeout("tcp", address, answerLimit)
	if err != nil {
		return nil, err
	}
	return &admin{c, bufio.NewReader(c)}, nil
}

func (a *admin) close() {
	if a != nil {
		_ = a.connection.Close()
	}
}

// ask sends one command and returns its answer as RESP.
func (a *admin) ask(args ...string) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	answer, err := exchange(a.connection, a.reader, b.Bytes())
	return string(answer), err
}

// exchange sends one request and reads its answer.
func exchange(w net.Conn, r *bufio.Reader, request []byte) ([]byte, error) {
	_ = w.SetDeadline(time.Now().Add(answerLimit))
	if _, err := w.Write(request); err != nil {
		return nil, err
	}
	return readAnswer(nil, r)
}

// readAnswer appends one complete RESP answer to b.
func readAnswer(b []byte, r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	b = append(b, line...)
	text := strings.TrimSpace(string(line))
	if text == "" {
		return nil, errors.New("an empty line where an answer begins")
	}
	switch text[0] {
	case '$':
		size, err := strconv.Atoi(text[1:])
		if err != nil || size < 0 {
			return b, err
		}
		start := len(b)
		b = append(b, make([]byte, size+2)...)
		_, err = io.ReadFull(r, b[start:])
		return b, err
	case '*':
		count, err := strconv.Atoi(text[1:])
		if err != nil {
			return nil, err
		}
		for range count {
			if b, err = readAnswer(b, r); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// bulks are the bulk strings of an answer, in order.
func bulks(answer string) []string {
	var list []string
	for answer != "" {
		line, rest, _ := strings.Cut(answer, "\r\n")
		if strings.HasPrefix(line, "$") {
			if size, _ := strconv.Atoi(line[1:]); size >= 0 && size <= len(rest) {
				list = append(list, rest[:size])
				rest = strings.TrimPrefix(rest[size:], "\r\n")
			}
		}
		answer = rest
	}
	return list
}

// entry is one key of a server. Locks use strings and hashes only.
type entry struct {
	value  string
	fields []string      // of a hash
	ttl    time.Duration // -1 for ever
	ends   time.Duration // true time, or sim.Forever; set by memory
}

// shown is the value as the simulator shows it.
func (e entry) shown() string {
	if e.fields != nil {
		return "(hash)"
	}
	return e.value
}

func (e entry) sameValue(other entry) bool {
	return e.value == other.value && slices.Equal(e.fields, other.fields)
}

// left is how long a key of a memory has to live; -1 for ever, 0 when it has expired.
func (e entry) left(now time.Duration) time.Duration {
	if e.ends == sim.Forever {
		return -1
	}
	return max(e.ends-now, 0)
}

// entry reads one key.
func (a *admin) entry(key string) (e entry, found bool, err error) {
	answer, err := a.ask("GET", key)
	switch {
	case err != nil:
		return e, false, err
	case strings.HasPrefix(answer, "$-1"):
		return e, false, nil
	case strings.HasPrefix(answer, "-WRONGTYPE"):
		if answer, err = a.ask("HGETALL", key); err != nil {
			return e, false, err
		}
		e.fields = append([]string{}, bulks(answer)...)
	default:
		if list := bulks(answer); len(list) == 1 {
			e.value = list[0]
		}
	}
	if answer, err = a.ask("PTTL", key); err != nil {
		return e, false, err
	}
	left, err := strconv.Atoi(strings.Trim(answer, ":\r\n"))
	if e.ttl = -1; left >= 0 { // less than a millisecond reads 0, which a trace would take for no end
		e.ttl = max(time.Duration(left)*time.Millisecond, 1)
	}
	return e, left != -2, err // -2: it expired between the two questions
}

// memory reads all keys of a server.
func (a *admin) memory(now func() time.Duration) (map[string]entry, error) {
	answer, err := a.ask("KEYS", "*")
	if err != nil {
		return nil, err
	}
	all := map[string]entry{}
	for _, key := range bulks(answer) {
		e, found, err := a.entry(key)
		if err != nil {
			return nil, err
		}
		if found {
			if e.ends = sim.Forever; e.ttl >= 0 {
				e.ends = now() + e.ttl
			}
			all[key] = e
		}
	}
	return all, nil
}
