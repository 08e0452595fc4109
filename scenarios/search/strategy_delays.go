package search

import (
	"fmt"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Two strategies change nothing but the order of messages. Every assumption is kept.

// maximalDelays is how many messages of a delay-bounded run are late. Most bugs of
// distributed programs show with two (Emmi, Qadeer, Rakamarić 2011).
const maximalDelays = 2

// Delays draws a run in which all messages take their usual time but one or two.
func Delays(seed uint64, o Options) (*plan.Plan, error) {
	return drawOrdered(seed, o, func(w *swarm, s *plan.Scenario) {
		s.Network.Latency.High = s.Network.Latency.Low
		for i := range 1 + w.below("delays", maximalDelays) {
			knob := fmt.Sprintf("delay %d", i+1)
			by := pick(w.draw, knob+" by", w.ttl/20, w.ttl/2, w.ttl, 5*w.ttl/4, 5*w.ttl/2)
			client, node := pick(w.draw, knob+" client", w.clients...), pick(w.draw, knob+" node", w.nodes...)
			direction := pick(w.draw, knob+" direction", faults.Requests, faults.Replies)
			s.Faults = append(s.Faults, faults.Fault{
				Name:   knob,
				Effect: &faults.Delay{By: faults.Span{Low: by, High: by}, ProbabilityPPM: 1_000_000, Clients: []string{client}, Nodes: []string{node}, Direction: direction},
				Begin:  message(client, node, direction, 1+w.below(knob+" nth", 12)),
				End:    faults.Ending{Ends: true, For: time.Nanosecond},
			})
		}
	})
}

// Ordering draws a run in which every link has a priority, and with it a speed
// of its own; at up to three moments a link falls behind all others. It is what
// probabilistic concurrency testing does with threads (Burckhardt et al. 2010).
func Ordering(seed uint64, o Options) (*plan.Plan, error) {
	return drawOrdered(seed, o, func(w *swarm, s *plan.Scenario) {
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
				Name:   knob,
				Effect: &faults.Delay{By: faults.Span{Low: slowest, High: 2 * slowest}, ProbabilityPPM: 1_000_000, Clients: []string{client}, Nodes: []string{node}, Direction: direction},
				Begin:  message(client, node, direction, 1+w.below(knob+" nth", 12)),
				End:    faults.Ending{Ends: true, For: w.ttl},
			})
		}
	})
}

// message is when the nth message of a link begins its way.
func message(client, node string, direction faults.Direction, nth int) faults.Trigger {
	if direction == faults.Requests {
		return faults.Trigger{When: faults.Pattern{Subject: client, Word: "sent", Peer: node}, Nth: nth}
	}
	return faults.Trigger{When: faults.Pattern{Subject: node, Word: "executed", Peer: client}, Nth: nth}
}

// drawOrdered draws what clients do, as the swarm does, and leaves the order of
// messages to the caller.
func drawOrdered(seed uint64, o Options, order func(w *swarm, s *plan.Scenario)) (*plan.Plan, error) {
	if len(o.Break) > 0 {
		return nil, fmt.Errorf("%w; the order of messages breaks none", ErrBreaksNothing)
	}
	return drawScenario(seed, o, func(d draw, s *plan.Scenario) error {
		s.Network.LossPPM = 0
		drawClients(d, s, o)
		order(newSwarm(d, s, o), s)
		return addLateClient(s, o)
	})
}
