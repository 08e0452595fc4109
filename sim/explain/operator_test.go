package explain_test

import (
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// The events that follow an operator's command take keys away; they do not bring
// them back.
func TestWhatAnOperatorTookStaysAway(t *testing.T) {
	run := &explain.Run{Processes: []string{"A"}, Nodes: []string{"n1"}, Events: []sim.Event{
		{Seq: 1, At: 1, Kind: sim.Execute, Process: "A", Node: "n1", Message: 1, Command: "SET", Key: "r", Value: "token#1", TTL: 10 * time.Second, Detail: "OK"},
		{Seq: 2, At: 2, Kind: sim.NodeCall, Node: "n1", Command: "FLUSHALL", Detail: "FLUSHALL"},
		{Seq: 3, At: 2, Kind: sim.NodeCall, Node: "n1", Command: sim.Removal, Key: "r", Value: "token#1", TTL: 9 * time.Second},
		{Seq: 4, At: 3, Kind: sim.NodeCall, Node: "n1", Command: "FLUSHALL", Detail: "FLUSHALL"},
		{Seq: 5, At: 3, Kind: sim.NodeCall, Node: "n1", Command: sim.Removal, Key: "counter", Value: "7", TTL: -1},
	}}
	story := tell(t, run, explain.StoryOptions{})
	var text string
	for _, line := range story.Lines {
		text += line.Text + "\n"
	}
	if strings.Count(text, "A's key") != 1 {
		t.Errorf("the key is lost more or less than once:\n%s", text)
	}
	for _, want := range []string{"loses A's key for r, which had 9 s left", "loses the key for counter, which had no TTL"} {
		if !strings.Contains(text, want) {
			t.Errorf("nobody tells %q:\n%s", want, text)
		}
	}
}
