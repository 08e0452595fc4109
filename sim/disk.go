package sim

import "time"

// disk holds the data that survives a crash of its node.
type disk struct {
	file   durableFile[[]Entry]         // of snapshots, or append-only and synced once a second
	slow   contributions[time.Duration] // how long its syncs take
	kept   []Entry                      // the data that a restart finds
	lost   []Entry                      // the memory at the crash
	lostAt time.Duration

	full    Causes  // what fills it
	written []Entry // the contents of the append-only file, once a write to it has failed
	failed  bool
	blamed  string // the fault that made it fail
}

// newDisk returns the disk of a node.
func newDisk(c NodeConfig) disk {
	switch c.Persistence {
	case AOFEverySec:
		return disk{file: durableFile[[]Entry]{every: time.Second, busy: true}}
	case RDB:
		return disk{file: durableFile[[]Entry]{every: c.SnapshotEvery}}
	}
	return disk{}
}

// persists reports whether the node writes anything to disk.
func (n *Node) persists() bool {
	return n.config.Persistence != NoPersistence && n.config.Persistence != ""
}

// after returns the data that survives the end of the node.
func (d *disk) after(n *Node, end End) []Entry {
	switch {
	case !n.persists():
		return nil
	case end == Shutdown, n.config.Persistence == AOFAlways:
		return n.appended(n.world.now)
	case n.config.Persistence == AOFEverySec && end == ProcessCrash:
		return d.file.afterKill(n.world.now, n.appended)
	}
	return d.file.afterPowerLoss(n.world.now, n.appended)
}

// SlowToSync is the Detail of an [Impair] event: the syncs of a node's disk take time.
const SlowToSync = "slow to sync its disk"

// SlowDisk makes the syncs that begin from now on take time, on behalf of a fault. The
// times of several faults add up. 0 ends the fault's part. Controller context only.
func (n *Node) SlowDisk(takes time.Duration, fault string) {
	kind := n.disk.slow.put(fault, takes, takes == 0)
	var sum time.Duration
	for _, s := range n.disk.slow {
		sum += s.value
	}
	n.tick()
	n.disk.file.slow(n.world.now, sum, n.appended)
	n.world.Emit(Event{Kind: kind, Node: n.Name, Detail: SlowToSync, Fault: fault})
}

// halt stops the syncs that a server would begin while it executes nothing, or lets them begin.
func (n *Node) halt(stopped bool) {
	n.tick()
	n.disk.file.halt(n.world.now, stopped, n.appended)
}

// Crash ends the node's server. Its connections are cut; after a power loss
// clients do not notice. Controller context only.
func (n *Node) Crash(end End, fault string) {
	if !n.up {
		return
	}
	w := n.world
	memory := n.image()
	if n.disk.failed && n.config.Persistence == AOFAlways {
		memory = n.disk.written
	}
	n.disk.lost, n.disk.lostAt = memory, w.now
	n.disk.kept = n.disk.after(n, end)
	n.replica.end(n, memory)
	clear(n.keys) // a node that is down does not expire keys
	n.up, n.dark = false, end == PowerLoss
	n.Forget()
	conns := n.conns
	n.conns = nil
	for _, c := range conns {
		c.gone = true
	}
	w.Emit(Event{Kind: Crash, Node: n.Name, Detail: string(end), Fault: fault})
	n.EndStops()
	n.stopWork()
	if end != PowerLoss {
		for _, c := range conns {
			n.tellReset(c, fault)
		}
	}
}

// tellReset sends the reset with which the kernel of a crashed server cuts a connection.
func (n *Node) tellReset(c *conn, fault string) {
	c.packet(ToProcess, func(*Message) {
		if !c.ended() {
			c.reset(fault)
		}
	})
}

// Restart starts the server again with the data on its disk. The trace shows
// which keys it forgot or brought back. Controller context only.
func (n *Node) Restart(fault string) {
	if !n.up {
		n.boot()
		n.disk.file.begin(n.world.now, n.disk.kept)
		n.restore(n.disk.kept, Event{Kind: Restart, Node: n.Name, Fault: fault})
	}
}

// restore fills an empty memory and records how it differs from the one at the crash.
func (n *Node) restore(image []Entry, cause Event) {
	w := n.world
	reading := n.clock.Read(w.now)
	for _, e := range image {
		if e.Deadline <= reading {
			continue
		}
		if e.Fields != nil {
			n.engine.HSet(e.Key, e.Fields...)
		} else {
			_ = n.engine.Set(e.Key, e.Value) // an empty engine holds no key of another type
		}
		if e.Deadline != Forever {
			n.engine.SetTTL(e.Key, e.Deadline-reading)
		}
	}
	restored := n.image()
	for _, e := range restored {
		n.look(e.Key)
	}
	r := Restarted{Before: n.disk.lost, After: restored, Name: w.recorder.Name}
	r.SameEnd = func(a, b time.Duration) bool { return a == b }
	r.Left = func(e Entry) time.Duration { return n.remainingAfter(e, n.disk.lostAt) }
	r.Lives = func(e Entry) time.Duration { return n.remainingAfter(e, w.now) }
	events := r.Events(cause)
	n.watchExpiry()
	for _, e := range events { // collected first: an observer may crash the node again
		w.Emit(e)
	}
}

// remainingAfter returns how long a key will live from now on, in true time, by the clock
// as it ran from `since` on. It is -1 without a TTL. It is 0 for a key that had expired at
// any time since then, even if the clock was stepped back.
func (n *Node) remainingAfter(e Entry, since time.Duration) time.Duration {
	if e.Deadline == Forever {
		return -1
	}
	end, ok := n.clock.WhenReads(e.Deadline, since)
	if !ok {
		return -1
	}
	return max(end-n.world.now, 0)
}
