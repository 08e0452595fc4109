package sim

import (
	"maps"
	"slices"
	"time"
)

// entry is one key in an image of a node's memory.
type entry struct {
	key, value string
	fields     []string      // of a hash: field, value, field, value, …
	deadline   time.Duration // on the node's clock; Forever without a TTL
}

func (e entry) sameValue(other entry) bool {
	return e.value == other.value && slices.Equal(e.fields, other.fields)
}

// shown is the value in the form of [Node.look].
func (e entry) shown() string {
	if e.fields != nil {
		return "(hash)"
	}
	return e.value
}

// disk holds the data that survives a crash of its node.
type disk struct {
	file   durableFile[[]entry]         // of snapshots, or append-only and synced once a second
	slow   contributions[time.Duration] // how long its syncs take
	kept   []entry                      // the data that a restart finds
	lost   []entry                      // the memory at the crash
	lostAt time.Duration

	full    Causes  // what fills it
	written []entry // the contents of the append-only file, once a write to it has failed
	failed  bool
	blamed  string // the fault that made it fail
}

// newDisk returns the disk of a node.
func newDisk(c NodeConfig) disk {
	switch c.Persistence {
	case AOFEverySec:
		return disk{file: durableFile[[]entry]{every: time.Second, busy: true}}
	case RDB:
		return disk{file: durableFile[[]entry]{every: c.SnapshotEvery}}
	}
	return disk{}
}

// persists reports whether the node writes anything to disk.
func (n *Node) persists() bool {
	return n.config.Persistence != NoPersistence && n.config.Persistence != ""
}

// after returns the data that survives the end of the node.
func (d *disk) after(n *Node, end End) []entry {
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
func (n *Node) restore(image []entry, cause Event) {
	w, fault := n.world, cause.Fault
	reading := n.clock.Read(w.now)
	for _, e := range image {
		if e.deadline <= reading {
			continue
		}
		if e.fields != nil {
			n.engine.HSet(e.key, e.fields...)
		} else {
			_ = n.engine.Set(e.key, e.value) // an empty engine holds no key of another type
		}
		if e.deadline != Forever {
			n.engine.SetTTL(e.key, e.deadline-reading)
		}
	}
	events := append([]Event{cause}, n.changedByRestart(fault)...)
	n.watchExpiry()
	for _, e := range events { // collected first: an observer may crash the node again
		w.Emit(e)
	}
}

// changedByRestart compares the memory at the crash with the present memory.
func (n *Node) changedByRestart(fault string) []Event {
	restored := map[string]entry{}
	for _, e := range n.image() {
		restored[e.key] = e
		n.look(e.key)
	}
	var events []Event
	tell := func(kind Kind, e entry, ttl time.Duration, fault string) {
		value := n.world.recorder.Name(e.shown())
		events = append(events, Event{Kind: kind, Node: n.Name, Key: e.key, Value: value, TTL: ttl, Fault: fault})
	}
	lost := map[string]entry{}
	for _, e := range n.disk.lost {
		lost[e.key] = e
		if now, ok := restored[e.key]; ok && now.sameValue(e) && now.deadline == e.deadline {
			continue
		}
		if left := n.remainingAfter(e, n.disk.lostAt); left != 0 {
			tell(Forget, e, left, fault)
		} else { // it expired while the node was down
			tell(Expire, e, 0, "")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(restored)) {
		e := restored[key]
		if was, ok := lost[key]; !ok || !e.sameValue(was) {
			tell(Revive, e, n.remainingAfter(e, n.world.now), fault)
		}
	}
	return events
}

// remainingAfter returns how long a key will live from now on, in true time, by the clock
// as it ran from `since` on. It is -1 without a TTL. It is 0 for a key that had expired at
// any time since then, even if the clock was stepped back.
func (n *Node) remainingAfter(e entry, since time.Duration) time.Duration {
	if e.deadline == Forever {
		return -1
	}
	end, ok := n.clock.WhenReads(e.deadline, since)
	if !ok {
		return -1
	}
	return max(end-n.world.now, 0)
}
