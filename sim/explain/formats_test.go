package explain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// vote is a run in which A asks n1, and n1 crashes.
func vote() *explain.Run {
	ms := time.Millisecond
	run := &explain.Run{
		Processes: []string{"A", "B one"}, Nodes: []string{"n1"},
		Leases: []explain.Lease{{ID: "A#1", Client: "A", Resource: "r", From: 4 * ms, Until: 9 * ms}},
	}
	for _, e := range []sim.Event{
		{At: 0, Kind: sim.Cut, Fault: "f", Detail: "B | n1"},
		{At: 0, Kind: sim.Call, Process: "A", Resource: "r", Detail: "acquire"},
		{At: ms, Kind: sim.Send, Process: "A", Node: "n1", Message: 1, Command: "SET", Key: "r"},
		{At: 2 * ms, Kind: sim.Deliver, Process: "A", Node: "n1", Message: 1, Command: "SET"},
		{At: 2 * ms, Kind: sim.Execute, Process: "A", Node: "n1", Message: 1, Command: "SET", Key: "r", Value: "token#1", TTL: 10 * ms, Detail: "OK"},
		{At: 3 * ms, Kind: sim.Call, Process: "B one", Resource: "r", Detail: "acquire"},
		{At: 4 * ms, Kind: sim.Reply, Process: "A", Node: "n1", Message: 1, Command: "SET", Detail: "OK"},
		{At: 4 * ms, Kind: sim.Acquired, Process: "A", Resource: "r", Lease: "A#1"},
		{At: 6 * ms, Kind: sim.Crash, Node: "n1"},
		{At: 7 * ms, Kind: sim.Restart, Node: "n1"},
		{At: 7 * ms, Kind: sim.Forget, Node: "n1", Key: "r", Value: "token#1"},
	} {
		e.Seq = len(run.Events) + 1
		run.Events = append(run.Events, e)
	}
	return run
}

// TestShiViz: ShiViz's own expression reads the log; each host counts by one, and the
// answer knows the execution.
func TestShiViz(t *testing.T) {
	var b bytes.Buffer
	if err := explain.ShiViz(&b, vote()); err != nil {
		t.Fatal(err)
	}
	parser, rest, _ := strings.Cut(b.String(), "\n")
	delimiter, log, _ := strings.Cut(rest, "\n")
	if delimiter != "" {
		t.Errorf("the second line is %q", delimiter)
	}
	expression := regexp.MustCompile(strings.ReplaceAll(parser, "(?<", "(?P<"))
	counts, last := map[string]int{}, ""
	entries := expression.FindAllStringSubmatch(log, -1)
	for _, entry := range entries {
		host := entry[2]
		var clock map[string]int
		if err := json.Unmarshal([]byte(entry[3]), &clock); err != nil {
			t.Fatal(err)
		}
		if counts[host]++; clock[host] != counts[host] {
			t.Errorf("%s counts %v at its event %d", host, clock, counts[host])
		}
		if strings.HasPrefix(entry[1], "reply") {
			last = entry[3]
		}
	}
	if len(entries) != 10 || counts["B_one"] != 1 {
		t.Errorf("%d entries, %v", len(entries), counts)
	}
	if last != `{"A":3,"n1":2}` {
		t.Errorf("the clock of the answer is %s", last)
	}
}

// TestPerfetto: the trace is JSON of known phases, with names for all tracks, and the
// slices and arrows of the run.
func TestPerfetto(t *testing.T) {
	var b bytes.Buffer
	if err := explain.Perfetto(&b, vote()); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name     string
			Ph       string
			Ts       *float64
			Dur      float64
			Pid, Tid int
			ID       int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	named, slices, arrows := map[[2]int]bool{}, map[string]float64{}, map[int]string{}
	for _, e := range trace.TraceEvents {
		if e.Ts == nil || !strings.Contains("MXisf", e.Ph) {
			t.Errorf("%+v is no event of the format", e)
		}
		switch e.Ph {
		case "M":
			named[[2]int{e.Pid, e.Tid}] = true
		case "X":
			slices[e.Name] = e.Dur
		case "s", "f":
			arrows[e.ID] += e.Ph
		}
	}
	for _, e := range trace.TraceEvents {
		if !named[[2]int{e.Pid, 0}] {
			t.Errorf("process %d has no name", e.Pid)
		}
	}
	for name, length := range map[string]float64{"acquire r": 3000, "A#1 holds r": 5000, "A's key r": 5000, "crash": 1000, "f": 7000} {
		if name != "acquire r" && slices[name] != length || slices[name] == 0 {
			t.Errorf("the slice %q lasts %v µs, want %v", name, slices[name], length)
		}
	}
	if arrows[2] != "sf" || arrows[3] != "sf" {
		t.Errorf("the arrows are %v", arrows)
	}
}

func TestFormatErrors(t *testing.T) {
	broken := &explain.Run{Processes: []string{"A", "A"}}
	if err := explain.ShiViz(&bytes.Buffer{}, broken); !errors.Is(err, explain.ErrRun) {
		t.Error(err)
	}
	if err := explain.Perfetto(&bytes.Buffer{}, broken); !errors.Is(err, explain.ErrRun) {
		t.Error(err)
	}
}
