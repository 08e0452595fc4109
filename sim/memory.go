package sim

import (
	"maps"
	"slices"
	"time"
)

// The engine removes expired keys without a word, and only when it is asked for something.
// So the memory of a node moves in two ways only: [Node.tick] lets its time pass, and
// [Node.beforeWrite] stands before each change. Both first do what is due by then, on the
// memory as it was at that time: syncs, snapshots, and the ends of keys, which are writes
// for an append-only file and for a replica. Redis does the same in deleteExpiredKeyAndPropagate
// (db.c) and serverCron (server.c). No reader of the engine can come before it.

// tick sets the engine's time to that of the node's clock. The engine reduces its
// TTLs with the next command.
func (n *Node) tick() {
	reading := n.clock.Read(n.world.now)
	if n.up && (n.disk.file.every > 0 || n.replica.kept) {
		n.expireOnTheWay(reading)
		n.disk.file.pass(n.world.now, n.appended)
	}
	n.reading, n.ticked = reading, n.world.now
	n.engine.SetTime(epoch.Add(reading))
}

// settle is tick, but reduces the TTLs at once.
func (n *Node) settle() {
	n.tick()
	n.engine.Exists("")
}

// beforeWrite is to be called before a change of the memory.
func (n *Node) beforeWrite() {
	n.tick()
	n.replica.beforeWrite(n, n.world.now, n.reading)
	if n.disk.file.every > 0 {
		n.disk.file.change(n.world.now, n.appended)
	}
}

// expireOnTheWay writes the ends of the keys that expire before the clock shows a reading. A
// snapshot knows no such writes: the end of a key does not make another one due.
func (n *Node) expireOnTheWay(reading time.Duration) {
	if n.config.Persistence != AOFEverySec && !n.replica.kept {
		return
	}
	ends := map[time.Duration]bool{}
	for _, k := range n.keys {
		if k.deadline <= reading {
			ends[k.deadline] = true
		}
	}
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		at, _ := n.clock.WhenReads(end, n.ticked) // it is not frozen below: it shows more now
		n.replica.beforeWrite(n, at, end-1)
		if n.config.Persistence == AOFEverySec {
			n.disk.file.change(at, func(at time.Duration) []Entry { return n.contents(min(n.clock.Read(at), end-1)) })
		}
	}
}

// image copies the node's memory.
func (n *Node) image() []Entry {
	n.tick()
	return n.memoryUntil(n.clock.Read(n.world.now))
}

// memoryUntil copies the keys that the engine holds and whose deadline lies behind a reading
// of the clock: strings and hashes, the only types that locks use. Keys of other types do
// not survive a restart; see package fidelity.
func (n *Node) memoryUntil(reading time.Duration) []Entry {
	var image []Entry
	for _, key := range n.engine.Keys() {
		e := Entry{Key: key, Deadline: Forever}
		if ttl := n.engine.TTL(key); ttl > 0 {
			e.Deadline = n.reading + ttl
		}
		if e.Deadline <= reading {
			continue
		}
		if n.engine.Type(key) == "hash" {
			fields, _ := n.engine.HKeys(key) // the type was just checked
			for _, f := range fields {
				e.Fields = append(e.Fields, f, n.engine.HGet(key, f))
			}
		} else {
			value, err := n.engine.Get(key)
			if err != nil {
				continue
			}
			e.Value = value
		}
		image = append(image, e)
	}
	return image
}
