package explain

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
)

// Run holds all that an explanation of a run needs. It is plain data: callers fill it from
// a finished run or from the files of a saved one.
type Run struct {
	Title   string // of the scenario, in plain words
	Claim   string // the claim's id, "BA-2"
	Subject string // the lock under test, "SY-0"
	Seed    uint64

	Processes []string            // names of the clients, in the order in which they are shown
	Nodes     []string            // names of the nodes, in the order in which they are shown
	Asks      map[string][]string // client → the nodes that its lock asks; a client that is missing asks all
	TTL       time.Duration       // of the lock; 0 when unknown
	Guard     time.Duration       // of the restart guard, which ignores nodes that have been up for less; 0: no guard

	Faults     []Fault     // descriptions of the schedule's faults
	Notes      []string    // further facts about the setting, a sentence each without its full stop
	Leases     []Lease     // when each client was entitled to believe that it held a lock
	Violations []Violation // the findings of the oracles
	Broken     []Broken    // the broken assumptions of the ledger
	Causes     []string    // the causes of the violations, a sentence each; none: nobody asked

	Assumptions []Assumption   // all that the ledger knows
	Values      map[int]string // by Seq of an access: the written value, in words
	Decisive    []int          // Seq of events that the picture rings, as without them nothing would be violated

	Events []sim.Event // the whole trace, in order
}

// Fault describes one scheduled fault in plain words.
type Fault struct {
	Name  string // as in [sim.Event.Fault]
	Words string // "A cannot reach n4 and n5"; "" when the events are enough

	// Processes and Nodes are those between which messages are stopped. Without them
	// the picture uses the messages that the trace shows as lost.
	Processes []string
	Nodes     []string
}

// Lease is the interval in which a client was entitled to believe that it held
// a lock: from the return of its acquisition to the call of its release or to
// the end of its validity.
type Lease struct {
	ID       string // "A/1"
	Client   string
	Resource string
	From     time.Duration
	Until    time.Duration
	Released bool // it ended by a release, not by the end of its validity

	// Terms say until when the client believed in the lease: one from the acquisition
	// on, and one from each extension on. Without any, it knew Until all the time.
	Terms []Term
}

// Term says that from an instant on a client believes in a lease until another one.
type Term struct{ From, Until time.Duration }

// Violation is one finding of an oracle.
type Violation struct {
	Oracle string        // "overlap", "linearizability", "resource", "liveness"
	Leases []string      // ids of the leases involved
	From   time.Duration // when it began; with From and Until 0 it lasts as long as all its leases overlap
	Until  time.Duration // when it ended; equal to From for an instant
	Event  int           // Seq of the event that shows it; 0 when there is none
	Words  string        // one sentence; "" for the package's own
	// ExplainedBy are the broken assumptions that explain it. Without any, the
	// violation is the lock's own bug.
	ExplainedBy []string
	Goal        *Goal // the missed goal; nil for violations of other oracles than liveness
	More        int   // number of further findings of the same kind, which the story leaves out
}

// Goal is a missed goal of liveness.
type Goal struct {
	Clients  []string      // of which one, or each, should have succeeded
	Resource string        // "" for any
	From     time.Duration // when its time began to run
}

// Assumption is a condition on which a lock relies.
type Assumption struct {
	ID    string // "A-VOTE"
	Words string // what must hold, in one sentence
}

// Broken is one broken assumption of the ledger.
type Broken struct {
	Assumption string // "A-VOTE"
	Event      int    // Seq of the event that broke it; 0 when there is none
	Words      string // the assumption in words; may be empty
}

// ErrRun is wrapped by every error about a [Run] that is not consistent.
var ErrRun = errors.New("explain: run is not consistent")

// Validate reports the first inconsistency of the run: a name that is used twice, a
// reference to something that does not exist, or a trace out of order. The error
// wraps [ErrRun].
func (r *Run) Validate() error {
	var problem error
	must := func(holds bool, format string, arguments ...any) {
		if !holds && problem == nil {
			problem = fmt.Errorf("%w: "+format, append([]any{ErrRun}, arguments...)...)
		}
	}
	names, last := map[string]bool{"": true}, len(r.Events)
	for _, name := range slices.Concat(r.Processes, r.Nodes) {
		must(!names[name], "name %q is empty or used twice", name)
		names[name] = true
	}
	for client, nodes := range r.Asks { // any of the errors will do
		must(slices.Contains(r.Processes, client) && containsAll(r.Nodes, nodes), "client %q asks nodes %q, not all of which exist", client, nodes)
	}
	leases, broken := []string{""}, []string{}
	for _, l := range r.Leases {
		must(!slices.Contains(leases, l.ID), "lease %q is empty or listed twice", l.ID)
		must(l.Until >= l.From, "lease %s ends before it begins", l.ID)
		must(l.Client != "" && names[l.Client], "lease %s of unknown client %q", l.ID, l.Client)
		leases = append(leases, l.ID)
	}
	for i := range r.Events {
		e := &r.Events[i]
		if err := sim.Follows(r.Events[:i], e); err != nil {
			must(false, "%w", err)
		}
		for _, name := range []string{e.Process, e.Node} {
			must(names[name], "event %d: unknown name %q", e.Seq, name)
		}
	}
	for _, b := range r.Broken {
		must(0 <= b.Event && b.Event <= last, "%s broken at event %d of %d", b.Assumption, b.Event, last)
		broken = append(broken, b.Assumption)
	}
	for _, seq := range r.Decisive {
		must(1 <= seq && seq <= last, "decisive event %d of %d", seq, last)
	}
	for _, v := range r.Violations {
		must(containsAll(leases[1:], v.Leases), "violation of leases %q, not all of which exist", v.Leases)
		if v.Goal != nil {
			must(containsAll(r.Processes, v.Goal.Clients), "a goal of %q, not all of which are clients", v.Goal.Clients)
		}
		must(containsAll(broken, v.ExplainedBy), "violation explained by %q, not all of which are broken", v.ExplainedBy)
		must(v.From <= v.Until, "violation ends before it begins")
		must(0 <= v.Event && v.Event <= last, "violation at event %d of %d", v.Event, last)
	}
	return problem
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
}

// asked returns the nodes that a client's lock asks.
func (r *Run) asked(client string) []string {
	if own := r.Asks[client]; len(own) > 0 {
		return own
	}
	return r.Nodes
}

// quorum returns how many of the nodes that a client's lock asks must agree.
func (r *Run) quorum(client string) int { return len(r.asked(client))/2 + 1 }

// lease returns a lease by id, or nil.
func (r *Run) lease(id string) *Lease {
	for i := range r.Leases {
		if r.Leases[i].ID == id {
			return &r.Leases[i]
		}
	}
	return nil
}

// held lists the leases that a client holds at an instant.
func (r *Run) held(client string, at time.Duration) []Lease {
	var held []Lease
	for _, l := range r.Leases {
		if l.Client == client && l.From <= at && at < l.Until {
			held = append(held, l)
		}
	}
	return held
}

// entitled returns the lease on a resource that a client holds at an instant, or nil.
func (r *Run) entitled(client, resource string, at time.Duration) *Lease {
	for _, l := range r.held(client, at) {
		if l.Resource == resource {
			return &l
		}
	}
	return nil
}

func (r *Run) fault(name string) Fault {
	for _, f := range r.Faults {
		if f.Name == name {
			return f
		}
	}
	return Fault{}
}

// broke reports whether one of some events broke an assumption.
func (r *Run) broke(events []int) bool {
	return slices.ContainsFunc(r.Broken, func(b Broken) bool { return slices.Contains(events, b.Event) })
}

// span returns when a violation lasted: as stated, or else while all of its leases
// overlap.
func (r *Run) span(v Violation) (from, until time.Duration) {
	if v.From != 0 || v.Until != 0 || len(v.Leases) == 0 {
		return v.From, v.Until
	}
	until = sim.Forever
	for _, id := range v.Leases {
		l := r.lease(id)
		from, until = max(from, l.From), min(until, l.Until)
	}
	return from, max(from, until)
}
