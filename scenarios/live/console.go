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
)

// console is the laboratory's own connection to a server.
type console struct {
	connection net.Conn
	reader     *bufio.Reader
}

func openConsole(address string) (*console, error) {
	c, err := net.DialTimeout("tcp", address, answerLimit)
	if err != nil {
		return nil, err
	}
	return &console{c, bufio.NewReader(c)}, nil
}

func (c *console) close() {
	if c != nil {
		_ = c.connection.Close()
	}
}

// ask sends one command and returns its answer as RESP.
func (c *console) ask(args ...string) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	answer, err := exchange(c.connection, c.reader, b.Bytes())
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

// entry is one key of a server's memory. Locks use strings and hashes only.
type entry struct {
	value    string
	fields   []string      // of a hash
	ttl      time.Duration // -1 for ever
	deadline time.Duration // true time; set by image
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

// entry looks at one key.
func (c *console) entry(key string) (e entry, found bool, err error) {
	answer, err := c.ask("GET", key)
	switch {
	case err != nil:
		return e, false, err
	case strings.HasPrefix(answer, "$-1"):
		return e, false, nil
	case strings.HasPrefix(answer, "-WRONGTYPE"):
		if answer, err = c.ask("HGETALL", key); err != nil {
			return e, false, err
		}
		e.fields = append([]string{}, bulks(answer)...)
	default:
		if list := bulks(answer); len(list) == 1 {
			e.value = list[0]
		}
	}
	if answer, err = c.ask("PTTL", key); err != nil {
		return e, false, err
	}
	left, err := strconv.Atoi(strings.Trim(answer, ":\r\n"))
	e.ttl = time.Duration(left) * time.Millisecond
	if left == -1 {
		e.ttl = -1
	}
	return e, left != -2, err // -2: it has ended between the two questions
}

// image copies a server's memory.
func (c *console) image(now func() time.Duration) (map[string]entry, error) {
	answer, err := c.ask("KEYS", "*")
	if err != nil {
		return nil, err
	}
	image := map[string]entry{}
	for _, key := range bulks(answer) {
		e, found, err := c.entry(key)
		if err != nil {
			return nil, err
		}
		if found {
			if e.deadline = -1; e.ttl >= 0 {
				e.deadline = now() + e.ttl
			}
			image[key] = e
		}
	}
	return image, nil
}
