package explain

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

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
		all = append(all, instant{Moment: Moment{l.Until, run.eventsUntil(l.Until)}, process: l.Client})
	}
	slices.SortStableFunc(all, func(a, b instant) int {
		return cmp.Or(cmp.Compare(a.Events, b.Events), cmp.Compare(a.At, b.At))
	})
	return all
}

// eventsUntil returns how many events have happened at an instant.
func (r *Run) eventsUntil(at time.Duration) int {
	return sort.Search(len(r.Events), func(i int) bool { return r.Events[i].At > at })
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
