package explain

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"redlocklab/sim"
)

// instantOf is a moment of a run, and what may have changed since the one before.
type instantOf struct {
	momentOf
	process, node string
	access        bool
}

// instantsOf lists the moments of a run: its beginning, every event, and every end of
// a lease that no event tells.
func instantsOf(run *Run) []instantOf {
	all := []instantOf{{}}
	for i := range run.Events {
		e := &run.Events[i]
		all = append(all, instantOf{momentOf{e.At, e.Seq}, e.Process, e.Node, e.Kind == sim.Access})
	}
	for _, l := range run.Leases {
		all = append(all, instantOf{momentOf: momentOf{l.Until, run.eventsUntil(l.Until)}, process: l.Client})
	}
	slices.SortStableFunc(all, func(a, b instantOf) int { return cmp.Or(cmp.Compare(a.events, b.events), cmp.Compare(a.at, b.at)) })
	return all
}

// eventsUntil returns how many events have happened at an instant.
func (r *Run) eventsUntil(at time.Duration) int {
	n, _ := slices.BinarySearchFunc(r.Events, at+1, func(e sim.Event, at time.Duration) int { return cmp.Compare(e.At, at) })
	return n
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
	for i, m := range instantsOf(d.run) {
		for j := range all {
			t := &all[j]
			var now any
			switch {
			case t.Kind == "client" && (i == 0 || t.Name == m.process):
				now = o.client(t.Name, m.momentOf)
			case t.Kind == "node" && (i == 0 || t.Name == m.node):
				now = o.node(t.Name, m.momentOf)
			case t.Kind == "register" && (i == 0 || m.access):
				now = o.register(t.Name, m.momentOf)
			default:
				continue
			}
			if n := len(t.Changes); n == 0 || !reflect.DeepEqual(t.Changes[n-1].State, now) {
				t.Changes = append(t.Changes, Change{m.at, m.events, now})
			}
		}
	}
	return all
}
