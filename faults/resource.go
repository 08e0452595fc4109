package faults

import "redlocklab/sim"

// Memory is what a protected resource forgets when it restarts.
type Memory string

// What a restart can take. Values are on disk in either case.
const (
	LargestToken Memory = "the largest token" // kept in memory alone: the fence begins again
	Nothing      Memory = "nothing"           // the largest token is on disk, too
)

// ResourceRestart restarts protected resources: the other half of fencing can forget, too.
type ResourceRestart struct {
	Resources []string
	Forgets   Memory
}

func (r *ResourceRestart) definition() definition {
	return definition{
		summary: "restarts protected resources, whose fences may forget the largest token",
		breaks:  []string{"A-COUNTER"}, condition: "when a fenced register had seen a token and forgets it",
		example: "{name: the store restarts, resource_restart: r, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nameList("resource_restart", UnitResources, &r.Resources, "the resources that restart"),
			choice("forgets", &r.Forgets, "what they forget; the largest token: they kept it in memory alone", LargestToken, Nothing).or(string(LargestToken)),
		},
		begin: each(r.Resources, func(a action, name string) {
			a.Emit(sim.Event{Kind: sim.ResourceRestart, Resource: name, Detail: string(r.Forgets), Fault: a.fault})
		}),
	}
}
