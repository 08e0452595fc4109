package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/explain"
	"redlocklab/sim/svg"
)

// shivizParser is the first line of a log: how ShiViz reads the others.
const shivizParser = `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`

// ShiViz writes a run as a log for ShiViz: two lines for each event, the event in words
// and the host with its vector clock. Hosts are clients and nodes. The answer to a request
// happens after its execution, and this after the request was sent. Events of the world,
// such as a cut, happen on no host and are left out.
func ShiViz(w io.Writer, run *explain.Run) error {
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
		for other, n := range received(e, carried) {
			clock[other] = max(clock[other], n)
		}
		clock[host]++
		if e.Message > 0 {
			carried[e.Message] = copied(clock)
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
// none. What the network does to a message happens on no host.
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
	return strings.Join(strings.Fields(svg.Visible(name)), "_")
}

// received returns the clock that came with a message; nil for an event that receives none.
func received(e *sim.Event, carried map[int]map[string]int) map[string]int {
	switch e.Kind {
	case sim.Deliver, sim.Execute, sim.Reply:
		return carried[e.Message]
	}
	return nil
}

func copied(clock map[string]int) map[string]int {
	c := make(map[string]int, len(clock))
	for host, n := range clock {
		c[host] = n
	}
	return c
}

// eventWords returns an event on one line.
func eventWords(e *sim.Event) string {
	words := []string{string(e.Kind)}
	for _, word := range []string{e.Command, e.Resource, e.Key, e.Value, e.Lease, e.Detail} {
		if word != "" {
			words = append(words, svg.Visible(word))
		}
	}
	if e.Fault != "" {
		words = append(words, "(fault "+svg.Visible(e.Fault)+")")
	}
	return strings.Join(words, " ")
}
