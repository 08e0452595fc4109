package sim

import (
	"slices"
	"strings"
	"time"
)

// replica is an asynchronous copy of a node's memory in a second server, which can
// be promoted. Like disk, it keeps no second memory but one image for each write
// that has not reached it yet. Its clock is that of the node.
type replica struct {
	kept   bool
	lag    time.Duration
	behind []replicaImage
	last   []Entry // the memory of the replica when the node ended
	copied []Entry // the memory that a demoted node has copied from its replica
}

// replicaImage is the memory before the write at a true time.
type replicaImage struct {
	at     time.Duration
	memory []Entry
}

// Replicate gives the node an asynchronous replica, which every write reaches lag
// later. Of two lags the longer one applies. Controller context only.
func (n *Node) Replicate(lag time.Duration) {
	if !n.replica.kept {
		n.newReplicationID() // a server begins its stream of writes with its first replica
	}
	n.replica.kept, n.replica.lag = true, max(n.replica.lag, lag)
}

// beforeWrite keeps the memory as it is before a write, or before the end of a key, which
// reaches a replica as a DEL: what the node's clock had not yet ended at a reading.
func (r *replica) beforeWrite(n *Node, now, reading time.Duration) {
	if !r.kept || r.lag == 0 {
		return
	}
	for len(r.behind) > 0 && r.behind[0].at <= now-r.lag {
		r.behind = r.behind[1:]
	}
	r.behind = append(r.behind, replicaImage{now, n.memoryUntil(reading)})
}

// end keeps the memory that the replica has when the node ends. Later writes never
// reach it.
func (r *replica) end(n *Node, memory []Entry) {
	unheard := func(image replicaImage) bool { return image.at > n.world.now-r.lag }
	if i := slices.IndexFunc(r.behind, unheard); i >= 0 {
		memory = r.behind[i].memory
	}
	r.last, r.behind = memory, nil
}

// The Details of a [Restart] event that is a promotion: of another process after a failover, or
// of the same process after a demotion.
const (
	Promoted      = "a replica is promoted"
	PromotedAgain = "promoted again"
)

// Promote replaces a node that is down by its replica. The replica is another
// process with another run id, and its cache of scripts is empty. It has been up
// since the node was first started, and lacks the writes that did not reach it.
// Controller context only.
func (n *Node) Promote(fault string) {
	if n.up {
		return
	}
	master := n.identity.id
	n.boot()
	n.started, n.identity.second = n.first, master
	n.disk.file.begin(n.world.now, n.replica.last)
	n.restore(n.replica.last, Event{Kind: Restart, Node: n.Name, Detail: Promoted, Fault: fault})
}

// Demote makes the node a replica of its own replica, which is promoted without the writes
// that have not reached it. The node refuses writes until [Node.PromoteAgain]. Its process
// goes on. Controller context only.
func (n *Node) Demote(fault string) {
	if n.up {
		n.replica.end(n, n.image())
		n.replica.copied = n.replica.last
		n.Refuse(ReadOnly, fault)
	}
}

// PromoteAgain ends a demotion: the node has copied the memory of the other server, and is
// the master again. Controller context only.
func (n *Node) PromoteAgain(fault string) {
	if !n.up || !slices.Contains(n.refusals, refused{ReadOnly, fault}) {
		n.Grant(ReadOnly, fault)
		return
	}
	n.newReplicationID() // of the other server, for as long as that was the master
	n.disk.lost, n.disk.lostAt = n.image(), n.world.now
	for _, key := range n.engine.Keys() {
		n.engine.Del(key)
	}
	clear(n.keys)
	n.disk.file.begin(n.world.now, n.replica.copied)
	n.restore(n.replica.copied, Event{Kind: Restart, Node: n.Name, Detail: PromotedAgain, Fault: fault})
	n.Grant(ReadOnly, fault)
}

// replicationIdentity is what INFO replication says of a server's stream of writes.
type replicationIdentity struct {
	drawn      uint64 // how many ids
	id, second string // the second is empty before the server was a replica
}

// newReplicationID gives the server another replication id, and returns the one before.
func (n *Node) newReplicationID() (before string) {
	before = n.identity.id
	n.identity.drawn++
	n.identity.id = n.randomID("replication id", n.identity.drawn)
	return before
}

// isReplica reports whether the node is in a state in which INFO says so.
func (n *Node) isReplica() bool { return n.refusesFor(ReadOnly, MasterDown) }

// replicationInfo returns the answer to INFO replication, as far as locks ask for it.
func (n *Node) replicationInfo() string {
	role, second := "master", n.identity.second
	if n.isReplica() {
		role = "slave"
	}
	if second == "" {
		second = strings.Repeat("0", len(n.identity.id))
	}
	return "# Replication\r\nrole:" + role + "\r\nmaster_replid:" + n.identity.id + "\r\nmaster_replid2:" + second + "\r\n"
}
