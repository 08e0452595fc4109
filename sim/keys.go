package sim

import (
	"maps"
	"slices"
	"time"
)

// Forever is the end of a key that has no TTL.
const Forever = time.Duration(1<<62 - 1)

// KeyState is one key on one node, as far as the trace tells. The zero value
// is a key that does not exist.
type KeyState struct {
	Value string        // as the trace names it; empty when there is no such key
	Owner string        // the process whose command gave the key its value; empty when no client did
	Ends  time.Duration // true time at which the key should expire; [Forever] without a TTL
}

// Exists reports whether the node has the key.
func (s KeyState) Exists() bool { return s.Value != "" }

// KeyChange is what one event told about one key: its state before and after.
// The two may be equal, as after a command that was refused.
type KeyChange struct {
	Node, Key     string
	Before, After KeyState
}

// Gained reports whether the key has a value that it did not have before.
func (c *KeyChange) Gained() bool { return c.After.Exists() && c.After.Value != c.Before.Value }

// Lost reports whether the key existed before and does not exist now.
func (c *KeyChange) Lost() bool { return c.Before.Exists() && !c.After.Exists() }

// Keys follows which value each key has on each node, event by event, from
// nothing but the trace. It is the only reader that derives "which token lies on
// which node". These kinds of events change keys:
//
//   - [Execute] carries the state of a key after a command;
//   - [Expire], [Forget] and a [NodeCall] with the command [Removal] end a key;
//   - [Revive] brings a key back after a restart;
//   - [ClockStep] of a node moves the end of each of its keys.
//
// [Crash] and [Restart] change nothing by themselves: a [Forget], [Revive] or
// [Expire] follows the restart for each key that it changed. Two things are not
// exact. A key that a restart set back to an earlier deadline counts as lost until
// the next command shows it, because the trace has only a [Forget] for it. And Ends
// ignores the rate error of the node's clock.
//
// The zero value is ready for the first event of a trace. Keys is not safe for
// concurrent use.
type Keys struct {
	nodes   map[string]map[string]KeyState // node → key
	writers map[string]string              // value → the process that wrote it first
}

// Apply moves on by one event, which must be the next of the trace. It reports
// what the event told about a key; ok is false when it told nothing.
func (k *Keys) Apply(e *Event) (change KeyChange, ok bool) {
	switch e.Kind {
	case Execute, Revive:
		if e.Key == "" {
			return KeyChange{}, false
		}
		return k.set(e), true
	case Expire, Forget:
		return k.remove(e)
	case NodeCall:
		if e.Command == Removal {
			return k.remove(e)
		}
	case ClockStep:
		for name, key := range k.nodes[e.Node] { // each by itself: the order cannot be seen
			if key.Ends != Forever {
				key.Ends -= e.Duration
				k.nodes[e.Node][name] = key
			}
		}
	}
	return KeyChange{}, false
}

// set takes over the state of a key as the event shows it.
func (k *Keys) set(e *Event) KeyChange {
	c := KeyChange{Node: e.Node, Key: e.Key, Before: k.At(e.Node, e.Key)}
	if e.Value == "" {
		delete(k.nodes[e.Node], e.Key)
		return c
	}
	if k.nodes == nil {
		k.nodes, k.writers = map[string]map[string]KeyState{}, map[string]string{}
	}
	if k.nodes[e.Node] == nil {
		k.nodes[e.Node] = map[string]KeyState{}
	}
	c.After = KeyState{Value: e.Value, Owner: c.Before.Owner, Ends: Forever}
	if e.TTL > 0 {
		c.After.Ends = e.At + e.TTL
	}
	if c.Before.Value != e.Value {
		c.After.Owner = e.Process
		if e.Process == "" { // revived: it belongs to who wrote it
			c.After.Owner = k.writers[e.Value]
		}
	}
	if _, seen := k.writers[e.Value]; !seen && e.Process != "" {
		k.writers[e.Value] = e.Process
	}
	k.nodes[e.Node][e.Key] = c.After
	return c
}

// remove takes a key away; ok is false when the node does not have it.
func (k *Keys) remove(e *Event) (change KeyChange, ok bool) {
	before := k.At(e.Node, e.Key)
	delete(k.nodes[e.Node], e.Key)
	return KeyChange{Node: e.Node, Key: e.Key, Before: before}, before.Exists()
}

// At returns a key of a node; the zero KeyState when the node does not have it.
func (k *Keys) At(node, key string) KeyState { return k.nodes[node][key] }

// On lists the keys that a node has, in the order of their names.
func (k *Keys) On(node string) []string { return slices.Sorted(maps.Keys(k.nodes[node])) }
