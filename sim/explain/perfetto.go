package explain

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"redlocklab/sim"
)

// traceEvent is an event of the Trace Event Format. Times are microseconds.
type traceEvent struct {
	Name      string         `json:"name"`
	Category  string         `json:"cat,omitempty"`
	Phase     string         `json:"ph"`
	Time      float64        `json:"ts"`
	Duration  *float64       `json:"dur,omitempty"`
	Process   int            `json:"pid"`
	Thread    int            `json:"tid"`
	ID        int            `json:"id,omitempty"`
	Binding   string         `json:"bp,omitempty"`
	Scope     string         `json:"s,omitempty"`
	Arguments map[string]any `json:"args,omitempty"`
}

// The processes of the exported trace: each holds one sort of tracks.
const (
	clientTracks = 1 + iota // what clients do
	beliefTracks            // what they believe
	nodeTracks              // what nodes execute
	keyTracks               // what they have
	faultTracks             // what goes wrong
)

var trackNames = map[int]string{
	clientTracks: "clients", beliefTracks: "beliefs", nodeTracks: "nodes", keyTracks: "keys", faultTracks: "faults",
}

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
	for process := clientTracks; process <= faultTracks; process++ {
		p.name(process, 0, "process_name", trackNames[process])
	}
	for i, client := range run.Processes {
		p.name(clientTracks, i+1, "thread_name", client)
		p.name(beliefTracks, i+1, "thread_name", client)
	}
	for i, node := range run.Nodes {
		p.name(nodeTracks, i+1, "thread_name", node)
		p.name(keyTracks, i+1, "thread_name", node)
	}
	end := time.Duration(0)
	if n := len(run.Events); n > 0 {
		end = run.Events[n-1].At
	}
	for _, l := range run.Leases {
		p.slice(beliefTracks, p.client(l.Client), l.ID+" holds "+l.Resource, "belief", l.From, l.Until, nil)
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

func (p *perfetto) client(name string) int { return slices.Index(p.run.Processes, name) + 1 }
func (p *perfetto) node(name string) int   { return slices.Index(p.run.Nodes, name) + 1 }

func microseconds(t time.Duration) float64 { return float64(t) / float64(time.Microsecond) }

func (p *perfetto) name(process, thread int, what, name string) {
	p.events = append(p.events, traceEvent{
		Name: what, Phase: "M", Process: process, Thread: thread, Arguments: map[string]any{"name": name},
	})
}

func (p *perfetto) slice(process, thread int, name, category string, from, until time.Duration, e *sim.Event) {
	length := microseconds(max(0, until-from))
	p.events = append(p.events, traceEvent{
		Name: name, Category: category, Phase: "X", Time: microseconds(from), Duration: &length,
		Process: process, Thread: thread, Arguments: arguments(e),
	})
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
		process, thread, phases := clientTracks, p.client(e.Process), ""
		switch e.Kind {
		case sim.Send:
			phases = "s"
		case sim.Execute:
			if e.Detail == "also" {
				continue
			}
			process, thread, phases = nodeTracks, p.node(e.Node), "fs"
		case sim.Reply:
			phases = "f"
		default:
			continue
		}
		p.slice(process, thread, string(e.Kind)+" "+e.Command, "message", e.At, e.At+short, e)
		for _, phase := range phases {
			arrow := traceEvent{
				Name: e.Command, Category: "message", Phase: string(phase), Time: microseconds(e.At),
				Process: process, Thread: thread, ID: 2 * e.Message,
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

// ends gives for each kind of event that ends a slice the kind that begins it.
var ends = map[sim.Kind]sim.Kind{
	sim.Acquired: sim.Call, sim.Failed: sim.Call, sim.Extended: sim.Call, sim.Released: sim.Call,
	sim.Restart: sim.Crash, sim.Resume: sim.Pause, sim.Heal: sim.Cut, sim.Recover: sim.Impair,
}

var (
	beginnings = []sim.Kind{sim.Call, sim.Crash, sim.Pause, sim.Cut, sim.Impair} // of slices
	unshown    = []sim.Kind{                                                     // or shown as requests
		sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Dial, sim.Connect, sim.Timer, sim.Close,
	}
)

// pairs writes operations, outages, pauses and cuts as slices, and what else is no
// message as instants.
func (p *perfetto) pairs(end time.Duration) {
	open := map[string]*sim.Event{}
	key := func(kind sim.Kind, e *sim.Event) string {
		if kind == sim.Cut {
			return string(kind) + "\x00" + e.Fault + "\x00" + e.Detail
		}
		return string(kind) + "\x00" + e.Process + "\x00" + e.Node
	}
	for i := range p.run.Events {
		e := &p.run.Events[i]
		process, thread := p.track(e)
		switch begin := ends[e.Kind]; {
		case begin != "" && open[key(begin, e)] != nil:
			first := open[key(begin, e)]
			delete(open, key(begin, e))
			p.slice(process, thread, sliceName(first), string(first.Kind), first.At, e.At, first)
		case slices.Contains(beginnings, e.Kind):
			if earlier := open[key(e.Kind, e)]; earlier != nil { // as a write, whose return has no event
				p.slice(process, thread, sliceName(earlier), string(earlier.Kind), earlier.At, e.At, earlier)
			}
			open[key(e.Kind, e)] = e
		case slices.Contains(unshown, e.Kind):
		default:
			p.events = append(p.events, traceEvent{
				Name: eventWords(e), Category: string(e.Kind), Phase: "i", Time: microseconds(e.At),
				Process: process, Thread: thread, Scope: "t", Arguments: arguments(e),
			})
		}
	}
	for i := range p.run.Events { // in the order of the trace
		if e := &p.run.Events[i]; open[key(e.Kind, e)] == e {
			process, thread := p.track(e)
			p.slice(process, thread, sliceName(e), string(e.Kind), e.At, end, e)
		}
	}
}

// track returns where an event is drawn.
func (p *perfetto) track(e *sim.Event) (process, thread int) {
	switch {
	case e.Kind == sim.Cut || e.Kind == sim.Heal:
		return faultTracks, 1
	case e.Process != "":
		return clientTracks, p.client(e.Process)
	case e.Node != "":
		return nodeTracks, p.node(e.Node)
	}
	return faultTracks, 1
}

func sliceName(e *sim.Event) string {
	switch e.Kind {
	case sim.Call:
		return e.Detail + " " + e.Resource
	case sim.Cut:
		return cmp.Or(e.Fault, e.Detail)
	}
	return string(e.Kind)
}

// keys writes a slice for each time in which a node had one value of a key.
func (p *perfetto) keys(end time.Duration) {
	for _, k := range newDigest(p.run).keys {
		name := cmp.Or(k.owner, "nobody") + "'s key " + k.key
		p.slice(keyTracks, p.node(k.node), name, "key", k.from, min(k.until, end), nil)
	}
}
