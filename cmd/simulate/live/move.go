package live

import (
	"slices"

	"redlocklab/sim"
)

// move is a fault that leads new connections elsewhere.
type move struct{ to, fault string }

// Move implements faults.NodeHandle.
func (s *server) Move(to string, fault string) {
	s.moves = append(slices.DeleteFunc(s.moves, func(m move) bool { return m.fault == fault }), move{to, fault})
	s.moved(fault)
}

// MoveBack implements faults.NodeHandle.
func (s *server) MoveBack(fault string) {
	s.moves = slices.DeleteFunc(s.moves, func(m move) bool { return m.fault == fault })
	s.moved(fault)
}

func (s *server) moved(fault string) {
	e := sim.Event{Kind: sim.Moved, Node: s.name, Fault: fault}
	if d := s.destination(); d != s {
		e.Detail = d.name
	}
	s.cluster.Emit(e)
}

// destination is the server that a new connection to this one's address reaches.
func (s *server) destination() *server {
	if len(s.moves) == 0 {
		return s
	}
	to := s.moves[len(s.moves)-1].to
	i := slices.IndexFunc(s.cluster.servers, func(o *server) bool { return o.name == to })
	return s.cluster.servers[i] // the plan was validated
}
