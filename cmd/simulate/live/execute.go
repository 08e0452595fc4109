package live

import (
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/proto"

	"redlocklab/sim"
)

// receive takes an arriving request in.
func (s *server) receive(m *message) {
	c := m.connection
	if !s.up || c.serverClosed {
		why := "the node is down"
		if s.up {
			why = "the node no longer knows this connection"
		}
		s.cluster.Drop(&m.Message, why)
		if !s.dark { // the host's kernel answers in the server's place
			c.packet(sim.ToProcess, func(*message) { c.reset("") })
		}
		return
	}
	s.cluster.Emit(m.event(sim.Deliver))
	if c.serverClosed { // a fault that the event triggered crashed the node, or cut the connection
		return
	}
	s.Accept(m)
}

// execute sends a request to the server, unchanged, and its answer back, unless the
// connection was cut while the request waited.
func (s *server) execute(m *message) {
	cl, c := s.cluster, m.connection
	if c.serverClosed {
		return
	}
	answer, err := c.exchange(m.request)
	if err != nil {
		cl.fail("%s gave no answer to %s: %w", s.name, m.Command, err)
		return
	}
	shown := cl.notation.Reply(answer)
	s.recordExecution(m, shown)
	if c.serverClosed {
		return
	}
	back := c.message(sim.ToProcess)
	back.Number, back.Command, back.Key = m.Number, m.Command, m.Key
	back.Reply, back.answer = answer, shown
	back.launch()
}

// recordExecution writes down what a request did to every key that it named.
func (s *server) recordExecution(m *message, answer string) {
	further := s.furtherKeys(m)
	e := m.event(sim.Execute)
	e.Detail = answer
	if m.Key != "" {
		e.Value, e.TTL = s.look(m.Key)
	}
	s.cluster.Emit(e)
	for _, key := range further {
		if m.connection.serverClosed {
			return
		}
		e.Key, e.Detail = key, "also"
		e.Value, e.TTL = s.look(key)
		s.cluster.Emit(e)
	}
}

// furtherKeys are the keys, but for the first that it names, that a request may
// have changed.
func (s *server) furtherKeys(m *message) []string {
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
		return s.cluster.keys.On(s.name)
	}
	if c.transaction {
		c.queued = append(c.queued, m.keys...)
	}
	return m.keys[min(len(m.keys), 1):]
}

// exchange sends one request to the server and reads its answer.
func (c *connection) exchange(request []byte) ([]byte, error) {
	_ = c.toServer.SetDeadline(time.Now().Add(answerLimit))
	if _, err := c.toServer.Write(request); err != nil {
		return nil, err
	}
	answer, err := proto.Read(c.replies)
	return []byte(answer), err
}
