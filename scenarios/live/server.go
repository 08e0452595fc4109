package live

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
)

// answerLimit is how long the ground waits for a server's answer, or for its
// start: a server of the same machine that takes longer is broken.
const answerLimit = 10 * time.Second

// server is one redis-server process and what the trace knows of it.
type server struct {
	faults.NodeHandle // what Unplayable refuses is never called

	ground  *ground
	name    string
	mode    sim.Persistence
	folder  string
	port    int
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	console *console

	workload
	refusals           []refusal
	unsaved            bool // its snapshots are to have failed
	up, dark, starting bool
	life               int
	connections        []*connection
	keys               map[string]keyState // as the trace last showed them
	lost               map[string]entry    // the memory at the last end
}

// keyState is what the trace last showed of a key.
type keyState struct {
	value    string
	deadline time.Duration // true time
}

// persistence are the server's arguments. A snapshot is taken when the ground
// asks for one: the condition given here never comes true by itself.
func persistence(mode sim.Persistence) []string {
	switch mode {
	case sim.RDB:
		return []string{"--save", "100000000 1", "--appendonly", "no"}
	case sim.AOFEverySec:
		return []string{"--save", "", "--appendonly", "yes", "--appendfsync", "everysec"}
	case sim.AOFAlways:
		return []string{"--save", "", "--appendonly", "yes", "--appendfsync", "always"}
	default:
		return []string{"--save", "", "--appendonly", "no"}
	}
}

// newServer makes a server that does not run yet, on a port of its own.
func newServer(g *ground, n sim.NodeConfig, folder string) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{
		ground: g, name: n.Name, mode: n.Persistence, folder: filepath.Join(folder, n.Name),
		port: listener.Addr().(*net.TCPAddr).Port, keys: map[string]keyState{}, unsaved: failsToSave(g.plan, n.Name),
	}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	return s, os.Mkdir(s.folder, 0o700)
}

func (s *server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// start starts the process and waits until it answers with its data loaded.
func (s *server) start() error {
	arguments := []string{
		"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.folder, "--loglevel", "warning",
		"--logfile", filepath.Join(s.folder, "log"), "--maxmemory-policy", "noeviction",
	}
	command := exec.Command("redis-server", append(arguments, persistence(s.mode)...)...)
	apart(command)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // killed processes have errors
		close(ended)
	}()
	s.process, s.ended = command, ended
	limit := time.Now().Add(answerLimit)
	for {
		if c, err := openConsole(s.address()); err == nil {
			if answer, err := c.ask("PING"); err == nil && strings.HasPrefix(answer, "+") {
				s.console = c
				if s.unsaved {
					return s.failToSave(c)
				}
				return nil
			}
			c.close()
		}
		select {
		case <-ended:
			log, _ := os.ReadFile(filepath.Join(s.folder, "log"))
			return fmt.Errorf("redis-server of %s ended at its start: %s", s.name, log)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(limit) {
			return fmt.Errorf("redis-server of %s does not answer", s.name)
		}
	}
}

// kill ends the process and waits for its end.
func (s *server) kill(how os.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(how)
	select {
	case <-s.ended:
	case <-time.After(answerLimit):
		_ = s.process.Process.Kill()
		<-s.ended
	}
	s.console.close()
}

// accept connects a client's connection to the server.
func (s *server) accept(c *connection) error {
	back, err := net.DialTimeout("tcp", s.address(), answerLimit)
	if err != nil {
		return err
	}
	c.back, c.reader = back, bufio.NewReader(back)
	s.connections = append(s.connections, c)
	return nil
}

// forget closes the server's half of a connection.
func (s *server) forget(c *connection) {
	c.gone = true
	if c.back != nil {
		_ = c.back.Close()
	}
	s.connections = slices.DeleteFunc(s.connections, func(o *connection) bool { return o == c })
}

// receive takes an arriving request in.
func (s *server) receive(m *message) {
	c := m.connection
	if !s.up || c.gone {
		why := "the node is down"
		if s.up {
			why = "the node no longer knows this connection"
		}
		s.ground.network.Drop(&m.Message, why)
		if !s.dark { // the host's kernel answers in the server's place
			c.packet(sim.ToProcess, func(*message) { c.reset("") })
		}
		return
	}
	if len(s.stops)+len(s.service)+len(s.backlog) > 0 {
		s.backlog = append(s.backlog, m)
		s.serve()
		return
	}
	s.perform(m)
}

// perform has a request executed, unchanged, and sends the answer back.
func (s *server) perform(m *message) {
	g, c := s.ground, m.connection
	e := m.Event(sim.Deliver)
	e.Conn = c.number
	g.Emit(e)
	if c.gone { // what the event set off crashed the node, or cut the connection
		return
	}
	answer, err := exchange(c.back, c.reader, m.bytes)
	if err != nil {
		g.fail("%s gave no answer to %s: %w", s.name, m.Command, err)
		return
	}
	shown := g.notation.Reply(answer)
	s.recordExecution(m, shown)
	if c.gone {
		return
	}
	back := c.message(sim.ToProcess)
	back.Number, back.Command, back.Key = m.Number, m.Command, m.Key
	back.Reply, back.answer = answer, shown
	g.launch(back)
}

// recordExecution writes down what a request did, with every key that it named.
func (s *server) recordExecution(m *message, answer string) {
	keys := append(m.keys[min(len(m.keys), 1):len(m.keys):len(m.keys)], s.further(m)...)
	e := sim.Event{
		Kind: sim.Execute, Process: m.Process, Node: s.name, Conn: m.connection.number, Message: m.Number,
		Command: m.Command, Key: m.Key, Detail: answer,
	}
	if m.Key != "" {
		e.Value, e.TTL = s.look(m.Key)
	}
	s.ground.Emit(e)
	for _, key := range keys {
		if m.connection.gone {
			return
		}
		e.Key, e.Detail = key, "also"
		e.Value, e.TTL = s.look(key)
		s.ground.Emit(e)
	}
}

// further are the keys that a request may have changed without naming them.
func (s *server) further(m *message) []string {
	c := m.connection
	switch strings.ToUpper(m.args[0]) {
	case "MULTI":
		c.transaction = true
	case "EXEC", "DISCARD":
		keys := c.queued
		c.transaction, c.queued = false, nil
		slices.Sort(keys)
		return slices.Compact(keys)
	case "FLUSHALL", "FLUSHDB":
		var keys []string
		for key := range s.keys {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return keys
	}
	if c.transaction {
		c.queued = append(c.queued, m.keys...)
	}
	return nil
}

// look returns a key as the trace shows it, and keeps watch over its end.
func (s *server) look(key string) (value string, ttl time.Duration) {
	e, found, err := s.console.entry(key)
	if err != nil {
		s.ground.fail("looking at %s on %s: %w", key, s.name, err)
		return "", 0
	}
	if !found {
		delete(s.keys, key)
		return "", 0
	}
	value = s.ground.notation.Name(e.shown())
	if e.ttl < 0 {
		s.keys[key] = keyState{value, -1}
		return value, -1
	}
	deadline := s.ground.Now() + e.ttl
	s.keys[key] = keyState{value, deadline}
	s.ground.At(deadline+time.Millisecond, func() { s.expire(key, deadline) })
	return value, e.ttl
}

// expire writes down that a key has ended, if nothing has happened to it since.
func (s *server) expire(key string, deadline time.Duration) {
	state, known := s.keys[key]
	if !s.up || !known || state.deadline != deadline || len(s.stops) > 0 {
		return // goOn looks again
	}
	if value, _ := s.look(key); value == "" {
		s.ground.Emit(sim.Event{Kind: sim.Expire, Node: s.name, Key: key, Value: state.value})
	}
}
