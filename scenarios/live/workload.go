package live

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"redlocklab/sim"
)

// workload is what a server has yet to do. A stopped server (SIGSTOP) is not
// waited for: what arrives for it waits here, and is sent to it when it goes on.
// A slow one gets its requests late, one at a time.
type workload struct {
	stops   sim.Causes
	service []share // how long a request takes, in all
	backlog []*message
	busy    bool
}

// share is what one fault adds to the time of a request.
type share struct {
	fault string
	time  func(*sim.Message) time.Duration
}

// Stop implements faults.NodeHandle.
func (s *server) Stop(fault string) {
	if !s.stops.Add(fault) {
		return
	}
	if s.up {
		_ = s.process.Process.Signal(stop) // a process that is gone shows at its next answer
	}
	s.ground.Emit(sim.Event{Kind: sim.Impair, Node: s.name, Detail: sim.Stopped, Fault: fault})
}

// Continue implements faults.NodeHandle.
func (s *server) Continue(fault string) {
	if !s.stops.Remove(fault) {
		return
	}
	s.ground.Emit(sim.Event{Kind: sim.Recover, Node: s.name, Detail: sim.Stopped, Fault: fault})
	if s.up {
		s.goOn()
	}
}

// goOn lets a server that was stopped do what has waited.
func (s *server) goOn() {
	_ = s.process.Process.Signal(goOn)
	for _, key := range s.ending() {
		deadline := s.keys[key].deadline
		s.ground.At(max(deadline+time.Millisecond, s.ground.Now()), func() { s.expire(key, deadline) })
	}
	s.serve()
}

// ending lists the keys that have an end, in the order of their ends: those that
// ran out during a stop are told in it.
func (s *server) ending() []string {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(s.keys)), func(key string) bool { return s.keys[key].deadline < 0 })
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.keys[a].deadline, s.keys[b].deadline), cmp.Compare(a, b))
	})
	return keys
}

// forgetStops ends every stop: the server's process is another one.
func (s *server) forgetStops() {
	s.backlog, s.busy = nil, false
	for len(s.stops) > 0 {
		s.Continue(s.stops[0])
	}
}

// SetService implements faults.NodeHandle.
func (s *server) SetService(service func(*sim.Message) time.Duration, fault string) {
	kind := sim.Recover
	s.service = slices.DeleteFunc(s.service, func(o share) bool { return o.fault == fault })
	if service != nil {
		kind = sim.Impair
		s.service = append(s.service, share{fault, service})
	}
	s.ground.Emit(sim.Event{Kind: kind, Node: s.name, Detail: sim.Slow, Fault: fault})
}

// serve begins with the first request that waits, if nothing hinders it.
func (s *server) serve() {
	if s.busy || len(s.stops) > 0 || len(s.backlog) == 0 {
		return
	}
	next, takes, life := s.backlog[0], time.Duration(0), s.life
	for _, share := range s.service {
		takes += share.time(&next.Message)
	}
	s.busy = true
	s.ground.in(takes, func() {
		if s.life != life || !s.up {
			return
		}
		s.busy = false
		if len(s.stops) > 0 {
			return
		}
		s.backlog = s.backlog[1:]
		if !next.connection.gone {
			s.perform(next)
		}
		s.serve()
	})
}

// awake lets a stopped server answer the laboratory for a moment.
func (s *server) awake(f func()) {
	if len(s.stops) > 0 {
		_ = s.process.Process.Signal(goOn)
		defer func() { _ = s.process.Process.Signal(stop) }()
	}
	f()
}
