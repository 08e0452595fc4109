package diagnosis

import (
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// deed is what one command of a client did to one key.
type deed struct {
	at     time.Duration
	event  int
	client string
	sent   time.Duration
	during string // the client's open operation: acquire, extend, release; empty: none
	sim.KeyChange
}

// run is a run, read once.
type run struct {
	*play.Result
	deeds  []deed
	ends   []deed                   // keys that expired, or were lost with a node; client is empty
	tokens map[string]string        // by lease: the value of its keys; see play.ValuesOf
	calls  map[string]time.Duration // by lease: the call of its acquisition
	got    map[string]time.Duration // by lease: the return of its acquisition
	nodes  int                      // that the lock uses
}

// read follows the keys through the trace.
func read(r *play.Result) *run {
	d := &run{Result: r, tokens: play.ValuesOf(r.Events), calls: map[string]time.Duration{}, got: map[string]time.Duration{}, nodes: len(r.History.Header.Nodes)}
	var keys sim.Keys
	open, called := map[string]string{}, map[string]time.Duration{}
	sent := map[int]time.Duration{}
	for i := range r.Events {
		e := &r.Events[i]
		change, changed := keys.Apply(e)
		switch e.Kind {
		case sim.Call:
			open[e.Process], called[e.Process] = e.Detail, e.At
		case sim.Failed, sim.Released:
			delete(open, e.Process)
		case sim.Extended:
			if open[e.Process] == "extend" {
				delete(open, e.Process)
			}
		case sim.Acquired:
			delete(open, e.Process)
			d.calls[e.Lease], d.got[e.Lease] = called[e.Process], e.At
		case sim.Send:
			sent[e.Message] = e.At
		}
		if !changed {
			continue
		}
		one := deed{at: e.At, event: e.Seq, client: e.Process, sent: sent[e.Message], during: open[e.Process], KeyChange: change}
		if e.Kind != sim.Execute {
			one.client = ""
			d.ends = append(d.ends, one)
			continue
		}
		if change.Before == change.After {
			continue
		}
		d.deeds = append(d.deeds, one)
	}
	for i := range r.History.Leases {
		if l := &r.History.Leases[i]; d.tokens[l.ID] == "" {
			d.tokens[l.ID] = l.Token
		}
	}
	return d
}

// about reports whether a key is that of a resource: its name, or a name made from it.
func about(key, resource string) bool {
	return key == resource || slices.Contains(strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(":/{}.-_", r) }), resource)
}

// holder returns the lease whose keys have this value, and that its client acquires or
// believes in at an instant.
func (d *run) holder(value string, at time.Duration) *checker.Lease {
	for i := range d.History.Leases {
		l := &d.History.Leases[i]
		if d.tokens[l.ID] == value && value != "" && d.calls[l.ID] <= at && at < max(end(l), d.got[l.ID]) {
			return l
		}
	}
	return nil
}

// token is the token of the lease whose keys have this value: more may follow it there.
func (d *run) token(value string) string {
	for i := range d.History.Leases {
		if l := &d.History.Leases[i]; d.tokens[l.ID] == value && l.Token != "" {
			return l.Token
		}
	}
	return value
}

// end is when a client's belief in a lease ended.
func end(l *checker.Lease) time.Duration {
	until := time.Duration(l.Validity[len(l.Validity)-1].UntilNS)
	if l.ReleasedNS != nil {
		until = min(until, time.Duration(*l.ReleasedNS))
	}
	return until
}

// validUntil is the end of a lease that its client was told, at the acquisition.
func validUntil(l *checker.Lease) time.Duration { return time.Duration(l.Validity[0].UntilNS) }

// holding counts the nodes that have a key with this value at an instant, and lists them.
func (d *run) holding(token string, at time.Duration) (nodes []string) {
	has := map[string]bool{}
	note := func(x *deed) {
		switch {
		case x.After.Value == token:
			has[x.Node] = true
		case x.Before.Value == token:
			delete(has, x.Node)
		}
	}
	i, j := 0, 0
	for i < len(d.deeds) || j < len(d.ends) {
		if j >= len(d.ends) || i < len(d.deeds) && d.deeds[i].event < d.ends[j].event {
			if d.deeds[i].at <= at {
				note(&d.deeds[i])
			}
			i++
			continue
		}
		if d.ends[j].at <= at {
			note(&d.ends[j])
		}
		j++
	}
	for _, n := range d.History.Header.Nodes {
		if has[n] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// quorum is how many of the nodes decide.
func (d *run) quorum() int { return d.nodes/2 + 1 }
