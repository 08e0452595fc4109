package search

import (
	"fmt"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Ordering draws a run in which every link has a priority, and with it a speed
// of its own; at up to three moments a link falls behind all others. It is what
// probabilistic concurrency testing does with threads (Burckhardt et al. 2010). Every assumption is kept.
func Ordering(seed uint64, o Trial) (*plan.Plan, error) {
	if len(o.Break) > 0 {
		return nil, fmt.Errorf("%w; the order of messages breaks none", ErrBreaksNothing)
	}
	return drawScenario(seed, o, func(w *swarm) {
		w.Network.LossPPM = 0
		w.drawClients()
		near := w.Network.Latency.Low
		slowest := 10 * near
		w.Network.Latency = still(near)
		for _, client := range w.clients() {
			for _, node := range w.Nodes.Names() {
				for _, link := range []plan.Link{{From: client, To: node}, {From: node, To: client}} {
					link.Latency = still(near + time.Duration(w.below("priority "+link.From+" "+link.To, 10))*near)
					w.Network.Links = append(w.Network.Links, link)
				}
			}
		}
		w.Lock.NodeTimeout = max(w.Lock.NodeTimeout, 10*slowest)
		for i := range w.below("changes", 4) {
			name := fmt.Sprintf("change %d", i+1)
			one := w.named(name)
			client, node := pick(one.draw, "client", w.clients()...), pick(one.draw, "node", w.Nodes.Names()...)
			direction := pick(one.draw, "direction", faults.Requests, faults.Replies)
			sent := faults.Pattern{Subject: client, Word: "sent", Peer: node}
			if direction == faults.Replies {
				sent = faults.Pattern{Subject: node, Word: "executed", Peer: client}
			}
			w.Faults = append(w.Faults, faults.Fault{
				Name: name,
				Effect: &faults.Delay{
					By: faults.Span{Low: slowest, High: 2 * slowest}, ProbabilityPPM: 1_000_000,
					Clients: []string{client}, Nodes: []string{node}, Direction: direction,
				},
				Begin: faults.Trigger{When: sent, Nth: 1 + one.below("nth", 12)},
				End:   faults.Ending{Ends: true, For: w.pace()},
			})
		}
		w.addLateClient()
	})
}
