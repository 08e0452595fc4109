package sim

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// receive accepts an arriving request.
func (n *Node) receive(m *Message) {
	w, c := n.world, m.conn
	if !n.up || c.gone {
		why := "the node is down"
		if n.up {
			why = "the node no longer knows this connection"
		}
		w.network.Drop(m, why)
		if !n.dark { // the kernel of the host answers for the server
			n.tellReset(c, "")
		}
		return
	}
	if w.options.Bare {
		w.recorder.count += 3
	} else {
		e := m.Event(Deliver)
		e.Conn = c.number
		w.emit(e)
		if c.gone { // an observer crashed the node or cut the connection
			return
		}
	}
	if len(n.stops)+len(n.service)+len(n.backlog) > 0 {
		n.backlog = append(n.backlog, m)
		n.serve()
		return
	}
	n.perform(m)
}

// perform executes a request and sends the answer back.
func (n *Node) perform(m *Message) {
	w, c := n.world, m.conn
	answer, shown := n.execute(c, m.args), ""
	if !w.options.Bare {
		shown = describeReply(answer, w.recorder.name)
		n.recordExecution(m, shown)
	}
	if c.gone {
		return
	}
	back := c.message(ToProcess)
	back.Number, back.Command, back.Key = m.Number, m.Command, m.Key
	back.Reply, back.answer = answer, shown
	back.launch()
}

// execute runs one request in the engine and returns the RESP answer.
func (n *Node) execute(c *conn, args []string) []byte {
	w := n.world
	if w.options.Respond != nil {
		return w.options.Respond(args)
	}
	n.tick()
	n.disk.beforeWrite(n)
	n.replica.beforeWrite(n)
	n.out.Reset()
	command := upper(args[0])
	switch {
	case (len(n.refusals) > 0 || c.doomed) && n.refuse(c, command):
	case command == "INFO" && (len(args) == 1 || strings.EqualFold(args[1], "server")):
		c.peer.WriteBulk(n.info())
	case isEval(command) && n.runScript(c, command, args):
	default:
		n.beforeDispatch(c, command, args)
		n.engine.Server().Dispatch(c.peer, args)
	}
	c.peer.Flush()
	if n.nested != "" {
		// When a script does not catch the error of a command, the interpreter rewords it.
		if answer := n.out.Bytes(); answer[0] == '-' && bytes.Contains(answer, []byte(n.nested)) {
			n.out.Reset()
			c.peer.WriteError(n.nested)
			c.peer.Flush()
		}
		n.nested = ""
	}
	return bytes.Clone(n.out.Bytes())
}

// beforeDispatch tracks what the engine does not tell: the transaction of a
// connection, and the cache of scripts.
func (n *Node) beforeDispatch(c *conn, command string, args []string) {
	switch {
	case command == "MULTI":
		c.transaction = true
	case command == "EXEC", command == "DISCARD":
		c.transaction, c.commands = false, nil
	case c.transaction:
		c.commands = append(c.commands, command)
	case command == "SCRIPT":
		n.beforeScript(args)
	case command == "FLUSHALL", command == "FLUSHDB":
		for _, key := range n.engine.Keys() { // the engine's own FLUSHALL does not disturb those who WATCH
			n.engine.Del(key)
		}
	}
}

// recordExecution records what a request did, with the state of every key that it
// may have changed, and schedules the expiry of these keys.
func (n *Node) recordExecution(m *Message, answer string) {
	w := n.world
	further := n.furtherKeys(m)
	e := Event{
		Kind: Execute, Process: m.Process, Node: n.Name, Conn: m.conn.number, Message: m.Number,
		Command: m.Command, Key: m.Key, Detail: answer,
	}
	if m.Key != "" {
		e.Value, e.TTL = n.look(m.Key)
	}
	w.emit(e)
	for _, key := range further {
		if m.conn.gone { // an observer crashed the node
			return
		}
		e.Key, e.Detail = key, "also"
		e.Value, e.TTL = n.look(key)
		w.emit(e)
	}
	if !m.conn.gone {
		n.watchExpiry()
	}
}

// furtherKeys returns the keys that a request may have changed, except its first:
// the others that it names, those of the transaction that it ends, and all keys
// that it flushes.
func (n *Node) furtherKeys(m *Message) []string {
	switch upper(m.args[0]) {
	case "EXEC", "DISCARD":
		keys := m.conn.queued
		m.conn.queued = nil
		slices.Sort(keys)
		return slices.Compact(keys)
	case "FLUSHALL", "FLUSHDB":
		return slices.Sorted(maps.Keys(n.keys))
	}
	further := namedKeys(m.args)
	if m.conn.transaction && m.Key != "" {
		m.conn.queued = append(append(m.conn.queued, m.Key), further...)
	}
	return further
}
