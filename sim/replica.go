package sim

import "time"

// replica is an asynchronous copy of a node's memory in a second server, which can
// be promoted. Like disk, it keeps no second memory but one image for each write
// that has not reached it yet. Its clock is that of the node.
type replica struct {
	kept   bool
	lag    time.Duration
	behind []replicaImage
	last   []entry // the memory of the replica when the node ended
}

// replicaImage is the memory before the write at a true time.
type replicaImage struct {
	at     time.Duration
	memory []entry
}

// Replicate gives the node an asynchronous replica, which every write reaches lag
// later. Of two lags the longer one applies. Controller context only.
func (n *Node) Replicate(lag time.Duration) {
	n.replica.kept, n.replica.lag = true, max(n.replica.lag, lag)
}

// beforeWrite keeps the memory as it is before a command that may write.
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

// end keeps the memory that the replica has when the node ends. Later writes never
// reach it.
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

// Promoted is the Detail of a [Restart] event that is a failover.
const Promoted = "a replica is promoted"

// Promote replaces a node that is down by its replica. The replica is another
// process with another run id, and its cache of scripts is empty. It has been up
// since the node was first started, and lacks the writes that did not reach it.
// Controller context only.
func (n *Node) Promote(fault string) {
	if n.up {
		return
	}
	n.boot()
	n.started = n.first
	n.disk.file.begin(n.world.now, n.replica.last)
	n.restore(n.replica.last, Event{Kind: Restart, Node: n.Name, Detail: Promoted, Fault: fault})
}
