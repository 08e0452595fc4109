package sim_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// wire speaks RESP without a driver, which would close a connection on which a
// node refuses, and word the errors anew.
type wire struct {
	connection net.Conn
	in         *bufio.Reader
}

// wire opens a connection.
func (p *conversation) wire() *wire {
	connection, err := p.dial()
	if err != nil {
		panic(err) // both servers are up
	}
	w := &wire{connection, bufio.NewReader(connection)}
	if p.protocol == 3 {
		w.ask("HELLO", "3")
	}
	return w
}

func (w *wire) close() { _ = w.connection.Close() }

// ask sends a command and returns the answer as text, errors word for word.
func (w *wire) ask(words ...string) string {
	request := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		request += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(w.connection, request); err != nil {
		return "broken connection"
	}
	return w.answer()
}

// scriptLine is what Redis adds to the error of a command that a script called.
var scriptLine = regexp.MustCompile(` script: [0-9a-f]{40}, on @user_script:\d+\.$`)

func (w *wire) answer() string {
	line, err := w.in.ReadString('\n')
	if err != nil {
		return "broken connection"
	}
	line = strings.TrimSuffix(line, "\r\n")
	count, _ := strconv.Atoi(line[1:]) // 0 where it is no number, and not used then
	switch {
	case line[0] == '-':
		return scriptLine.ReplaceAllString(line, "")
	case line[0] == '$' && count >= 0:
		text := make([]byte, count+2)
		if _, err := io.ReadFull(w.in, text); err != nil {
			return "broken connection"
		}
		return fmt.Sprintf("%q", text[:count])
	case line[0] == '_':
		return "nil"
	case line[0] == '%':
		for range 2 * count {
			w.answer()
		}
		return "a map"
	case line[0] == '*' && count >= 0:
		parts := make([]string, count)
		for i := range parts {
			parts[i] = w.answer()
		}
		return "[" + strings.Join(parts, " ") + "]"
	case line[0] == '$', line[0] == '*':
		return "nil"
	}
	return line
}
