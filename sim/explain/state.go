package explain

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// ClientState is the activity and the beliefs of a client at one moment.
type ClientState struct {
	Status string    `json:"status,omitempty"` // "crashed", "paused", "done", "in acquire r"; "" when it does nothing
	Holds  []Holding `json:"holds,omitempty"`
	Ballot *Ballot   `json:"ballot,omitempty"` // of its latest round about a lock; nil before the first
}

// Holding is a lease that a client believes in.
type Holding struct {
	Lease    string        `json:"lease"`
	Resource string        `json:"resource"`
	Until    time.Duration `json:"until"` // as far as the client knows at that moment
}

// Ballot is a round about a lock, as its client sees it.
type Ballot struct {
	Purpose sim.Purpose `json:"purpose"`
	Key     string      `json:"key"`
	Votes   []Vote      `json:"votes"` // of each node that the round asks
	Yes     int         `json:"yes"`   // how many count
	Need    int         `json:"need"`  // how many are a quorum
}

// Vote is one node's part in a round.
type Vote struct {
	Node string   `json:"node"`
	Mark VoteMark `json:"mark"`
	Why  string   `json:"why,omitempty"` // in words; "" for a vote that counts, and while nobody knows
}

// VoteMark says how a vote counts.
type VoteMark string

// The marks of votes.
const (
	VoteYes  VoteMark = "yes"
	VoteNo   VoteMark = "no"
	VoteOut  VoteMark = "out"  // the node agrees, but the vote does not count
	VoteLost VoteMark = "lost" // no answer will arrive
	VoteOpen VoteMark = "open" // no answer has arrived
)

// NodeState is the state of a node at one moment.
type NodeState struct {
	Down bool      `json:"down,omitempty"`
	Keys []HeldKey `json:"keys,omitempty"`
}

// HeldKey is one key of a node.
type HeldKey struct {
	Key   string        `json:"key"`
	Owner string        `json:"owner,omitempty"` // "" when no client set it
	Token string        `json:"token"`
	Ends  time.Duration `json:"ends"` // true time; [sim.Forever] without a TTL
}

// RegisterState is the content of a register of the protected resource.
type RegisterState struct {
	Writer string `json:"writer,omitempty"` // "" before the first write
	Value  string `json:"value,omitempty"`
	Stale  bool   `json:"stale,omitempty"` // the lease behind the write was over
}

// observer returns the states at a moment. It follows the keys event by event.
type observer struct {
	d       *digest
	teller  *teller
	keys    sim.Keys
	applied int // how many events the keys have seen
	calls   map[string][]*operation
	rounds  map[string][]*round // about locks, by client
	writes  map[string][]access // by register
}

func newObserver(d *digest) *observer {
	o := &observer{
		d: d, teller: &teller{d: d, run: d.run},
		calls: map[string][]*operation{}, rounds: map[string][]*round{}, writes: map[string][]access{},
	}
	for _, op := range d.operations {
		o.calls[op.Process] = append(o.calls[op.Process], op)
	}
	for _, r := range d.rounds {
		if r.purpose.AboutLock() && len(r.events) > 0 && r.cleans == nil {
			o.rounds[r.process] = append(o.rounds[r.process], r)
		}
	}
	for _, rounds := range o.rounds {
		slices.SortStableFunc(rounds, func(a, b *round) int { return a.begins() - b.begins() })
	}
	for _, a := range d.accesses {
		if a.wrote() {
			o.writes[a.register] = append(o.writes[a.register], a)
		}
	}
	return o
}

// latest returns the last element that begins no later than after some events; nil
// when there is none. The elements are in the order of their beginnings.
func latest[T any](all []T, events int, begins func(*T) int) *T {
	i := sort.Search(len(all), func(i int) bool { return begins(&all[i]) > events })
	if i == 0 {
		return nil
	}
	return &all[i-1]
}

func (o *observer) client(name string, m Moment) ClientState {
	s := ClientState{Status: o.status(name, m.Events)}
	for _, l := range o.d.run.held(name, m.At) {
		ended := o.d.ended(l.ID)
		if over := l.Released && ended > 0 && ended <= m.Events; !over && o.d.began(l.ID) <= m.Events {
			s.Holds = append(s.Holds, Holding{l.ID, l.Resource, l.believedUntil(m.At)})
		}
	}
	if r := latest(o.rounds[name], m.Events, func(r **round) int { return (*r).begins() }); r != nil {
		s.Ballot = o.ballot(*r, m.Events)
	}
	return s
}

func (o *observer) status(name string, events int) string {
	op := latest(o.calls[name], events, func(op **operation) int { return (*op).Call.Seq })
	switch {
	case o.d.in(sim.Crash, name, "", events):
		return "crashed"
	case o.d.in(sim.Pause, name, "", events):
		return "paused"
	case op != nil && ((*op).Return == nil || (*op).Return.Seq > events):
		return strings.TrimSpace("in " + (*op).Name + " " + (*op).Resource)
	case o.d.done[name] > 0 && o.d.done[name] <= events:
		return "done"
	}
	return ""
}

// ballot returns the votes of a round, as far as its client knows them.
func (o *observer) ballot(r *round, events int) *Ballot {
	b := &Ballot{Purpose: r.purpose, Key: r.key, Need: o.d.run.quorum(r.process)}
	for _, q := range r.requests {
		v := Vote{Node: q.Node, Mark: VoteOpen}
		if q.settled() > 0 && q.settled() <= events || q.Message == 0 && q.settled() == 0 {
			v.Mark, v.Why = o.mark(q)
		}
		if v.Mark == VoteYes {
			b.Yes++
		}
		b.Votes = append(b.Votes, v)
	}
	slices.SortStableFunc(b.Votes, func(x, y Vote) int {
		return slices.Index(o.d.run.Nodes, x.Node) - slices.Index(o.d.run.Nodes, y.Node)
	})
	return b
}

// mark says how the answer to a request counts, and why.
func (o *observer) mark(q *request) (VoteMark, string) {
	v := o.teller.vote(q)
	why := strings.TrimPrefix(v.words("", 1), " ")
	switch {
	case q.outcome() == silent:
		return VoteOpen, ""
	case q.outcome() != answered:
		return VoteLost, why
	case !q.granted():
		return VoteNo, why
	case !q.intime() || o.teller.guarded(q) != nil:
		return VoteOut, why
	}
	return VoteYes, ""
}

// node returns the state of a node. The moment must not lie before an earlier one.
func (o *observer) node(name string, m Moment) NodeState {
	for ; o.applied < m.Events; o.applied++ {
		o.keys.Apply(&o.d.run.Events[o.applied])
	}
	s := NodeState{Down: o.d.in(sim.Crash, "", name, m.Events)}
	for _, key := range o.keys.On(name) {
		k := o.keys.At(name, key)
		s.Keys = append(s.Keys, HeldKey{key, k.Owner, k.Value, k.Ends})
	}
	return s
}

func (o *observer) register(name string, m Moment) RegisterState {
	a := latest(o.writes[name], m.Events, func(a *access) int { return a.event.Seq })
	if a == nil {
		return RegisterState{}
	}
	return RegisterState{a.event.Process, a.value, a.stale}
}

// believedUntil returns until when the holder believes in the lease at an instant.
func (l *Lease) believedUntil(at time.Duration) time.Duration {
	until := l.Until
	for _, term := range l.Terms {
		if term.From <= at {
			until = term.Until
		}
	}
	return until
}

// in reports whether a process or a node is in a stretch of a kind after some events.
func (d *digest) in(kind sim.Kind, process, node string, events int) bool {
	return slices.ContainsFunc(d.stretches, func(s *stretch) bool {
		b, open := s.begin, s.end == nil || s.end.Seq > events
		return open && b.Kind == kind && b.Process == process && b.Node == node && b.Seq <= events
	})
}

// instant is a moment of a run, and what may have changed since the one before.
type instant struct {
	Moment
	process, node string
	access        bool
}

// instants lists the moments of a run: its beginning, every event, and every end of
// a lease that no event tells.
func instants(run *Run) []instant {
	all := []instant{{}}
	for i := range run.Events {
		e := &run.Events[i]
		all = append(all, instant{Moment{e.At, e.Seq}, e.Process, e.Node, e.Kind == sim.Access})
	}
	for _, l := range run.Leases {
		happened := sort.Search(len(run.Events), func(i int) bool { return run.Events[i].At > l.Until })
		all = append(all, instant{Moment: Moment{l.Until, happened}, process: l.Client})
	}
	slices.SortStableFunc(all, func(a, b instant) int {
		return cmp.Or(cmp.Compare(a.Events, b.Events), cmp.Compare(a.At, b.At))
	})
	return all
}

// tracks follows every client, node and register of a run.
func tracks(d *digest) []Track {
	var all []Track
	for _, name := range d.run.Processes {
		all = append(all, Track{Kind: "client", Name: name, Colour: d.run.Colour(name)})
	}
	for _, name := range d.run.Nodes {
		all = append(all, Track{Kind: "node", Name: name})
	}
	for _, name := range d.registers {
		all = append(all, Track{Kind: "register", Name: name})
	}
	o := newObserver(d)
	for i, m := range instants(d.run) {
		for j := range all {
			t := &all[j]
			var now any
			switch {
			case t.Kind == "client" && (i == 0 || t.Name == m.process):
				now = o.client(t.Name, m.Moment)
			case t.Kind == "node" && (i == 0 || t.Name == m.node):
				now = o.node(t.Name, m.Moment)
			case t.Kind == "register" && (i == 0 || m.access):
				now = o.register(t.Name, m.Moment)
			default:
				continue
			}
			if n := len(t.Changes); n == 0 || !reflect.DeepEqual(t.Changes[n-1].State, now) {
				t.Changes = append(t.Changes, Change{m.Moment, now})
			}
		}
	}
	for j := range all {
		all[j].Name = words.Visible(all[j].Name)
	}
	return all
}
