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
	return drawScenario(seed, o, func(d draw, s *plan.Scenario) error {
		s.Network.LossPPM = 0
		drawClients(d, s, o)
		w := newSwarm(d, s, o)
		near := s.Network.Latency.Low
		slowest := 10 * near
		s.Network.Latency = faults.Span{Low: near, High: near}
		for _, client := range w.clients {
			for _, node := range w.nodes {
				for _, link := range []plan.Link{{From: client, To: node}, {From: node, To: client}} {
					speed := near + time.Duration(w.below("priority "+link.From+" "+link.To, 10))*near
					link.Latency = faults.Span{Low: speed, High: speed}
					s.Network.Links = append(s.Network.Links, link)
				}
			}
		}
		s.Lock.NodeTimeout = max(s.Lock.NodeTimeout, 10*slowest)
		for i := range w.below("changes", 4) {
			knob := fmt.Sprintf("change %d", i+1)
			client, node := pick(w.draw, knob+" client", w.clients...), pick(w.draw, knob+" node", w.nodes...)
			direction := pick(w.draw, knob+" direction", faults.Requests, faults.Replies)
			s.Faults = append(s.Faults, faults.Fault{
				Name: knob,
				Effect: &faults.Delay{
					By: faults.Span{Low: slowest, High: 2 * slowest}, ProbabilityPPM: 1_000_000,
					Clients: []string{client}, Nodes: []string{node}, Direction: direction,
				},
				Begin: message(client, node, direction, 1+w.below(knob+" nth", 12)),
				End:   faults.Ending{Ends: true, For: w.ttl},
			})
		}
		return addLateClient(s, o)
	})
}

// message is when the nth message of a link begins its way.
func message(client, node string, direction faults.Direction, nth int) faults.Trigger {
	if direction == faults.Requests {
		return faults.Trigger{When: faults.Pattern{Subject: client, Word: "sent", Peer: node}, Nth: nth}
	}
	return faults.Trigger{When: faults.Pattern{Subject: node, Word: "executed", Peer: client}, Nth: nth}
}
