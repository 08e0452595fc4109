package sim

import (
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/sim/resp"
)

// refused is one reason why a node refuses commands, and the fault behind it.
type refused struct{ why, fault string }

// Refuse makes the node refuse commands for a reason, such as [Busy]. Controller context only.
func (n *Node) Refuse(why, fault string) {
	n.refusals = append(n.refusals, refused{why, fault})
	n.world.Emit(Event{Kind: Impair, Node: n.Name, Detail: why, Fault: fault})
}

// Grant ends a refusal of the same reason and fault. Controller context only.
func (n *Node) Grant(why, fault string) {
	i := slices.Index(n.refusals, refused{why, fault})
	if i < 0 {
		return
	}
	wasReplica := n.isReplica()
	n.refusals = slices.Delete(n.refusals, i, i+1)
	if wasReplica && !n.isReplica() {
		n.identity.second = n.newReplicationID()
	}
	n.world.Emit(Event{Kind: Recover, Node: n.Name, Detail: why, Fault: fault})
}

// LoadFor makes a node that was just restarted refuse commands with [Loading] for
// d of true time. Controller context only.
func (n *Node) LoadFor(d time.Duration, fault string) {
	if !n.up || d == 0 {
		return
	}
	n.Refuse(Loading, fault)
	life := n.life
	n.world.At(n.world.now+d, func() {
		if n.life == life {
			n.Grant(Loading, fault)
		}
	})
}

// stopWork ends the refusals that only a running server causes, as the node has ended.
func (n *Node) stopWork() {
	for _, r := range slices.Clone(n.refusals) {
		if r.why == Loading || r.why == Busy || r.why == DiskFull {
			n.Grant(r.why, r.fault)
		}
	}
}

// refusalOf returns the error with which a command of a connection is refused, or "".
// The connection is nil when a script calls the command.
func (n *Node) refusalOf(c *conn, command string) string {
	who := asker{script: c == nil}
	if c != nil {
		who.stranger = c.stranger
	}
	for _, r := range n.refusals {
		if answer := refusalFor(r.why, who, command); answer != "" {
			return answer
		}
	}
	return ""
}

// greet notes on a new connection that it comes too late to be served: behind a
// password, or beyond the number of clients.
func (n *Node) greet(c *conn) {
	for _, why := range []string{Password, Crowded} {
		if n.refusesFor(why) {
			c.stranger = why
		}
	}
}

// refusesFor reports whether the node refuses commands for one of these reasons.
func (n *Node) refusesFor(reasons ...string) bool {
	return slices.ContainsFunc(n.refusals, func(r refused) bool { return slices.Contains(reasons, r.why) })
}

// refuse answers a command in place of the engine and reports whether it is
// refused. A command that is refused after MULTI makes EXEC fail. EXEC is also
// refused if any of the commands that it would run is refused by then.
func (n *Node) refuse(c *conn, command string) bool {
	switch command {
	case "EXEC":
		return n.refuseExec(c)
	case "DISCARD":
		c.doomed = false
	}
	answer := n.refusalOf(c, command)
	if answer == "" && c.transaction && !slices.Contains(neverQueued, command) && n.refusesFor(MemoryFull) {
		answer = refusalTexts[MemoryFull] // queueing needs memory for any command
	}
	if answer == "" {
		return false
	}
	c.doomed = c.doomed || c.transaction
	c.peer.WriteError(answer)
	return true
}

// neverQueued are the commands that act at once after MULTI.
var neverQueued = []string{"DISCARD", "EXEC", "QUIT", "RESET"}

// refuseExec discards a transaction of which a command was refused or is refused by
// now. It reports whether it did.
func (n *Node) refuseExec(c *conn) bool {
	why := ""
	for _, command := range c.commands {
		answer := n.refusalOf(c, command)
		if command == "PING" && (answer == refusalTexts[DiskError] || answer == refusalTexts[DiskFull]) {
			continue // it is refused only outside of transactions
		}
		if answer != "" && (why == "" || writes(command)) { // that it writes is looked at first
			why = "of: " + answer
		}
	}
	if c.doomed {
		why = "of previous errors."
	}
	if answer := n.refusalOf(c, "EXEC"); answer != "" {
		why = "of: " + answer
	}
	if why == "" {
		return false
	}
	c.doomed = false
	n.engine.Server().Dispatch(c.peer, []string{"DISCARD"})
	c.peer.Flush()
	n.out.Reset() // its answer
	c.transaction, c.commands = false, nil
	c.peer.WriteError("EXECABORT Transaction discarded because " + why)
	return true
}

// beforeNested answers a command that a script calls, when the node refuses it or
// when its arguments are wrong. The engine calls it before every command.
func (n *Node) beforeNested(peer *server.Peer, command string, args ...string) bool {
	answer := n.refusalOf(nil, command)
	if answer == "" && n.inScript {
		answer = resp.BadNumber(command, args)
	}
	if answer == "" {
		return false
	}
	n.nested = answer
	peer.WriteError(answer)
	return true
}
