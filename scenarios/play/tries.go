package play

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// gaveUp lists the acquisitions that ran out of their tries although something stood in their
// way: losses and faults took so many nodes away that no quorum was left, or another client had
// the resource or asked for it. One more try might have succeeded. An acquisition that fails
// with nothing in its way is not listed: that is the lock's own doing.
func (r *Referee) gaveUp(h *checker.History) []checker.Fact {
	var facts []checker.Fact
	for _, c := range r.clients {
		for _, note := range c.operations {
			op := &note.Operation
			if note.Tries == 0 || op.Outcome != checker.OutcomeFail || !cutOff(h, op) && !contended(h, op) {
				continue
			}
			facts = append(facts, checker.Fact{
				Fact: checker.FactFewTries, AtNS: *op.ReturnNS, Client: op.Client, Key: op.Resource,
				Name: op.Client + " gave up after " + words.Cardinal(note.Tries) + " " + words.Plural(note.Tries, "try", "tries"),
			})
		}
	}
	return facts
}

// during reports whether an interval without an end, or with one, overlaps with an operation
// that has returned.
func during(op *checker.Operation, from int64, until *int64) bool {
	return from <= *op.ReturnNS && (until == nil || *until >= op.CallNS)
}

// cutOff reports whether losses and faults left fewer nodes than a quorum untouched while an
// operation lasted.
func cutOff(h *checker.History, op *checker.Operation) bool {
	away := map[string]bool{}
	for i := range h.Facts {
		f := &h.Facts[i]
		takes := f.Fact == checker.FactFault || f.Fact == checker.FactLost
		if !takes || f.Client != "" && f.Client != op.Client || !during(op, f.AtNS, f.UntilNS) {
			continue
		}
		nodes := f.Nodes
		if len(nodes) == 0 {
			nodes = h.Header.Nodes
		}
		for _, node := range nodes {
			away[node] = true
		}
	}
	return len(h.Header.Nodes)-len(away) < h.Header.Quorum
}

// contended reports whether another client had the resource of an acquisition, or asked for it.
func contended(h *checker.History, op *checker.Operation) bool {
	rival := func(client, resource string) bool { return client != op.Client && resource == op.Resource }
	return slices.ContainsFunc(h.Operations, func(o checker.Operation) bool {
		return o.Action == checker.ActionAcquire && rival(o.Client, o.Resource) && during(op, o.CallNS, o.ReturnNS)
	}) || slices.ContainsFunc(h.Leases, func(l checker.Lease) bool {
		return rival(l.Client, l.Resource) && during(op, l.Validity[0].AtNS, checker.At(l.EndNS()))
	})
}

// losses follows the messages that the network lost by chance, link by link. A loss costs a contender
// the attempt, and the delay until the next one.
type losses struct {
	plan  *plan.Plan
	found []*checker.Fact // the times in which clients suffered from losses
	last  map[linkName]*checker.Fact
}

// read takes the next event.
func (l *losses) read(e *sim.Event) {
	if e.Kind != sim.Drop || e.Process == "" || e.Fault != "" || !strings.HasSuffix(e.Detail, ": "+sim.Lost) {
		return
	}
	link := linkName{e.Process, e.Node}
	if f := l.last[link]; f == nil || int64(e.At) > *f.UntilNS {
		fact := at(e, checker.Fact{
			Fact: checker.FactLost, Client: e.Process, Nodes: []string{e.Node},
			Name: fmt.Sprintf("a message between %s and %s", e.Process, e.Node),
		})
		l.last[link] = &fact
		l.found = append(l.found, &fact)
	}
	l.last[link].UntilNS = checker.At(int64(e.At + l.plan.Lock.Retry.Delay.High + 2*l.plan.Lock.NodeTimeout))
}
