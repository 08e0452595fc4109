package live

import (
	"context"
	"syscall"
	"time"

	"redlocklab/sim"
)

// Up implements faults.NodeHandle.
func (s *server) Up() bool { return s.up || s.starting }

// Crash implements faults.NodeHandle: kill -9, or SIGTERM for a clean shutdown.
// After a power loss the host says nothing either.
func (s *server) Crash(how sim.End, fault string) {
	cl := s.cluster
	if !s.up {
		cl.fail("the fault %q ends %s, which is only just starting: real servers take some 10 ms for that", fault, s.name)
		return
	}
	signal := syscall.SIGKILL
	if how == sim.Shutdown {
		if s.failIfStopped(fault, "shut down") {
			return
		}
		signal = syscall.SIGTERM
	}
	lost, ok := s.memory()
	if !ok {
		return
	}
	s.lost = lost
	s.up, s.dark = false, how == sim.PowerLoss
	s.Forget()
	s.kill(signal)
	connections := s.connections
	s.connections = nil
	for _, c := range connections {
		c.serverClosed = true
		_ = c.toServer.Close()
	}
	cl.Emit(sim.Event{Kind: sim.Crash, Node: s.name, Detail: string(how), Fault: fault})
	if s.dark {
		return
	}
	for _, c := range connections {
		c.packet(sim.ToProcess, func(*message) { c.reset(fault) })
	}
}

// Restart implements faults.NodeHandle. It takes the server as long as it takes:
// the event is written when the server answers.
func (s *server) Restart(fault string) {
	cl := s.cluster
	if s.Up() {
		return
	}
	s.starting = true
	cl.restarts.Go(func() {
		err := s.start()
		cl.inLoop(func() {
			s.starting = false
			if err != nil {
				cl.fail("%w", err)
				return
			}
			s.up, s.dark = true, false
			for _, r := range s.refusals {
				s.command(refusals[r.why].begin...)
			}
			s.EndStops()
			s.restarted(fault)
		})
	})
}

// sameEnd is by how much two readings of the end of one key may differ: Redis tells
// what is left in milliseconds, and the reading takes time.
const sameEnd = 50 * time.Millisecond

// restarted writes down the restart and what it did to each key: it compares the
// memory at the crash with the present one.
func (s *server) restarted(fault string) {
	cl := s.cluster
	present, ok := s.memory()
	if !ok {
		return
	}
	now := cl.Now()
	r := sim.Restarted{Before: s.lost, After: present, Name: cl.notation.Name}
	r.SameEnd = func(a, b time.Duration) bool { return (a - b).Abs() < sameEnd }
	r.Left = func(e sim.Entry) time.Duration { return left(e, now, 0) }
	r.Lives = func(e sim.Entry) time.Duration { return left(e, now, 1) } // 0 would be for ever
	events := r.Events(sim.Event{Kind: sim.Restart, Node: s.name, Fault: fault})
	for _, e := range events { // all is known before a fault that one of them triggers
		cl.Emit(e)
	}
	s.rewatch()
}

// saveEvery takes a snapshot at each multiple of the interval, as the simulator does.
func (s *server) saveEvery(interval time.Duration) {
	cl := s.cluster
	cl.At((cl.Now()/interval+1)*interval, func() {
		if s.up && !s.Halted() {
			if err := s.admin.Save(context.Background()).Err(); err != nil {
				cl.fail("SAVE on %s: %w", s.name, err)
			}
		}
		s.saveEvery(interval)
	})
}
