package live

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

// whileRunning calls f, and lets a stopped server answer it.
func (s *server) whileRunning(f func()) {
	if len(s.stops) > 0 {
		_ = s.process.Process.Signal(continueSignal)
		defer func() { _ = s.process.Process.Signal(stopSignal) }()
	}
	f()
}

// failIfStopped reports whether the server is stopped, and fails the run then: a
// fault wants the server to do what a stopped one cannot.
func (s *server) failIfStopped(fault, what string) bool {
	if len(s.stops) > 0 {
		s.cluster.fail("the fault %q: %s is stopped, and cannot %s", fault, s.name, what)
	}
	return len(s.stops) > 0
}

// configure gives the server a command that must succeed. One that is down gets it
// when it is up again.
func (s *server) configure(command ...any) {
	if !s.up {
		return
	}
	var err error
	s.whileRunning(func() { err = s.admin.Do(context.Background(), command...).Err() })
	if err != nil {
		s.cluster.fail("%v on %s: %w", command, s.name, err)
	}
}

// Operator implements faults.NodeHandle.
func (s *server) Operator(fault string, args ...string) string {
	cl := s.cluster
	if !s.up {
		return "-ERR node is down\r\n"
	}
	if s.failIfStopped(fault, "run "+args[0]) {
		return ""
	}
	before, ok := s.memory()
	if !ok {
		return ""
	}
	var command []any
	for _, a := range args {
		command = append(command, a)
	}
	answer, err := s.admin.Do(context.Background(), command...).Result()
	if err != nil {
		cl.fail("%v on %s: %w", args, s.name, err)
		return ""
	}
	key := ""
	if len(args) > 1 {
		key = args[1]
	}
	cl.Emit(sim.Event{Kind: sim.NodeCall, Node: s.name, Command: args[0], Key: key, Detail: strings.Join(args, " "), Fault: fault})
	s.removed(before, fault)
	return fmt.Sprint(answer)
}

// Evict implements faults.NodeHandle. A server with a limit that it cannot keep
// evicts every key it has.
func (s *server) Evict(keys int, fault string) {
	cl := s.cluster
	if !s.up || s.failIfStopped(fault, "evict") {
		return
	}
	before, ok := s.memory()
	if !ok {
		return
	}
	if len(before) > keys {
		cl.fail("the fault %q evicts %d keys of %s, which has %d: a real server would evict them all", fault, keys, s.name, len(before))
		return
	}
	cl.Emit(sim.Event{Kind: sim.NodeCall, Node: s.name, Command: sim.Eviction, Detail: "of " + strconv.Itoa(keys), Fault: fault})
	s.configure("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
	s.configure("CONFIG", "SET", "maxmemory", "1")
	for limit := time.Now().Add(answerLimit); cl.failure == nil; {
		left, err := s.admin.DBSize(context.Background()).Result()
		switch {
		case err != nil:
			cl.fail("DBSIZE on %s: %w", s.name, err)
		case time.Now().After(limit):
			cl.fail("%s does not evict: it has %d keys after %v", s.name, left, answerLimit)
		case left == 0:
			s.configure("CONFIG", "SET", "maxmemory", "0")
			s.configure("CONFIG", "SET", "maxmemory-policy", "noeviction")
			if s.refuses(sim.MemoryFull) {
				s.configure(refusals[sim.MemoryFull].begin...)
			}
			s.removed(before, fault)
			return
		}
	}
}
