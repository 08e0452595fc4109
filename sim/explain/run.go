package explain

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
)

// Run is all that the explanation of one run needs. Its parts are plain data,
// so that it can be filled from a finished run or from the files of a saved one.
type Run struct {
	Title   string // of the scenario, in plain words
	Claim   string // the claim's id, "BA-2"
	Subject string // the lock under test, "SY-0"
	Seed    uint64

	Processes []string            // names of the clients, in the order in which they are to be shown
	Nodes     []string            // names of the nodes, likewise
	Asks      map[string][]string // the nodes that a client's lock asks; a client that is not in it asks all
	TTL       time.Duration       // of the lock; 0 when unknown
	Guard     time.Duration       // of a restart guard: votes of a node that has not been up for so long do not count; 0 is none

	Faults     []Fault     // descriptions of the schedule's faults
	Leases     []Lease     // what each client was entitled to believe
	Violations []Violation // what the oracles found
	Broken     []Broken    // what the assumption ledger found

	Events []sim.Event // the whole trace, in order
}

// Fault describes one scheduled fault in plain words.
type Fault struct {
	Name  string // as in [sim.Event.Fault]
	Words string // "A cannot reach n4 and n5"; "" lets the events speak for themselves

	// Processes and Nodes are those between which messages are stopped. They
	// are optional: without them the picture shades what the trace shows as lost.
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
	Released bool // ended by a release and not by time
}

// Violation is one finding of an oracle.
type Violation struct {
	Oracle string        // "overlap", "linearizability", "resource", "liveness"
	Leases []string      // ids of the leases involved
	From   time.Duration // when it began; for an overlap, zero From and Until mean "as the leases say"
	Until  time.Duration // when it ended; equal to From for an instant
	Event  int           // Seq of the event that shows it, 0 when there is none
	Words  string        // one sentence; "" lets the package word it
	// ExplainedBy are the broken assumptions that explain it; without any it is the lock's own fault.
	ExplainedBy []string
	Goal        *Goal // of a missed goal of liveness: what it is about
	More        int   // further findings of the same sort, which the story leaves out
}

// Goal is what a missed goal waited for.
type Goal struct {
	Clients  []string      // one of which should have succeeded, or each of which
	Resource string        // "" for any
	From     time.Duration // when its time began to run
}

// Broken is one broken assumption of the ledger.
type Broken struct {
	Assumption string // "A-VOTE"
	Event      int    // Seq of the event that broke it, 0 when there is none
	Words      string // what the assumption says; "" lets the package say it
}

// ErrRun is wrapped by every error about a [Run] that contradicts itself.
var ErrRun = errors.New("explain: run is not consistent")

// Validate reports the first contradiction in the run: a name used twice, a
// lease or finding that refers to nothing, a trace out of order. The error
// wraps [ErrRun].
func (r *Run) Validate() error {
	names := map[string]bool{}
	for _, group := range [][]string{r.Processes, r.Nodes} {
		for _, name := range group {
			if name == "" || names[name] {
				return fmt.Errorf("%w: name %q is empty or used twice", ErrRun, name)
			}
			names[name] = true
		}
	}
	for client, nodes := range r.Asks { // one error is as good as another
		if !slices.Contains(r.Processes, client) || slices.ContainsFunc(nodes, func(n string) bool { return !slices.Contains(r.Nodes, n) }) {
			return fmt.Errorf("%w: %q asks %q", ErrRun, client, nodes)
		}
	}
	leases := map[string]bool{}
	for _, l := range r.Leases {
		if l.ID == "" || leases[l.ID] {
			return fmt.Errorf("%w: lease %q is empty or listed twice", ErrRun, l.ID)
		}
		if l.Until < l.From {
			return fmt.Errorf("%w: lease %s ends before it begins", ErrRun, l.ID)
		}
		if !names[l.Client] {
			return fmt.Errorf("%w: lease %s of unknown client %q", ErrRun, l.ID, l.Client)
		}
		leases[l.ID] = true
	}
	for i := range r.Events {
		if err := follows(&r.Events[i], i+1, previousAt(r.Events, i)); err != nil {
			return fmt.Errorf("%w: %w", ErrRun, err)
		}
		for _, name := range []string{r.Events[i].Process, r.Events[i].Node} {
			if name != "" && !names[name] {
				return fmt.Errorf("%w: event %d names unknown %q", ErrRun, i+1, name)
			}
		}
	}
	for _, v := range r.Violations {
		for _, id := range v.Leases {
			if !leases[id] {
				return fmt.Errorf("%w: violation of unknown lease %q", ErrRun, id)
			}
		}
		if g := v.Goal; g != nil && slices.ContainsFunc(g.Clients, func(c string) bool { return !slices.Contains(r.Processes, c) }) {
			return fmt.Errorf("%w: a goal of %q, not all of which are clients", ErrRun, g.Clients)
		}
		for _, id := range v.ExplainedBy {
			if !slices.ContainsFunc(r.Broken, func(b Broken) bool { return b.Assumption == id }) {
				return fmt.Errorf("%w: violation explained by %s, which is not broken", ErrRun, id)
			}
		}
		if v.Until < v.From {
			return fmt.Errorf("%w: violation ends before it begins", ErrRun)
		}
		if v.Event < 0 || v.Event > len(r.Events) {
			return fmt.Errorf("%w: violation at event %d of %d", ErrRun, v.Event, len(r.Events))
		}
	}
	for _, b := range r.Broken {
		if b.Event < 0 || b.Event > len(r.Events) {
			return fmt.Errorf("%w: %s broken at event %d of %d", ErrRun, b.Assumption, b.Event, len(r.Events))
		}
	}
	return nil
}

func previousAt(events []sim.Event, i int) time.Duration {
	if i == 0 {
		return 0
	}
	return events[i-1].At
}

// asked are the nodes that a client's lock asks.
func (r *Run) asked(client string) []string {
	if own := r.Asks[client]; len(own) > 0 {
		return own
	}
	return r.Nodes
}

// quorum is how many of the nodes that a client's lock asks must agree.
func (r *Run) quorum(client string) int { return len(r.asked(client))/2 + 1 }

// lease finds a lease by id; nil when there is none.
func (r *Run) lease(id string) *Lease {
	for i := range r.Leases {
		if r.Leases[i].ID == id {
			return &r.Leases[i]
		}
	}
	return nil
}

// fault finds a fault's description by name; nil when there is none.
func (r *Run) fault(name string) *Fault {
	for i := range r.Faults {
		if r.Faults[i].Name == name {
			return &r.Faults[i]
		}
	}
	return nil
}

// span is when a violation lasted: as stated, or else where all of its leases
// were believed at once.
func (r *Run) span(v *Violation) (from, until time.Duration) {
	if v.From != 0 || v.Until != 0 || len(v.Leases) == 0 {
		return v.From, v.Until
	}
	for i, id := range v.Leases {
		l := r.lease(id)
		if i == 0 {
			from, until = l.From, l.Until
			continue
		}
		from, until = max(from, l.From), min(until, l.Until)
	}
	return from, max(from, until)
}
