package cause

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// Heal is a change of a run's plan that takes away what broke assumptions, and as little else
// as possible.
type Heal struct {
	Name   string  `json:"name"`             // identifies it in its run: "remove n3 leaps", "unique tokens"
	Words  string  `json:"words"`            // what is otherwise without the breaks: "if n3 keeps its votes"
	Fault  string  `json:"fault,omitempty"`  // that it changes or removes; empty: a setting of the plan
	Breaks []Break `json:"breaks,omitempty"` // that it takes away, in the order of the ledger

	edit  func(*plan.Plan)
	scope scope
}

// scope is how much a heal takes away. Heals are tried in this order.
type scope int

const (
	changes   scope = iota // a part of a fault, or a setting
	removes                // a whole fault
	restrains              // a client, for the breaks that remain without a fault
)

// covers reports whether a heal takes away all that another does.
func (h *Heal) covers(other *Heal) bool {
	more := func(b Break) bool { return !slices.Contains(h.Breaks, b) }
	return h.scope == removes && h.Fault == other.Fault ||
		h.scope == restrains && !slices.ContainsFunc(other.Breaks, more)
}

// about lists the heal's breaks of some assumptions.
func (h *Heal) about(assumptions []string) []Break {
	var relevant []Break
	for _, b := range h.Breaks {
		if slices.Contains(assumptions, b.Assumption) {
			relevant = append(relevant, b)
		}
	}
	return relevant
}

// Break is the first time that something broke an assumption.
type Break struct {
	Assumption string `json:"assumption"`
	AtNS       int64  `json:"at_ns"`
	// Event is the number of the trace event that broke it; 0: a setting of the plan did.
	Event  int64  `json:"event,omitempty"`
	Reason string `json:"reason"`

	key, lease string // that it hit; empty: all
}

// without returns a copy of the run's plan with the heals applied. They may change any list of
// the copy, but no list in an entry.
func without(run *play.Result, heals []*Heal) *plan.Plan {
	healed := *run.Plan
	healed.Faults, healed.Liveness = slices.Clone(healed.Faults), slices.Clone(healed.Liveness)
	healed.Clients = slices.Clone(healed.Clients)
	healed.World.Nodes, healed.World.Processes = slices.Clone(healed.World.Nodes), slices.Clone(healed.World.Processes)
	healed.World.Network.Links = slices.Clone(healed.World.Network.Links)
	for _, removed := range []bool{false, true} { // a fault that is removed needs no other change
		for _, h := range heals {
			if (h.scope == removes) == removed {
				h.edit(&healed)
				freeze(run, &healed, h)
			}
		}
	}
	return &healed
}

// remove takes a fault away.
func remove(name string) *Heal {
	text := fmt.Sprintf("without %q", name)
	return &Heal{Name: "remove " + name, Words: text, Fault: name, scope: removes, edit: func(p *plan.Plan) {
		p.Faults = slices.DeleteFunc(p.Faults, func(f faults.Fault) bool { return f.Name == name })
		p.Faults = slices.DeleteFunc(p.Faults, func(f faults.Fault) bool { return idle(p, &f) })
	}}
}

// idle reports whether a fault restarts only nodes that no fault leaves down.
func idle(p *plan.Plan, f *faults.Fault) bool {
	restart, ok := f.Effect.(*faults.Restart)
	return ok && !slices.ContainsFunc(p.Faults, func(other faults.Fault) bool {
		return slices.ContainsFunc(restart.Nodes, func(n string) bool { return faults.LeavesDown(other, n) })
	})
}

// replace replaces the effect of a fault.
func replace(p *plan.Plan, name string, by func(faults.Effect) faults.Effect) {
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Name == name {
			f.Effect = by(f.Effect)
		}
	}
}

// keepVotes makes nodes keep all their data through a crash, a failover or a demotion, and
// changes nothing else: they are down for as long, but end by a clean shutdown that
// saves. A node that keeps nothing on disk still forgets at its other crashes.
func keepVotes(f *faults.Fault) *Heal {
	nodes := faults.NodesOf(f.Effect)
	keep := words.Plural(len(nodes), "keeps its", "keep their")
	kept := fmt.Sprintf("if %s %s data through %q", words.Listed(nodes), keep, f.Name)
	return &Heal{Name: "keep " + f.Name, Words: kept, Fault: f.Name, edit: func(p *plan.Plan) {
		replace(p, f.Name, func(was faults.Effect) faults.Effect {
			crash := faults.Crash{TimedBy: faults.TrueTime}
			switch was := was.(type) {
			case *faults.Demote:
				return &faults.Refuse{Nodes: nodes, As: sim.ReadOnly}
			case *faults.Crash:
				crash = *was
			}
			crash.Nodes, crash.How = nodes, sim.Shutdown
			return &crash
		})
		for i := range p.World.Nodes {
			n := &p.World.Nodes[i]
			if slices.Contains(nodes, n.Name) && (n.Persistence == sim.NoPersistence || n.Persistence == "") {
				n.Persistence, n.SnapshotEvery = sim.RDB, 0 // it saves at a clean shutdown alone
			}
		}
	}}
}

// countSleep makes the clocks of suspended clients count the suspension.
func countSleep(f *faults.Fault) *Heal {
	clients := faults.ClientsOf(f.Effect)
	counts := "if " + words.Listed(clients) + "'s clock counts the suspension"
	return &Heal{Name: "count " + f.Name, Words: counts, Fault: f.Name, edit: func(p *plan.Plan) {
		replace(p, f.Name, func(faults.Effect) faults.Effect { return &faults.Pause{Clients: clients} })
	}}
}

// option puts an option of the subject back to its default.
func option(name, text string) *Heal {
	return &Heal{Name: text, Words: "with " + text, edit: func(p *plan.Plan) {
		p.Subject.Options = otherOptions(p, name)
	}}
}

// otherOptions lists the options of a plan's subject without one of them.
func otherOptions(p *plan.Plan, name string) []plan.Option {
	return slices.DeleteFunc(slices.Clone(p.Subject.Options), func(o plan.Option) bool { return o.Name == name })
}

// trueRates makes clocks run true that err from the beginning.
func trueRates(who string) *Heal {
	return &Heal{Name: "rate of " + who, Words: "if " + who + "'s clock runs true", edit: func(p *plan.Plan) {
		for i := range p.World.Nodes {
			if p.World.Nodes[i].Name == who {
				p.World.Nodes[i].RatePPM = 0
			}
		}
		for i := range p.World.Processes {
			if p.World.Processes[i].Name == who {
				p.World.Processes[i].RatePPM = 0
			}
		}
	}}
}

// distinctServers gives each address a server of its own, as the first one has it.
func distinctServers() *Heal {
	return &Heal{Name: "distinct servers", Words: "if each address is a server of its own", edit: func(p *plan.Plan) {
		for i, n := range p.World.Nodes {
			first := slices.IndexFunc(p.World.Nodes, func(o sim.NodeConfig) bool { return o.Name == n.SameAs })
			if first >= 0 {
				p.World.Nodes[i] = p.World.Nodes[first]
				p.World.Nodes[i].Name = n.Name
			}
		}
	}}
}

// sameNodes makes all clients use all nodes.
func sameNodes() *Heal {
	return &Heal{Name: "one set of nodes", Words: "if all clients use the same nodes", edit: func(p *plan.Plan) {
		for i := range p.Clients {
			p.Clients[i].Nodes = nil
		}
	}}
}

// workInTime makes a client look at its lease before each access, and access at once.
func workInTime(client string) *Heal {
	stops := "if " + client + " stops working when its lease ends"
	return &Heal{Name: "work of " + client, Words: stops, scope: restrains, edit: func(p *plan.Plan) {
		changeSteps(p, client, func(s *plan.Step) {
			if s.Kind == plan.StepRead || s.Kind == plan.StepWrite || s.Kind == plan.StepDecrement {
				s.Guarded, s.Think, s.Delay = true, plan.Span{}, plan.Span{}
			}
		})
	}}
}

// boundExtensions makes a client extend as often as the scenario allows. A lock that
// renews its leases by itself is held for as long as so many renewals last.
func boundExtensions(p *plan.Plan, client string) *Heal {
	limit := p.Lock.Extensions
	h := &Heal{Name: "extensions of " + client, Words: fmt.Sprintf("if %s extends %d times at most", client, limit)}
	d, _ := plan.Declared(p.Subject.Name)
	if slices.ContainsFunc(d.Options, func(o plan.OptionDeclaration) bool {
		return o.Name == "extensions" && slices.Contains(o.Values, "bounded")
	}) {
		h.edit = func(p *plan.Plan) {
			bounded := plan.Option{Name: "extensions", Value: "bounded"}
			p.Subject.Options = append(otherOptions(p, "extensions"), bounded)
		}
		return h
	}
	h.edit = func(p *plan.Plan) {
		longest := p.Lock.TTL / 3 * time.Duration(limit)
		changeSteps(p, client, func(s *plan.Step) {
			inner := 0
			for _, step := range plan.AllSteps(s.Steps) {
				if step.Kind == plan.StepExtend {
					inner++
				}
			}
			switch {
			case s.Kind == plan.StepRepeat && inner > 0:
				s.Times, s.For = max(1, limit/inner), 0
			case s.Kind == plan.StepHold && p.Subject.Watchdog():
				s.Duration = plan.Span{Low: min(s.Duration.Low, longest), High: min(s.Duration.High, longest)}
			}
		})
	}
	return h
}

// endlessTries makes clients try until they have the lock.
func endlessTries() *Heal {
	return &Heal{Name: "endless tries", Words: "if clients try until they have the lock", edit: func(p *plan.Plan) {
		p.Lock.Retry.Tries = 0
		for i := range p.Clients {
			changeSteps(p, p.Clients[i].Name, func(s *plan.Step) {
				if s.Kind == plan.StepTryLock {
					s.Kind = plan.StepLock
				}
			})
		}
	}}
}

// changeSteps changes copies of all steps of a client.
func changeSteps(p *plan.Plan, client string, change func(*plan.Step)) {
	for i := range p.Clients {
		if c := &p.Clients[i]; c.Name == client {
			c.Steps = changedSteps(c.Steps, change)
		}
	}
}

func changedSteps(steps []plan.Step, change func(*plan.Step)) []plan.Step {
	changed := slices.Clone(steps)
	for i := range changed {
		changed[i].Steps = changedSteps(changed[i].Steps, change)
		change(&changed[i])
	}
	return changed
}

// sameDate lets all clients begin with the same time of day.
func sameDate() *Heal {
	same := "if all clients have the same time of day"
	return &Heal{Name: "one time of day", Words: same, edit: func(p *plan.Plan) {
		for i := range p.Clients {
			c := &p.Clients[i]
			for j := range p.World.Processes {
				if process := &p.World.Processes[j]; process.Name == c.Name {
					process.WallOffset -= c.Ahead
				}
			}
			c.Ahead = 0
		}
	}}
}

// noLoss makes the network lose nothing by chance.
func noLoss() *Heal {
	return &Heal{Name: "no random loss", Words: "if the network loses nothing by chance", edit: func(p *plan.Plan) {
		p.World.Network.LossPPM = 0
		for i := range p.World.Network.Links {
			p.World.Network.Links[i].LossPPM = 0
		}
	}}
}

// fastLinks makes the messages between a client and some nodes so fast that four round trips
// fit into the node timeout: those of a connection's set-up, of a command, and one to spare.
// Latencies keep their proportions.
func fastLinks(client string, nodes []string) *Heal {
	name := client + " and " + words.Listed(nodes)
	return &Heal{
		Name:  "latencies between " + name,
		Words: fmt.Sprintf("if connections between %s fit into the node timeout", name),
		edit: func(p *plan.Plan) {
			network := &p.World.Network
			fast := []sim.LinkConfig{}
			for _, node := range nodes {
				to, from := network.Link(client, node, sim.ToNode), network.Link(client, node, sim.ToProcess)
				share := float64(p.Lock.NodeTimeout) / float64(4*(to.Latency.Max+from.Latency.Max))
				for _, l := range []sim.LinkConfig{to, from} {
					l.Latency.Min = time.Duration(float64(l.Latency.Min) * share)
					l.Latency.Max = time.Duration(float64(l.Latency.Max) * share)
					fast = append(fast, l)
				}
			}
			network.Links = append(fast, network.Links...)
		},
	}
}
