package cause_test

import (
	"slices"
	"testing"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestDrawsAreKept: a run without one fault keeps all other draws. B's messages, which
// faults of chance delay and lose, fare alike with and without a fault of A, which changes
// how many messages A sends. They share no node, for a node is the same for both.
func TestDrawsAreKept(t *testing.T) {
	clients := `  A: { nodes: [n4, n5], steps: [ { lock: a }, { hold: 3s }, { release: a } ] }
  B: { nodes: [n1, n2, n3], steps: [ { repeat: { times: 20, steps: [ { lock: b }, { hold: 10ms..40ms }, { release: b } ] } } ] }
`
	chance := `  - { name: losses, lose: 5%, at: 0s }
  - { name: slow links, delay: 1ms..9ms, probability: 50%, at: 0s }
  - { name: slow nodes, slow_node: n1 n4, by: 1ms..3ms, at: 0s }
  - { name: drips, drip: 10us..30us, nodes: n2 n4, at: 0s }
`
	with := story(t, "SY-0", clients, "  - { name: cut, partition: A, from: n5, for: 2s, at: 0s }\n"+chance)
	without := *with
	without.Faults = without.Faults[1:]
	first, second := messagesOf(t, with, "B"), messagesOf(t, &without, "B")
	if len(first) < 300 {
		t.Fatalf("only %d events of B", len(first))
	}
	if i := slices.IndexFunc(first, func(e sim.Event) bool { return !slices.Contains(second, e) }); i >= 0 ||
		len(first) != len(second) {
		t.Errorf("%d events of B with the fault, %d without; the first other one: %+v", len(first), len(second), first[max(i, 0)])
	}
}

// messagesOf are the events of a process' messages, without the numbers that the run gives them.
func messagesOf(t *testing.T, p *plan.Plan, process string) []sim.Event {
	run, err := replay(p)
	if err != nil {
		t.Fatal(err)
	}
	var list []sim.Event
	for _, e := range run.Events {
		if e.Process == process && (e.Kind == sim.Send || e.Kind == sim.Deliver || e.Kind == sim.Reply ||
			e.Kind == sim.Drop || e.Kind == sim.Delay) {
			e.Seq, e.Message, e.Conn, e.Value, e.Detail = 0, 0, 0, "", ""
			list = append(list, e)
		}
	}
	return list
}
