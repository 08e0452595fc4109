package explain_test

import (
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// TestCleanUpByScriptIsRelease: a failed acquisition that cleans up by a script of its own releases;
// it does not ask for the lock again, and no node says no to that.
func TestCleanUpByScriptIsRelease(t *testing.T) {
	var events []sim.Event
	add := func(e sim.Event) {
		e.Seq, e.At, e.Process = len(events)+1, time.Duration(len(events)+1)*time.Millisecond, "A"
		events = append(events, e)
	}
	asked := 0
	ask := func(node, command, detail, value, answer string) {
		asked++
		e := sim.Event{Node: node, Message: asked, Command: command, Key: "r"}
		for _, kind := range []sim.Kind{sim.Send, sim.Deliver, sim.Execute, sim.Reply} {
			e.Kind, e.Detail = kind, answer
			if kind == sim.Send {
				e.Detail = detail
			}
			e.Value, e.TTL = "", 0
			if kind == sim.Execute && value != "" {
				e.Value, e.TTL = value, 10*time.Second
			}
			add(e)
		}
	}
	add(sim.Event{Kind: sim.Call, Resource: "r", Detail: "acquire"})
	ask("n1", "SET", "set r token#1 px 10000 nx", "token#1", "OK")
	ask("n2", "SET", "set r token#1 px 10000 nx", "token#2", "nil")
	ask("n1", "EVAL", "eval (script) 1 r token#1", "", "1")
	ask("n2", "EVAL", "eval (script) 1 r token#1", "token#2", "0")
	add(sim.Event{Kind: sim.Failed, Resource: "r", Detail: "acquire: contended"})
	run := &explain.Run{Processes: []string{"A"}, Nodes: []string{"n1", "n2"}, Events: events}
	var text strings.Builder
	_, _ = tell(t, run, explain.StoryOptions{}).WriteTo(&text)
	if s := text.String(); strings.Count(s, "for lock r") != 1 || !strings.Contains(s, "n1 deletes its key") {
		t.Errorf("the clean-up is told as an acquisition:\n%s", s)
	}
}
