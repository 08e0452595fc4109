package sim

import (
	"slices"
	"time"
)

// entry is one key of an image of a node's memory.
type entry struct {
	key, value string
	fields     []string      // of a hash, in turn with their values
	deadline   time.Duration // on the node's clock; Forever without a TTL
}

func (e entry) sameValue(other entry) bool {
	return e.value == other.value && slices.Equal(e.fields, other.fields)
}

// shown is the value as [Node.look] shows it.
func (e entry) shown() string {
	if e.fields != nil {
		return "(hash)"
	}
	return e.value
}

// disk is what a node has written and synced. Memory itself is not kept a
// second time: an image is taken only when something is about to change after
// the instant that the image stands for.
type disk struct {
	synced   []entry       // what a power loss leaves
	syncedAt time.Duration // true time
	snapshot []entry       // RDB
	lost     []entry       // the memory at the crash
	lostAt   time.Duration
}

const syncEvery = time.Second // of appendfsync everysec

// beforeWrite brings the disk up to date with the sync points that have passed.
func (d *disk) beforeWrite(n *Node) {
	switch n.config.Persistence {
	case AOFEverySec:
		if d.passed(n.world.now, syncEvery) {
			d.synced = n.image()
		}
	case RDB:
		if every := n.config.SnapshotEvery; every > 0 && d.passed(n.world.now, every) {
			d.synced = n.image()
		}
	}
}

// passed reports whether a multiple of the interval lies between the last sync and now.
func (d *disk) passed(now, every time.Duration) bool {
	point := now / every * every
	if point <= d.syncedAt {
		return false
	}
	d.syncedAt = point
	return true
}

// image copies the node's memory: strings and hashes, the only types that locks
// use. A key of another type does not survive a restart ([FidelityRows] says so).
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

// Crash ends the node, without a word or by a clean shutdown. Its connections are
// cut; after a power loss nobody tells the clients. Controller context only.
func (n *Node) Crash(end End, fault string) {
	if !n.up {
		return
	}
	w := n.world
	n.disk.beforeWrite(n)
	memory := n.image()
	n.disk.lost, n.disk.lostAt = memory, w.now
	n.replica.end(n, memory)
	clear(n.keys) // a node that is down expires nothing
	n.up, n.dark = false, end == PowerLoss
	switch {
	case n.config.Persistence == NoPersistence || n.config.Persistence == "":
		n.disk.synced = nil
	case end == Shutdown, n.config.Persistence == AOFAlways,
		n.config.Persistence == AOFEverySec && end == ProcessCrash:
		n.disk.synced = memory
	}
	conns := n.conns
	n.conns = nil
	for _, c := range conns {
		c.gone = true
	}
	w.emit(Event{Kind: Crash, Node: n.Name, Detail: string(end), Fault: fault})
	n.forgetStops()
	n.stopLoading()
	if end != PowerLoss {
		for _, c := range conns {
			n.tellReset(c, fault)
		}
	}
}

// tellReset lets the kernel of a crashed server cut a connection.
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

// Restart brings the node up again with what its disk has. What it forgot or
// brought back is written into the trace. Controller context only.
func (n *Node) Restart(fault string) {
	if !n.up {
		n.boot()
		n.restore(n.disk.synced, Event{Kind: Restart, Node: n.Name, Fault: fault})
	}
}

// restore fills a memory that is empty, and writes down how the node came back.
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
	for _, e := range events { // all is known before an observer can crash the node again
		w.emit(e)
	}
}

// changedByRestart compares the memory at the crash with the present one.
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
			events = append(events, Event{Kind: Forget, Node: n.Name, Key: e.key, Value: n.world.recorder.name(e.shown()), TTL: left, Fault: fault})
		} else { // its time ran out while the node was down
			events = append(events, Event{Kind: Expire, Node: n.Name, Key: e.key, Value: n.world.recorder.name(e.shown())})
		}
	}
	for _, key := range sortedKeys(restored) {
		e := restored[key]
		if was, ok := lost[key]; !ok || !e.sameValue(was) {
			events = append(events, Event{Kind: Revive, Node: n.Name, Key: key, Value: n.world.recorder.name(e.shown()), TTL: n.remaining(e), Fault: fault})
		}
	}
	return events
}

// remaining is how long a key has to live from now on, in true time; -1 for
// ever, 0 when its time is over.
func (n *Node) remaining(e entry) time.Duration { return n.remainingAfter(e, n.world.now) }

// remainingAfter is remaining, judged by the clock as it ran since `since`, so that a
// step while the node was down does not count.
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
