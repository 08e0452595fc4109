package explain

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"redlocklab/sim"
)

// traceEvent is an event of the Trace Event Format. Times are microseconds.
type traceEvent struct {
	Name     string   `json:"name"`
	Category string   `json:"cat,omitempty"`
	Phase    string   `json:"ph"`
	Time     float64  `json:"ts"`
	Duration *float64 `json:"dur,omitempty"`
	track
	ID        int            `json:"id,omitempty"`
	Binding   string         `json:"bp,omitempty"`
	Scope     string         `json:"s,omitempty"`
	Arguments map[string]any `json:"args,omitempty"`
}

// track is where an event is drawn.
type track struct {
	Process int `json:"pid"`
	Thread  int `json:"tid"`
}

// The processes of the exported trace: each holds one sort of tracks.
const (
	clientTracks = 1 + iota // what clients do
	beliefTracks            // what they believe
	nodeTracks              // what nodes execute
	keyTracks               // what they have
	faultTracks             // what goes wrong
)

// perfetto collects the events of an export.
type perfetto struct {
	run    *Run
	events []traceEvent
}

// Perfetto writes a run as JSON in the Trace Event Format of Chrome, which ui.perfetto.dev
// and chrome://tracing open. It has operations, beliefs, keys, outages and faults
// as slices, requests as arrows between slices, and all other events as instants.
// Arguments hold the event as the trace has it. The error wraps [ErrRun] or is that of
// the writer.
func Perfetto(w io.Writer, run *Run) error {
	if err := run.Validate(); err != nil {
		return err
	}
	p := &perfetto{run: run}
	for i, sort := range []string{"clients", "beliefs", "nodes", "keys", "faults"} {
		p.name(track{clientTracks + i, 0}, "process_name", sort)
	}
	for _, client := range run.Processes {
		p.name(p.on(clientTracks, client), "thread_name", client)
		p.name(p.on(beliefTracks, client), "thread_name", client)
	}
	for _, node := range run.Nodes {
		p.name(p.on(nodeTracks, node), "thread_name", node)
		p.name(p.on(keyTracks, node), "thread_name", node)
	}
	end := time.Duration(0)
	if n := len(run.Events); n > 0 {
		end = run.Events[n-1].At
	}
	for _, l := range run.Leases {
		p.slice(p.on(beliefTracks, l.Client), l.ID+" holds "+l.Resource, "belief", l.From, l.Until, nil)
	}
	p.requests()
	p.pairs(end)
	p.keys(end)
	slices.SortStableFunc(p.events, func(a, b traceEvent) int { return cmp.Compare(a.Time, b.Time) })
	text, err := json.Marshal(map[string]any{"traceEvents": p.events, "displayTimeUnit": "ms"})
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// on returns the track of a client or node among those of a sort.
func (p *perfetto) on(sort int, name string) track {
	return track{sort, max(slices.Index(p.run.Processes, name), slices.Index(p.run.Nodes, name)) + 1}
}

func microseconds(t time.Duration) float64 { return float64(t) / float64(time.Microsecond) }

func (p *perfetto) name(at track, what, name string) {
	p.events = append(p.events, traceEvent{Name: what, Phase: "M", track: at, Arguments: map[string]any{"name": name}})
}

func (p *perfetto) slice(at track, name, category string, from, until time.Duration, e *sim.Event) {
	length := microseconds(max(0, until-from))
	p.events = append(p.events, traceEvent{
		Name: name, Category: category, Phase: "X", Time: microseconds(from), Duration: &length,
		track: at, Arguments: arguments(e),
	})
}

// between writes an operation or a fault as a slice that its first event begins.
func (p *perfetto) between(first *sim.Event, at track, until time.Duration) {
	name := string(first.Kind)
	switch first.Kind {
	case sim.Call:
		name = first.Detail + " " + first.Resource
	case sim.Cut:
		name = cmp.Or(first.Fault, first.Detail)
	}
	p.slice(at, name, string(first.Kind), first.At, until, first)
}

func arguments(e *sim.Event) map[string]any {
	if e == nil {
		return nil
	}
	return map[string]any{"event": e}
}

// requests writes an arrow for each way of a request: from its client to its node, and
// back. Arrows join short slices, which show the sending, the execution and the answer.
func (p *perfetto) requests() {
	const short = time.Microsecond
	for i := range p.run.Events {
		e := &p.run.Events[i]
		at, phases := p.on(clientTracks, e.Process), ""
		switch e.Kind {
		case sim.Send:
			phases = "s"
		case sim.Execute:
			if e.Detail == "also" {
				continue
			}
			at, phases = p.on(nodeTracks, e.Node), "fs"
		case sim.Reply:
			phases = "f"
		default:
			continue
		}
		p.slice(at, string(e.Kind)+" "+e.Command, "message", e.At, e.At+short, e)
		for _, phase := range phases {
			arrow := traceEvent{
				Name: e.Command, Category: "message", Phase: string(phase), Time: microseconds(e.At),
				track: at, ID: 2 * e.Message,
			}
			if e.Kind == sim.Reply || e.Kind == sim.Execute && phase == 's' {
				arrow.ID++ // the way back is an arrow of its own
			}
			if phase == 'f' {
				arrow.Binding = "e"
			}
			p.events = append(p.events, arrow)
		}
	}
}

// beginnings gives for each kind of event that ends something the kind that begins it.
var beginnings = map[sim.Kind]sim.Kind{
	sim.Acquired: sim.Call, sim.Failed: sim.Call, sim.Extended: sim.Call, sim.Released: sim.Call,
	sim.Restart: sim.Crash, sim.Resume: sim.Pause, sim.Heal: sim.Cut, sim.Recover: sim.Impair,
}

// unshown are the kinds of events that are not shown, or as requests.
var unshown = []sim.Kind{
	sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Dial, sim.Connect, sim.Timer, sim.Close,
}

// pairs writes operations, outages, pauses and cuts as slices, and what else is no
// message as instants.
func (p *perfetto) pairs(end time.Duration) {
	open, begins := map[string]*sim.Event{}, slices.Collect(maps.Values(beginnings))
	key := func(kind sim.Kind, e *sim.Event) string {
		if kind == sim.Cut {
			return string(kind) + "\x00" + e.Fault + "\x00" + e.Detail
		}
		return string(kind) + "\x00" + e.Process + "\x00" + e.Node
	}
	for i := range p.run.Events {
		e := &p.run.Events[i]
		at := p.track(e)
		switch first := open[key(beginnings[e.Kind], e)]; {
		case first != nil:
			delete(open, key(beginnings[e.Kind], e))
			p.between(first, at, e.At)
		case slices.Contains(begins, e.Kind):
			if earlier := open[key(e.Kind, e)]; earlier != nil { // as a write, whose return has no event
				p.between(earlier, at, e.At)
			}
			open[key(e.Kind, e)] = e
		case slices.Contains(unshown, e.Kind):
		default:
			p.events = append(p.events, traceEvent{
				Name: eventWords(e), Category: string(e.Kind), Phase: "i", Time: microseconds(e.At),
				track: at, Scope: "t", Arguments: arguments(e),
			})
		}
	}
	for i := range p.run.Events { // in the order of the trace
		if e := &p.run.Events[i]; open[key(e.Kind, e)] == e {
			p.between(e, p.track(e), end)
		}
	}
}

// track returns where an event is drawn.
func (p *perfetto) track(e *sim.Event) track {
	switch {
	case e.Kind == sim.Cut || e.Kind == sim.Heal || e.Process == "" && e.Node == "":
		return track{faultTracks, 1}
	case e.Process != "":
		return p.on(clientTracks, e.Process)
	}
	return p.on(nodeTracks, e.Node)
}

// keys writes a slice for each time in which a node had one value of a key.
func (p *perfetto) keys(end time.Duration) {
	for _, k := range newDigest(p.run).keys {
		name := cmp.Or(k.owner, "nobody") + "'s key " + k.key
		p.slice(p.on(keyTracks, k.node), name, "key", k.from, min(k.until, end), nil)
	}
}
