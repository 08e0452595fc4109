package sim

import (
	"slices"
	"time"
)

// NoSpace is the [Impair] event of a node whose disk is full. Its next write fails: with
// [AOFEverySec] it is answered all the same and lost if the server ends before there is
// room; further writes are refused ([DiskFull]). With [AOFAlways] the server exits without
// an answer. A node that writes no append-only file does not notice.
const NoSpace = "out of disk space"

// FillDisk leaves the node's append-only file no room, until [Node.FreeDisk] for the same
// fault. Controller context only.
func (n *Node) FillDisk(fault string) {
	n.disk.full.Add(fault)
	n.world.Emit(Event{Kind: Impair, Node: n.Name, Detail: NoSpace, Fault: fault})
}

// FreeDisk makes room again. Controller context only.
func (n *Node) FreeDisk(fault string) {
	n.world.Emit(Event{Kind: Recover, Node: n.Name, Detail: NoSpace, Fault: fault})
	if !n.disk.full.Remove(fault) {
		return
	}
	n.world.At((n.world.now/time.Second+1)*time.Second, func() { // the server tries again once a second
		if n.disk.failed && n.up && len(n.disk.full) == 0 {
			n.disk.failed = false
			n.Grant(DiskFull, n.disk.blamed)
		}
	})
}

// appended is what belongs into the node's file at a time since the last tick: its memory,
// unless the disk is full.
func (n *Node) appended(at time.Duration) []Entry { return n.contents(n.clock.Read(at)) }

func (n *Node) contents(reading time.Duration) []Entry {
	if n.disk.failed {
		return n.disk.written
	}
	return n.memoryUntil(reading)
}

// beforeFailure returns the memory before a command whose write may fail; nil when it cannot.
func (d *disk) beforeFailure(n *Node) []Entry {
	appends := n.config.Persistence == AOFEverySec || n.config.Persistence == AOFAlways
	if len(d.full) == 0 || d.failed || !appends {
		return nil
	}
	return append([]Entry{}, n.memoryUntil(n.reading)...)
}

// noteFailure lets the server react to a command that has changed the memory and not the
// file. An exit undoes the command: nobody has seen it.
func (d *disk) noteFailure(n *Node, before []Entry) {
	same := func(a, b Entry) bool { return a.Key == b.Key && a.Deadline == b.Deadline && a.SameValue(b) }
	if before == nil || slices.EqualFunc(before, n.image(), same) {
		return
	}
	d.failed, d.written, d.blamed = true, before, d.full[0]
	if n.config.Persistence == AOFAlways {
		n.Crash(ProcessCrash, d.blamed)
		return
	}
	n.world.At(n.world.now, func() {
		if d.failed && n.up {
			n.Refuse(DiskFull, d.blamed)
		}
	})
}
