package sim

import (
	"maps"
	"slices"
	"time"

	"redlocklab/sim/durable"
	"redlocklab/sim/shared"
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

// disk is what a node keeps when it crashes.
type disk struct {
	file   durable.File[[]entry]       // of snapshots, or append-only and synced once a second
	slow   shared.Value[time.Duration] // how long its syncs take
	kept   []entry                     // what a restart finds
	lost   []entry                     // the memory at the crash
	lostAt time.Duration

	full    shared.Causes // what fills it
	written []entry       // what the append-only file has, once a write to it has failed
	failed  bool
	blamed  string // the fault that made it fail
}

// newDisk returns the disk of a node.
func newDisk(c NodeConfig) disk {
	switch c.Persistence {
	case AOFEverySec:
		return disk{file: durable.File[[]entry]{Every: time.Second}}
	case RDB:
		return disk{file: durable.File[[]entry]{Every: c.SnapshotEvery}}
	}
	return disk{}
}

// persists reports whether the node writes anything to disk.
func (n *Node) persists() bool {
	return n.config.Persistence != NoPersistence && n.config.Persistence != ""
}

// beforeWrite is called before a command that may change the memory.
func (d *disk) beforeWrite(n *Node) {
	if d.file.Every > 0 {
		d.file.Change(n.world.now, n.appended)
	}
}

// after returns what the disk keeps when the node ends.
func (d *disk) after(n *Node, end End) []entry {
	switch {
	case !n.persists():
		return nil
	case end == Shutdown, n.config.Persistence == AOFAlways:
		return n.appended()
	case n.config.Persistence == AOFEverySec && end == ProcessCrash:
		return d.file.AfterKill(n.world.now, n.appended)
	}
	return d.file.AfterPowerLoss(n.world.now, n.appended)
}

// SlowToSync is the Detail of an [Impair] event: the syncs of a node's disk take time.
const SlowToSync = "slow to sync its disk"

// SlowDisk makes the syncs that begin from now on take time, on behalf of a fault. The
// times of several faults add up. 0 ends the fault's part. Controller context only.
func (n *Node) SlowDisk(takes time.Duration, fault string) {
	kind := Impair
	n.disk.slow.Set(fault, takes)
	if takes == 0 {
		kind = Recover
		n.disk.slow.Drop(fault)
	}
	var sum time.Duration
	for _, s := range n.disk.slow {
		sum += s.Value
	}
	n.disk.file.Slow(n.world.now, sum, n.appended)
	n.world.emit(Event{Kind: kind, Node: n.Name, Detail: SlowToSync, Fault: fault})
}

// image copies the node's memory: strings and hashes, the only types that locks
// use. Keys of other types do not survive a restart; see package fidelity.
func (n *Node) image() []entry {
	n.tick()
	reading := n.clock.Read(n.world.now)
	var image []entry
	for _, key := range n.engine.Keys() {
		e := entry{key: key, deadline: Forever}
		if ttl := n.engine.TTL(key); ttl > 0 {
			e.deadline = reading + ttl
		}
		if n.engine.Type(key) == "hash" {
			fields, _ := n.engine.HKeys(key) // the type was just checked
			for _, f := range fields {
				e.fields = append(e.fields, f, n.engine.HGet(key, f))
			}
		} else {
			value, err := n.engine.Get(key)
			if err != nil {
				continue
			}
			e.value = value
		}
		image = append(image, e)
	}
	return image
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
	w.emit(Event{Kind: Crash, Node: n.Name, Detail: string(end), Fault: fault})
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
		c.mu.Lock()
		dead := c.closed || c.err != nil
		c.mu.Unlock()
		if !dead {
			c.reset(fault)
		}
	})
}

// Restart starts the server again with the data on its disk. The trace shows
// which keys it forgot or brought back. Controller context only.
func (n *Node) Restart(fault string) {
	if !n.up {
		n.boot()
		n.disk.file.Begin(n.world.now, n.disk.kept)
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
		w.emit(e)
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
	lost := map[string]entry{}
	for _, e := range n.disk.lost {
		lost[e.key] = e
		if now, ok := restored[e.key]; ok && now.sameValue(e) && now.deadline == e.deadline {
			continue
		}
		if left := n.remainingAfter(e, n.disk.lostAt); left != 0 {
			events = append(events, Event{Kind: Forget, Node: n.Name, Key: e.key, Value: n.world.recorder.Name(e.shown()), TTL: left, Fault: fault})
		} else { // it expired while the node was down
			events = append(events, Event{Kind: Expire, Node: n.Name, Key: e.key, Value: n.world.recorder.Name(e.shown())})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(restored)) {
		e := restored[key]
		if was, ok := lost[key]; !ok || !e.sameValue(was) {
			events = append(events, Event{Kind: Revive, Node: n.Name, Key: key, Value: n.world.recorder.Name(e.shown()), TTL: n.remaining(e), Fault: fault})
		}
	}
	return events
}

// remaining returns how long a key will live from now on, in true time. It is -1
// without a TTL and 0 when the key has expired.
func (n *Node) remaining(e entry) time.Duration { return n.remainingAfter(e, n.world.now) }

// remainingAfter is remaining by the clock as it ran from `since` on. A key that
// had expired at any time since then has 0, even if the clock was stepped back.
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
