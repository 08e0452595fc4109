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
		ttl: plan.Lock.TTL, reached: map[string]bool{},
		granted: map[string]map[string]bool{}, released: map[grant]bool{}, agreed: map[*sim.Operation]int{},
	}
	for _, n := range plan.World.Nodes {
		w.nodes = append(w.nodes, n.Name)
	}
	for _, c := range plan.Clients {
		w.clients = append(w.clients, c.Name)
	}
	for step := range w.Steps(events) {
		w.see(&step)
	}
	for _, token := range w.won {
		w.reach(ExactQuorum, len(w.nodes) > 1 && len(w.granted[token]) == w.quorum())
	}
	var names []string
	for _, m := range points {
		if w.reached[m.Name] {
			names = append(names, m.Name)
		}
	}
	return names
}

// grant is a token at a node.
type grant struct{ node, token string }

// watch is a trace, read up to some event, and the points that it came to.
type watch struct {
	sim.Reader
	ttl     time.Duration
	nodes   []string // their names
	clients []string // their names
	reached map[string]bool

	resources []string                   // of operations; keys with these names are votes
	granted   map[string]map[string]bool // token → nodes that ever granted it
	won       []string                   // tokens of leases
	released  map[grant]bool
	agreed    map[*sim.Operation]int // how many nodes did what it asked for
	lapsed    time.Duration          // end of the last lease that was not released; 0: none
}

// reach notes that the run came to a point, if it did.
func (w *watch) reach(name string, did bool) {
	if did {
		w.reached[name] = true
	}
}

func (w *watch) quorum() int { return len(w.nodes)/2 + 1 }

// lease is the lease that a client last acquired and has not released; nil: none.
func (w *watch) lease(client string) *sim.Lease {
	if l := w.Latest(client); l != nil && l.Released == nil {
		return l
	}
	return nil
}

// holds reports whether a client holds a lease at a time.
func (w *watch) holds(client string, at time.Duration) bool {
	l := w.lease(client)
	return l != nil && at < l.Until()
}

// held reports whether any client holds a lease at a time.
func (w *watch) held(at time.Duration) bool {
	return slices.ContainsFunc(w.clients, func(client string) bool { return w.holds(client, at) })
}

// in reports whether a client is in an operation with this purpose.
func (w *watch) in(client string, p sim.Purpose) bool {
	o := w.Open(client)
	return o != nil && o.Purpose == p
}

func (w *watch) see(step *sim.Step) {
	e := step.Event
	switch e.Kind {
	case sim.Call:
		if e.Resource != "" && !slices.Contains(w.resources, e.Resource) {
			w.resources = append(w.resources, e.Resource)
		}
	case sim.Acquired:
		w.reach(CloseSuccessor, w.lapsed > 0 && e.At-w.lapsed <= w.ttl/20)
		w.lapsed, w.won = 0, append(w.won, e.Value)
	case sim.Failed:
		w.failed(step)
	case sim.Deliver, sim.Execute, sim.Drop:
		if q := step.Request; q != nil && sim.PurposeOf(q.Command).AboutLock() && q.Key != "" {
			w.request(e, q)
		}
	case sim.Expire:
		if step.Change != nil {
			w.expire(step.Change.Before.Value)
		}
	case sim.Pause:
		w.reach(PauseOnVotes, w.in(e.Process, sim.PurposeAcquire) && w.agreed[w.Open(e.Process)] > 0)
	case sim.Cut:
		w.reach(HolderCut, w.held(e.At) && strings.HasPrefix(e.Detail, "partition"))
	case sim.Crash:
		w.reach(HolderCrash, e.Node == "" && w.holds(e.Process, e.At))
		for _, resource := range w.resources {
			w.reach(VoterCrash, e.Node != "" && w.At(e.Node, resource).Exists())
		}
	case sim.Restart:
		acquires := func(client string) bool { return w.in(client, sim.PurposeAcquire) }
		w.reach(RestartInAcquire, slices.ContainsFunc(w.clients, acquires))
	case sim.Forget, sim.Revive:
		w.reach(Forgotten, true)
	case sim.NodeCall:
		change := step.Change
		w.reach(Removed, change != nil && change.Lost() && slices.Contains(w.resources, change.Key))
	case sim.ClockStep:
		w.reach(StepBack, w.held(e.At) && e.Duration < 0)
		w.reach(StepForward, w.held(e.At) && e.Duration >= 0 && e.Node != "")
	}
}

// failed processes an operation that failed.
func (w *watch) failed(step *sim.Step) {
	o := step.Operation
	late := step.Event.Detail == "acquire: late"
	w.reach(LateWin, late)
	w.reach(SplitVote, !late && o != nil && o.Purpose == sim.PurposeAcquire && w.split())
	w.reach(PartialExtension, !late && o != nil && o.Purpose == sim.PurposeExtend && w.agreed[o] > 0)
}

// split reports whether several tokens have votes on one resource, and none a quorum.
func (w *watch) split() bool {
	return slices.ContainsFunc(w.resources, func(resource string) bool {
		count := map[string]int{}
		largest := 0
		for _, node := range w.nodes {
			if token := w.At(node, resource).Value; token != "" {
				count[token]++
				largest = max(largest, count[token])
			}
		}
		return len(count) > 1 && largest < w.quorum()
	})
}

// expire processes the expiry of a token on a node.
func (w *watch) expire(token string) {
	for _, client := range w.clients {
		if l := w.lease(client); l != nil && l.Token == token {
			w.reach(ExpiryBefore, true)
			w.reach(ExpiryInExtension, w.in(client, sim.PurposeExtend))
			w.lapsed = l.Until()
		}
	}
}

// request processes a command about a lock's key that arrived, was executed, or was lost.
func (w *watch) request(e *sim.Event, q *sim.Request) {
	purpose, token := sim.PurposeOf(q.Command), q.Token()
	granted := purpose == sim.PurposeAcquire && token != "" &&
		q.Effect != nil && q.Effect.Gained() && q.Effect.After.Value == token
	waited := q.Operation != nil && w.Open(q.Process) == q.Operation
	switch {
	case e.Kind == sim.Deliver:
		w.reach(GivenUpSet, purpose == sim.PurposeAcquire && !waited)
	case e.Kind == sim.Drop:
		w.reach(LostGrant, granted)
	case e != q.Executed: // it is about another key
	case granted:
		w.agreed[q.Operation]++
		if w.granted[token] == nil {
			w.granted[token] = map[string]bool{}
		}
		w.granted[token][e.Node] = true
		w.reach(SetAfterRelease, w.released[grant{e.Node, token}])
	case purpose == sim.PurposeRelease && token != "":
		w.released[grant{e.Node, token}] = true
	case purpose == sim.PurposeExtend && q.Executed.Detail == "1":
		w.agreed[q.Operation]++
	}
}
