package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// shivizParser is the first line of a log: how ShiViz reads the others.
const shivizParser = `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`

// ShiViz writes a run as a log for ShiViz, which draws space-time diagrams with the
// happens-before order (https://bestchai.bitbucket.io/shiviz). The log has two lines for
// each event: the event in words, and the host with its vector clock. Hosts are clients
// and nodes. The answer to a request
// happens after its execution, and this after the request was sent. Events of the world,
// such as a cut, happen on no host and are left out. The error is as for [Perfetto].
func ShiViz(w io.Writer, run *Run) error {
	if err := run.Validate(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(shivizParser + "\n\n")
	clocks := map[string]map[string]int{}
	carried := map[int]map[string]int{} // by message: the clock that it carries
	for i := range run.Events {
		e := &run.Events[i]
		host := hostOf(e)
		if host == "" {
			continue
		}
		if clocks[host] == nil {
			clocks[host] = map[string]int{}
		}
		clock := clocks[host]
		if e.Kind == sim.Deliver || e.Kind == sim.Execute || e.Kind == sim.Reply {
			for other, n := range carried[e.Message] {
				clock[other] = max(clock[other], n)
			}
		}
		clock[host]++
		if e.Message > 0 {
			carried[e.Message] = maps.Clone(clock)
		}
		text, err := json.Marshal(clock) // sorted by host
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n%s %s\n", eventWords(e), host, text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// hostOf returns the name of the host on which an event happens, without blanks; "" for
// none. Events of the network happen on no host.
func hostOf(e *sim.Event) string {
	name := e.Process
	switch e.Kind {
	case sim.Deliver, sim.Execute, sim.Expire, sim.Forget, sim.Revive:
		name = e.Node
	case sim.Drop, sim.Delay, sim.Reset, sim.Cut, sim.Heal:
		return ""
	default:
		if name == "" {
			name = e.Node
		}
	}
	return strings.Join(strings.Fields(words.Visible(name)), "_")
}

// eventWords returns an event on one line.
func eventWords(e *sim.Event) string {
	parts := []string{string(e.Kind)}
	for _, word := range []string{e.Command, e.Resource, e.Key, e.Value, e.Lease, e.Detail} {
		if word != "" {
			parts = append(parts, words.Visible(word))
		}
	}
	if e.Fault != "" {
		parts = append(parts, "(fault "+words.Visible(e.Fault)+")")
	}
	return strings.Join(parts, " ")
}
