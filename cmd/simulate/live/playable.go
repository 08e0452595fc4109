package live

import (
	"fmt"
	"reflect"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

const (
	oneClock = "the servers and clients of one machine share its clock"
	noPower  = "what a server has not synced is lost only with the machine's power"
)

// kinds says of every kind of fault why it cannot be played; empty when it can.
var kinds = map[string]string{
	"crash": "", "restart": "", "partition": "", "lose": "", "delay": "", "pause": "",
	"operator_delete": "", "operator_flush": "", "client_crash": "",
	"node_clock_step": oneClock, "node_clock_rate": oneClock,
	"client_clock_step": oneClock, "client_clock_rate": oneClock,
	"reset": "", "black_hole": "", "drip": "", "slow_node": "", "stop_node": "",
	"node_clock_drift": oneClock, "client_clock_drift": oneClock,
	"refuse": "", "evict": "", "script_flush": "",
	"failover":    "the servers that are started have no replicas",
	"demote":      "the servers that are started have no replicas",
	"late_timers": "nothing can make the machine's timers fire late",
	"fill_disk":   "the disk of the machine is not the laboratory's to fill",
	"slow_disk":   "the machine has one disk",
	"move":        "", "resource_restart": "",
	"slow_client": "nothing can make the machine's scheduler wake a process late",
	"suspend":     "a machine cannot sleep and go on measuring",
}

// Unplayable says why a plan cannot be played on real servers: each reason once,
// none when it can.
func Unplayable(p *plan.Plan) []string {
	var reasons []string
	add := func(reason string) {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	for _, f := range p.Faults {
		reason, known := kinds[faults.KindOf(f.Effect)]
		if !known {
			reason = "no real process can suffer it"
		}
		switch effect := f.Effect.(type) {
		case *faults.Crash:
			reason = uncrashable(p, effect)
		case *faults.Refuse:
			reason = unrefusable(p, effect)
		}
		if reason != "" {
			add(faults.KindOf(f.Effect) + ": " + reason)
		}
	}
	for _, n := range p.World.Nodes {
		rest := n
		rest.Name, rest.Persistence, rest.SnapshotEvery, rest.Offset, rest.Age = "", "", 0, 0, 0
		if !reflect.ValueOf(rest).IsZero() {
			add(fmt.Sprintf("node %s is more than one server on the machine's clock", n.Name))
		}
	}
	for _, c := range p.World.Processes {
		if c.RatePPM != 0 {
			add("the clock of " + c.Name + ": " + oneClock)
		}
	}
	return reasons
}

// unrefusable says why a refusal cannot be played.
func unrefusable(p *plan.Plan, r *faults.Refuse) string {
	if _, known := refusals[r.As]; !known {
		return fmt.Sprintf("a server that is %s does not tell the laboratory what it holds", r.As)
	}
	if r.As == sim.DiskError && has(p, sim.RDB) {
		return "a server whose snapshots fail has none to restart from"
	}
	return ""
}

// uncrashable says why a crash cannot be played. A power loss can be where it loses
// the same as a kill: everything, nothing, or what came after the last snapshot.
func uncrashable(p *plan.Plan, crash *faults.Crash) string {
	switch {
	case crash.TimedBy == faults.NodeClock:
		return oneClock
	case crash.Loading > 0:
		return "a server that keeps so little loads it at once"
	case crash.How == sim.PowerLoss && has(p, sim.AOFEverySec):
		return noPower
	}
	return ""
}

// has reports whether a node of the plan has this persistence.
func has(p *plan.Plan, mode sim.Persistence) bool {
	return slices.ContainsFunc(p.World.Nodes, func(n sim.NodeConfig) bool { return n.Persistence == mode })
}
