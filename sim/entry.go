package sim

import (
	"slices"
	"time"
)

// Entry is one key in an image of the memory of a server, simulated or real. Locks use
// strings and hashes only.
type Entry struct {
	Key, Value string
	Fields     []string      // of a hash: field, value, field, value, …
	Deadline   time.Duration // on the node's clock, of a real server in true time; Forever without a TTL
}

// SameValue reports whether two entries differ in their deadlines at most.
func (e Entry) SameValue(other Entry) bool {
	return e.Value == other.Value && slices.Equal(e.Fields, other.Fields)
}

// Shown is the value in the form of [Node.look].
func (e Entry) Shown() string {
	if e.Fields != nil {
		return "(hash)"
	}
	return e.Value
}

// Restarted compares the memory of a server at its end with that after its restart.
type Restarted struct {
	Before, After []Entry // sorted by key
	Name          func(value string) string
	SameEnd       func(a, b time.Duration) bool
	Left          func(Entry) time.Duration // a key of Before would still live; -1 for ever, 0: it has expired
	Lives         func(Entry) time.Duration // a key of After still lives; -1 for ever
}

// Events are the events of the restart: the given one, and what it did to each key.
func (r Restarted) Events(restart Event) []Event {
	events := []Event{restart}
	tell := func(kind Kind, e Entry, ttl time.Duration, fault string) {
		value := r.Name(e.Shown())
		events = append(events, Event{Kind: kind, Node: restart.Node, Key: e.Key, Value: value, TTL: ttl, Fault: fault})
	}
	in := func(memory []Entry, key string) (e Entry, found bool) {
		if i := slices.IndexFunc(memory, func(e Entry) bool { return e.Key == key }); i >= 0 {
			return memory[i], true
		}
		return Entry{}, false
	}
	for _, was := range r.Before {
		is, found := in(r.After, was.Key)
		if found && is.SameValue(was) && r.SameEnd(is.Deadline, was.Deadline) {
			continue
		}
		if left := r.Left(was); left != 0 {
			tell(Forget, was, left, restart.Fault)
		} else { // it expired while the server was down
			tell(Expire, was, 0, "")
		}
	}
	for _, is := range r.After {
		if was, found := in(r.Before, is.Key); !found || !is.SameValue(was) {
			tell(Revive, is, r.Lives(is), restart.Fault)
		}
	}
	return events
}
