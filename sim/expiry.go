package sim

import (
	"maps"
	"slices"
	"time"
)

// shownKey is a key as the trace last showed it.
type shownKey struct {
	value    string
	deadline time.Duration // on the node's clock; Forever without a TTL
}

// look returns a key as the trace shows it, and notes when it expires.
func (n *Node) look(key string) (value string, ttl time.Duration) {
	value, err := n.engine.Get(key)
	if err != nil && !n.engine.Exists(key) {
		delete(n.keys, key)
		return "", 0
	}
	if err != nil {
		value = "(" + n.engine.Type(key) + ")"
	}
	ttl = n.engine.TTL(key)
	state := shownKey{value: n.world.recorder.Name(value), deadline: Forever}
	if ttl > 0 {
		state.deadline = n.clock.Read(n.world.now) + ttl
	} else {
		ttl = -1
	}
	n.keys[key] = state
	return state.value, ttl
}

// watchExpiry schedules expireKeys for the earliest deadline of all keys. An engine
// removes expired keys without a word; the world needs an event at the right
// instant, for triggers of faults and for pictures.
func (n *Node) watchExpiry() {
	next := Forever
	for _, k := range n.keys { // the minimum does not depend on the order
		next = min(next, k.deadline)
	}
	w := n.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if next == Forever {
		return
	}
	at, ok := n.clock.WhenReads(next, w.now)
	if !ok || (n.expiry.index >= 0 && n.expiry.at <= at) {
		return // the clock is frozen, or expireKeys runs early enough
	}
	w.queue.drop(&n.expiry)
	n.expiry = action{at: at, rank: rankOf(rankNode, n.index, 0), do: n.expireKeys}
	w.queue.push(&n.expiry)
}

// expireKeys records which keys have expired.
func (n *Node) expireKeys() {
	if !n.up {
		return
	}
	before := n.disk.beforeFailure(n)
	n.tick()
	if n.disk.noteFailure(n, before); !n.up { // its disk is full
		return
	}
	reading, life := n.clock.Read(n.world.now), n.life
	for _, key := range slices.Sorted(maps.Keys(n.keys)) {
		state := n.keys[key]
		switch {
		case state.deadline > reading:
		case n.engine.Exists(key):
			n.look(key)
		default:
			delete(n.keys, key)
			n.world.Emit(Event{Kind: Expire, Node: n.Name, Key: key, Value: state.value})
			if n.life != life || !n.up { // an observer crashed it
				return
			}
		}
	}
	n.watchExpiry()
}
