package live

import (
	"context"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

// whileRunning calls f, and lets a stopped server answer it.
func (s *server) whileRunning(f func()) {
	if s.Halted() {
		_ = s.process.Process.Signal(continueSignal)
		defer func() { _ = s.process.Process.Signal(stopSignal) }()
	}
	f()
}

// failIfStopped reports whether the server is stopped, and fails the run then: a
// fault wants the server to do what a stopped one cannot.
func (s *server) failIfStopped(fault, what string) bool {
	if s.Halted() {
		s.cluster.fail("the fault %q: %s is stopped, and cannot %s", fault, s.name, what)
	}
	return s.Halted()
}

// command gives the server a command that must succeed, unless it is down.
func (s *server) command(args ...string) {
	if !s.up {
		return
	}
	command := make([]any, len(args))
	for i, a := range args {
		command[i] = a
	}
	var err error
	s.whileRunning(func() { err = s.admin.Do(context.Background(), command...).Err() })
	if err != nil {
		s.cluster.fail("%v on %s: %w", args, s.name, err)
	}
}

// Operator implements faults.NodeHandle.
func (s *server) Operator(fault string, args ...string) {
	cl := s.cluster
	if !s.up || s.failIfStopped(fault, "run "+args[0]) {
		return
	}
	before, ok := s.memory()
	if !ok {
		return
	}
	s.command(args...)
	e := sim.Event{Kind: sim.NodeCall, Node: s.name, Command: args[0], Detail: strings.Join(args, " "), Fault: fault}
	if _, keys, _ := cl.notation.Request(args); len(keys) > 0 {
		e.Key = keys[0]
	}
	cl.Emit(e)
	s.removed(before, fault)
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
	cl.Emit(sim.Event{
		Kind: sim.NodeCall, Node: s.name, Command: sim.Eviction, Detail: "of " + strconv.Itoa(keys), Fault: fault,
	})
	s.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
	s.command("CONFIG", "SET", "maxmemory", "1")
	for limit := time.Now().Add(answerLimit); cl.failure == nil; {
		left, err := s.admin.DBSize(context.Background()).Result()
		switch {
		case err != nil:
			cl.fail("DBSIZE on %s: %w", s.name, err)
		case time.Now().After(limit):
			cl.fail("%s does not evict: it has %d keys after %v", s.name, left, answerLimit)
		case left == 0:
			s.command("CONFIG", "SET", "maxmemory", "0")
			s.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
			if s.refuses(sim.MemoryFull) {
				s.command(refusals[sim.MemoryFull].begin...)
			}
			s.removed(before, fault)
			return
		}
	}
}
