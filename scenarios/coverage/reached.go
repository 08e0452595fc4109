package coverage

import (
	"slices"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Reached lists the points that a run came to, in the order of [Points].
func Reached(plan *plan.Plan, events []sim.Event) []string {
	w := &watch{
		ttl: plan.Lock.TTL, reached: map[string]bool{}, clients: map[string]*client{},
		granted: map[string]map[string]bool{}, released: map[grant]bool{}, messages: map[int]*message{},
	}
	for _, n := range plan.World.Nodes {
		w.nodes = append(w.nodes, n.Name)
	}
	for _, c := range plan.Clients {
		w.clients[c.Name] = &client{}
		w.order = append(w.order, c.Name)
	}
	for i := range events {
		w.see(&events[i])
	}
	w.end()
	var names []string
	for _, m := range Points() {
		if w.reached[m.Name] {
			names = append(names, m.Name)
		}
	}
	return names
}

// grant is a token at a node.
type grant struct{ node, token string }

// message is a command under way.
type message struct {
	purpose sim.Purpose
	token   string
	call    int  // number of the client's call in which it was sent
	granted bool // it set the key to its token
}

// client is the state of one client.
type client struct {
	calls     int    // number of operations that were called
	operation string // the open one; empty when there is none
	grants    int    // nodes that granted the open acquisition
	extended  int    // nodes that executed the open extension

	holding bool
	token   string        // of the lease
	until   time.Duration // when the lease ends, as its holder believes
}

// watch is the state of the reader of a trace.
type watch struct {
	ttl     time.Duration
	nodes   []string // their names
	reached map[string]bool

	order     []string // the clients' names
	clients   map[string]*client
	resources []string // resources of operations; keys with these names are votes
	keys      sim.Keys
	granted   map[string]map[string]bool // token → nodes that ever granted it
	won       []string                   // tokens of leases
	released  map[grant]bool
	messages  map[int]*message
	lapsed    time.Duration // end of the last lease that was not released; 0: none
}

func (w *watch) reach(name string) { w.reached[name] = true }

func (w *watch) quorum() int { return len(w.nodes)/2 + 1 }

// holders reports whether any client holds a lease at a time.
func (w *watch) holders(at time.Duration) bool {
	for _, name := range w.order {
		if c := w.clients[name]; c.holding && at < c.until {
			return true
		}
	}
	return false
}

// acquirers reports whether any client is in an acquisition.
func (w *watch) acquirers() bool {
	for _, name := range w.order {
		if w.clients[name].operation == "acquire" {
			return true
		}
	}
	return false
}

func (w *watch) see(e *sim.Event) {
	change, _ := w.keys.Apply(e)
	switch e.Kind {
	case sim.Call, sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		if c := w.clients[e.Process]; c != nil {
			w.client(c, e)
		}
	case sim.Send, sim.Deliver, sim.Execute, sim.Drop:
		w.command(e, &change)
	case sim.Expire:
		w.expire(change.Before.Value)
	case sim.Pause:
		if c := w.clients[e.Process]; c != nil && c.operation == "acquire" && c.grants > 0 {
			w.reach(PauseOnVotes)
		}
	case sim.Cut:
		if w.holders(e.At) && strings.HasPrefix(e.Detail, "partition") {
			w.reach(HolderCut)
		}
	case sim.Crash, sim.Restart, sim.Forget, sim.Revive, sim.NodeCall, sim.ClockStep:
		w.fault(e, &change)
	}
}

// client processes an event of a client.
func (w *watch) client(c *client, e *sim.Event) {
	switch e.Kind {
	case sim.Call:
		if e.Resource != "" && !slices.Contains(w.resources, e.Resource) {
			w.resources = append(w.resources, e.Resource)
		}
		c.calls++
		c.operation, c.grants, c.extended = e.Detail, 0, 0
		c.holding = c.holding && e.Detail != "release"
		return
	case sim.Acquired:
		if w.lapsed > 0 && e.At-w.lapsed <= w.ttl/20 {
			w.reach(CloseSuccessor)
		}
		w.lapsed = 0
		c.holding, c.token, c.until = true, e.Value, e.At+e.Duration
		w.won = append(w.won, e.Value)
	case sim.Extended:
		c.until = e.At + e.Duration
	case sim.Failed:
		w.failed(c, e)
	}
	c.operation = ""
}

// failed processes an operation that failed.
func (w *watch) failed(c *client, e *sim.Event) {
	switch {
	case e.Detail == "acquire: late":
		w.reach(LateWin)
	case c.operation == "acquire" && w.split():
		w.reach(SplitVote)
	case c.operation == "extend" && c.extended > 0:
		w.reach(PartialExtension)
	}
}

// split reports whether several tokens have votes on one resource, and none a quorum.
func (w *watch) split() bool {
	return slices.ContainsFunc(w.resources, func(resource string) bool {
		count := map[string]int{}
		largest := 0
		for _, node := range w.nodes {
			if token := w.keys.At(node, resource).Value; token != "" {
				count[token]++
				largest = max(largest, count[token])
			}
		}
		return len(count) > 1 && largest < w.quorum()
	})
}

// expire processes the expiry of a token on a node.
func (w *watch) expire(token string) {
	if token == "" {
		return
	}
	for _, name := range w.order {
		c := w.clients[name]
		if !c.holding || c.token != token {
			continue
		}
		w.reach(ExpiryBefore)
		if c.operation == "extend" {
			w.reach(ExpiryInExtension)
		}
		w.lapsed = c.until
	}
}

// end checks what is known only after the whole run.
func (w *watch) end() {
	for _, token := range w.won {
		if len(w.nodes) > 1 && len(w.granted[token]) == w.quorum() {
			w.reach(ExactQuorum)
		}
	}
}
