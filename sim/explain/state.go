package explain

import (
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
)

// keyState is one key on one node, as far as the trace tells.
type keyState struct {
	value string
	owner string        // the process that gave the key its value; "" when nobody known did
	ends  time.Duration // true time at which it should run out; forever when it has no TTL
}

// forever is the end of a key that has no TTL.
const forever = time.Duration(1<<63 - 1)

// nodeState is what a node holds after some event.
type nodeState struct {
	name string
	down bool
	keys map[string]keyState
}

// names gives the node's keys in order.
func (n *nodeState) names() []string {
	names := make([]string, 0, len(n.keys))
	for name := range n.keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// processState is what a process is doing after some event.
type processState struct {
	name      string
	paused    bool
	crashed   bool
	done      bool
	operation string // the open operation with its resource, "acquire r"; "" when there is none
}

// state follows nodes and processes through a trace, event by event.
type state struct {
	nodes     []*nodeState
	processes []*processState
	owners    map[string]string // value -> the process that wrote it first
}

func newState(run *Run) *state {
	s := &state{owners: map[string]string{}}
	for _, name := range run.Nodes {
		s.nodes = append(s.nodes, &nodeState{name: name, keys: map[string]keyState{}})
	}
	for _, name := range run.Processes {
		s.processes = append(s.processes, &processState{name: name})
	}
	return s
}

func (s *state) node(name string) *nodeState {
	for _, n := range s.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}

func (s *state) process(name string) *processState {
	for _, p := range s.processes {
		if p.name == name {
			return p
		}
	}
	return nil
}

// change is what an event did to one key of one node.
type change struct {
	node, key     string
	before, after keyState
	had, has      bool // the key was there before, is there after
}

// gained reports that the key has a value that it did not have before.
func (c *change) gained() bool { return c.has && (!c.had || c.before.value != c.after.value) }

// lost reports that the key is gone.
func (c *change) lost() bool { return c.had && !c.has }

// apply moves the state past one event. It returns what the event did to keys:
// nothing for most events, one change for a command, several for a flush.
func (s *state) apply(e *sim.Event) []change {
	if p := s.process(e.Process); p != nil {
		p.apply(e)
	}
	n := s.node(e.Node)
	if n == nil {
		return nil
	}
	switch e.Kind {
	case sim.Crash:
		n.down = true
	case sim.Restart:
		n.down = false
	case sim.ClockStep:
		for _, name := range n.names() {
			if key := n.keys[name]; key.ends != forever {
				key.ends -= e.Duration
				n.keys[name] = key
			}
		}
	case sim.Execute, sim.Revive, sim.NodeCall:
		if e.Command == removed {
			return n.lose(e.Key)
		}
		if e.Key == "" {
			if e.Kind == sim.NodeCall && strings.HasPrefix(strings.ToLower(e.Command+e.Detail), "flush") {
				return s.clear(n)
			}
			return nil
		}
		return []change{s.set(n, e)}
	case sim.Expire, sim.Forget:
		return n.lose(e.Key)
	}
	return nil
}

// removed is the command of the events that follow an operator's, one per live
// key that it took away.
const removed = "(removed)"

// lose takes a key away, if it is there.
func (n *nodeState) lose(key string) []change {
	before, had := n.keys[key]
	if !had {
		return nil
	}
	delete(n.keys, key)
	return []change{{node: n.name, key: key, before: before, had: true}}
}

func (s *state) clear(n *nodeState) []change {
	var changes []change
	for _, name := range n.names() {
		changes = append(changes, change{node: n.name, key: name, before: n.keys[name], had: true})
	}
	clear(n.keys)
	return changes
}

// set takes over the state of a key after a command, as the event tells it.
func (s *state) set(n *nodeState, e *sim.Event) change {
	c := change{node: n.name, key: e.Key}
	c.before, c.had = n.keys[e.Key]
	if e.Value == "" {
		delete(n.keys, e.Key)
		return c
	}
	c.has = true
	c.after = keyState{value: e.Value, owner: c.before.owner, ends: forever}
	if e.TTL > 0 {
		c.after.ends = e.At + e.TTL
	}
	if !c.had || c.before.value != e.Value {
		c.after.owner = e.Process
		if e.Process == "" {
			c.after.owner = s.owners[e.Value]
		}
	}
	if _, seen := s.owners[e.Value]; !seen {
		s.owners[e.Value] = e.Process
	}
	n.keys[e.Key] = c.after
	return c
}

func (p *processState) apply(e *sim.Event) {
	switch e.Kind {
	case sim.Call:
		p.operation = operationName(e.Detail)
		if e.Resource != "" {
			p.operation += " " + e.Resource
		}
	case sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		p.operation = ""
	case sim.Pause:
		p.paused = true
	case sim.Resume:
		p.paused = false
	case sim.Crash:
		if e.Node == "" {
			p.crashed = true
		}
	case sim.Done:
		p.done = true
	}
}

// operationName takes the name of the operation from the detail of a call or a
// failure: "acquire: contended" is about "acquire".
func operationName(detail string) string {
	name, _, _ := strings.Cut(detail, ":")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	return name
}
