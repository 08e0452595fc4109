package live

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// workload is what a server has yet to do. The cluster does not wait for a stopped
// server (SIGSTOP): what arrives for it waits here until it goes on. A slow one
// gets its requests late, one at a time.
type workload struct {
	stops   sim.Causes
	service []serviceTime // of a request: the sum of all
	backlog []*message
	busy    bool
}

// serviceTime is what one fault adds to the time that a request takes.
type serviceTime struct {
	fault string
	of    func(*sim.Message) time.Duration
}

// Stop implements faults.NodeHandle.
func (s *server) Stop(fault string) {
	if !s.stops.Add(fault) {
		return
	}
	if s.up {
		_ = s.process.Process.Signal(stopSignal) // a process that is gone shows at its next answer
	}
	s.cluster.Emit(sim.Event{Kind: sim.Impair, Node: s.name, Detail: sim.Stopped, Fault: fault})
}

// Continue implements faults.NodeHandle.
func (s *server) Continue(fault string) {
	if !s.stops.Remove(fault) {
		return
	}
	if s.up {
		_ = s.process.Process.Signal(continueSignal)
	}
	s.cluster.Emit(sim.Event{Kind: sim.Recover, Node: s.name, Detail: sim.Stopped, Fault: fault})
	if s.up {
		s.rewatch()
		s.serve()
	}
}

// endStops ends every stop: the server is another process.
func (s *server) endStops() {
	s.backlog, s.busy = nil, false
	for len(s.stops) > 0 {
		s.Continue(s.stops[0])
	}
}

// SetService implements faults.NodeHandle.
func (s *server) SetService(service func(*sim.Message) time.Duration, fault string) {
	kind := sim.Recover
	s.service = slices.DeleteFunc(s.service, func(t serviceTime) bool { return t.fault == fault })
	if service != nil {
		kind = sim.Impair
		s.service = append(s.service, serviceTime{fault, service})
	}
	s.cluster.Emit(sim.Event{Kind: kind, Node: s.name, Detail: sim.Slow, Fault: fault})
}

// serve begins with the first request that waits, if nothing hinders it.
func (s *server) serve() {
	if s.busy || len(s.stops) > 0 || len(s.backlog) == 0 {
		return
	}
	next, takes, life := s.backlog[0], time.Duration(0), s.life
	for _, t := range s.service {
		takes += t.of(&next.Message)
	}
	s.busy = true
	s.cluster.after(takes, func() {
		if s.life != life || !s.up {
			return // the server crashed meanwhile
		}
		s.busy = false
		if len(s.stops) > 0 {
			return // it begins again when the server goes on
		}
		s.backlog = s.backlog[1:]
		if !next.connection.serverClosed {
			s.execute(next)
		}
		s.serve()
	})
}
