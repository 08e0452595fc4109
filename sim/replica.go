package sim

import "time"

// replica is an asynchronous copy of a node's memory, kept by a second server
// that would take the node's place. Like a disk it keeps images, not a second
// memory: one for each write that it has yet to hear of. Its clock is the node's.
type replica struct {
	kept   bool
	lag    time.Duration
	behind []replicaImage
	last   []entry // what it had when the node ended
}

// replicaImage is the memory before the write at that true time.
type replicaImage struct {
	at     time.Duration
	memory []entry
}

// Replicate gives the node an asynchronous replica, which hears of every write
// so much later. Of two lags the longer one holds. Controller context only, or
// while the world is being built.
func (n *Node) Replicate(lag time.Duration) {
	n.replica.kept, n.replica.lag = true, max(n.replica.lag, lag)
}

// beforeWrite keeps the memory before what may be a write.
func (r *replica) beforeWrite(n *Node) {
	if !r.kept || r.lag == 0 {
		return
	}
	now := n.world.now
	for len(r.behind) > 0 && r.behind[0].at <= now-r.lag {
		r.behind = r.behind[1:]
	}
	r.behind = append(r.behind, replicaImage{now, n.image()})
}

// end keeps what the replica has when the node is gone: what it has not heard
// of by then it never will.
func (r *replica) end(n *Node, memory []entry) {
	r.last = memory
	for _, image := range r.behind {
		if image.at > n.world.now-r.lag {
			r.last = image.memory
			break
		}
	}
	r.behind = nil
}

// Promoted is what the event of a restart says when it was a failover.
const Promoted = "a replica is promoted"

// Promote puts the replica into the place of a node that is down: another
// process with another run id, which has been up for as long as the node at
// the start of the run, and which never heard of the last writes. Its cache of
// scripts is empty. Controller context only.
func (n *Node) Promote(fault string) {
	if n.up {
		return
	}
	n.boot()
	n.started = n.first
	n.disk.synced, n.disk.syncedAt = n.replica.last, n.world.now
	if n.config.Persistence == NoPersistence || n.config.Persistence == "" {
		n.disk.synced = nil
	}
	n.restore(n.replica.last, Event{Kind: Restart, Node: n.Name, Detail: Promoted, Fault: fault})
}
