package sim

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"redlocklab/sim/resp"
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
	e := m.Event(Deliver)
	e.Conn = c.number
	w.Emit(e)
	if c.gone { // an observer crashed the node or cut the connection
		return
	}
	n.Accept(m)
}

// perform executes a request and sends the answer back, unless its connection was cut
// while it waited.
func (n *Node) perform(m *Message) {
	c := m.conn
	if c.gone {
		return
	}
	answer := n.execute(c, m.args)
	shown := n.world.recorder.Reply(answer)
	if c.gone { // the server has ended
		return
	}
	n.recordExecution(m, shown)
	if c.gone {
		return
	}
	back := c.message(ToProcess)
	back.Number, back.Command, back.Key = m.Number, m.Command, m.Key
	back.Reply, back.answer = answer, shown
	back.launch()
	if c.stranger == Crowded {
		n.tellReset(c, "")
	}
}

// execute runs one request in the engine and returns the RESP answer.
func (n *Node) execute(c *conn, args []string) []byte {
	command := strings.ToUpper(args[0])
	if resp.Reads(command) {
		n.tick()
	} else {
		n.beforeWrite()
	}
	n.out.Reset()
	before := n.disk.beforeFailure(n)
	defer func() { n.disk.noteFailure(n, before) }()
	switch {
	case c.stranger == Crowded:
		c.peer.WriteError(refusalTexts[Crowded])
	case (len(n.refusals) > 0 || c.doomed) && n.refuse(c, command):
	case command == "INFO" && (len(args) == 1 || strings.EqualFold(args[1], "server")):
		c.peer.WriteBulk(n.info())
	case command == "INFO" && len(args) == 2 && strings.EqualFold(args[1], "replication"):
		c.peer.WriteBulk(n.replicationInfo())
	case resp.IsEval(command) && n.runScript(c, command, args):
	default:
		args, wrong := conditional(command, args)
		if wrong != "" {
			c.doomed = c.transaction
			c.peer.WriteError(wrong)
			break
		}
		command = strings.ToUpper(args[0])
		args = resp.LastOfEach(command, args)
		wrong = resp.BadNumber(command, args[1:])
		if wrong != "" && !c.transaction { // in a transaction, Redis looks at numbers in EXEC
			c.peer.WriteError(wrong)
			break
		}
		n.beforeDispatch(c, command, args)
		n.inScript = resp.IsEval(command)
		n.engine.Server().Dispatch(c.peer, args)
		n.inScript = false
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

// beforeDispatch tracks states that the engine does not show: the transaction of a
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
		for _, key := range n.engine.Keys() { // the engine's own FLUSHALL does not disturb clients that WATCH
			n.engine.Del(key)
		}
	}
}

// recordExecution records the execution of a request, with the state of every key that it
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
	w.Emit(e)
	for _, key := range further {
		if m.conn.gone { // an observer crashed the node
			return
		}
		e.Key, e.Detail = key, "also"
		e.Value, e.TTL = n.look(key)
		w.Emit(e)
	}
	if !m.conn.gone {
		n.watchExpiry()
	}
}

// furtherKeys returns the keys that a request may have changed, except its first:
// the others that it names, those of the transaction that it ends, and all keys
// that it flushes.
func (n *Node) furtherKeys(m *Message) []string {
	switch strings.ToUpper(m.args[0]) {
	case "EXEC", "DISCARD":
		keys := m.conn.queued
		m.conn.queued = nil
		slices.Sort(keys)
		return slices.Compact(keys)
	case "FLUSHALL", "FLUSHDB":
		return slices.Sorted(maps.Keys(n.keys))
	}
	further := resp.FurtherKeys(m.args)
	if m.conn.transaction && m.Key != "" {
		m.conn.queued = append(append(m.conn.queued, m.Key), further...)
	}
	return further
}
