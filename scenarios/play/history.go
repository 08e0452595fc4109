package play

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
)

// history makes the checker's records from the clients' notes and the trace. It uses what
// happened, not what was scheduled.
func (r *Referee) history(end time.Duration, events []sim.Event) *checker.History {
	h := &checker.History{Header: checker.Header{
		Version: checker.Version, Name: fmt.Sprintf("%s/%s/%d", r.plan.Scenario, r.plan.Subject.Title(), r.plan.Seed),
		EndNS: int64(end), TTLNS: int64(r.plan.Lock.TTL), RateErrorPPM: r.plan.Lock.RateErrorPPM, WallErrorNS: int64(r.plan.Lock.WallError),
	}}
	for _, n := range r.plan.World.Nodes {
		if r.uses(n.Name) {
			h.Header.Nodes = append(h.Header.Nodes, n.Name)
		}
	}
	asked := 0 // nodes, by the client that asks most
	for _, c := range r.plan.Clients {
		asked = max(asked, len(nodesOf(&c, h.Header.Nodes)))
	}
	h.Header.Quorum = asked/2 + 1
	for _, c := range r.clients {
		r.clientRecords(h, c)
	}
	h.Accesses = r.accesses
	if r.plan.Stock != 0 {
		for _, resource := range slices.Sorted(maps.Keys(r.registers)) {
			for _, register := range r.registers[resource] {
				h.Header.Registers = append(h.Header.Registers, checker.RegisterStart{Resource: resource, Register: register.kind, Value: r.plan.Stock})
			}
		}
	}
	readTrace(r.plan, r.uses, h, events, r.walls(events), r.tokensInValues(events))
	h.Goals = goalRecords(r.plan.Liveness, r.starts, end)
	return h
}
