package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

// Validate checks that the parts of a scenario fit together: every name in it resolves,
// and everything that it says can happen. Bounds must have been evaluated. The problems
// are in the order of the checks.
//
// sound reports whether some parts, named as in JSON, have no errors so far. A check runs
// only if the parts that it needs are sound. With nil all checks run.
func (s *Scenario) Validate(sound func(parts ...string) bool) []Problem {
	c := &check{}
	for _, each := range []struct {
		parts []string
		check func(*check)
	}{
		{[]string{"clients"}, s.checkSteps},
		{[]string{"nodes", "clients"}, s.checkNodes},
		{[]string{"nodes", "clients", "network"}, s.checkGroups},
		{[]string{"nodes", "clients", "network"}, s.checkLinks},
		{[]string{"nodes", "clients", "faults"}, s.checkFaults},
		{[]string{"nodes", "faults", "lock"}, s.checkEffects},
		{[]string{"clients", "faults"}, s.checkLives},
		{[]string{"subjects"}, s.checkRows},
		{[]string{"clients", "subjects"}, s.checkExpectations},
		{nil, s.checkMap},
		{[]string{"nodes", "clients", "faults", "lock", "network", "liveness"}, s.checkGoals},
	} {
		if sound == nil || sound(each.parts...) {
			each.check(c)
		}
	}
	return c.problems
}

// checkSteps checks that each step can have an effect.
func (s *Scenario) checkSteps(c *check) {
	for i, client := range s.Clients {
		if client.Follows == "" { // later lives have the same steps
			c.usefulSteps(field(element("clients", i), "steps"), client.Steps, map[string]bool{})
		}
	}
}

// usefulSteps checks steps in order. locked are the resources of the locks before them.
func (c *check) usefulSteps(path string, list []Step, locked map[string]bool) {
	for i, s := range list {
		at := element(path, i)
		switch s.Kind {
		case StepLock, StepTryLock:
			locked[s.Resource] = true
		case StepHold:
			if len(locked) == 0 {
				c.problem(field(at, "duration"), "a hold before any lock or trylock, which is over at once", "wait")
			}
		case StepExtend, StepRelease, StepRead, StepWrite, StepDecrement:
			if !locked[s.Resource] {
				c.problem(field(at, "resource"), strconv.Quote(s.Resource)+", which this client has not locked before", "a resource of an earlier lock or trylock")
			}
		case StepCrash:
			if i+1 < len(list) {
				c.problem(at, "steps after crash, which are never reached", "crash as the last step")
			}
		case StepRepeat:
			c.usefulSteps(field(at, "steps"), s.Steps, locked)
			c.loopEnds(at, s)
		}
	}
}

// checkNodes checks that clients and shared servers name nodes that exist.
func (s *Scenario) checkNodes(c *check) {
	known := s.Nodes.Names()
	inOrder := func(path string, list []string) {
		last := -1
		for i, n := range list {
			at := slices.Index(known, n)
			if at < 0 {
				c.problem(element(path, i), strconv.Quote(n), nearest(n, known))
			} else if at < last {
				c.problem(element(path, i), strconv.Quote(n)+" after "+strconv.Quote(known[last]), "nodes in their order")
			}
			last = max(last, at)
		}
	}
	inOrder("nodes.one_server", s.Nodes.OneServer)
	if len(s.Nodes.OneServer) == 1 {
		c.problem("nodes.one_server", "one node", "two or more")
	}
	for i, client := range s.Clients {
		inOrder(field(element("clients", i), "nodes"), client.Nodes)
	}
}

// checkLinks checks that each exception leads from a client to a node or back.
func (s *Scenario) checkLinks(c *check) {
	t := s.Topology()
	known := slices.Concat(t.Clients, t.Nodes, groupNames(s), []string{faults.All})
	for i, l := range s.Network.Links {
		at := element("network.links", i)
		from, to, second := l.From, l.To, field(at, "to")
		if l.Between != [2]string{} {
			from, to, second = l.Between[0], l.Between[1], field(at, "between[1]")
			oneOf(c, field(at, "between[0]"), "", from, known...)
		} else {
			oneOf(c, field(at, "from"), "", from, known...)
		}
		oneOf(c, second, "", to, known...)
		switch one := s.endsOf(from); {
		case !slices.Contains(known, from) || !slices.Contains(known, to):
		case from == faults.All && to == faults.All:
			c.problem(second, "no end of the link that is a client or a node", "at least one, or change the network's own values")
		case len(s.oneWay(Link{From: from, To: to})) > 0:
		case len(one.clients) > 0:
			c.problem(second, "a second client", "a link between a client and a node")
		default:
			c.problem(second, "a second node", "a link between a client and a node")
		}
	}
}

func (s *Scenario) checkFaults(c *check) {
	for _, p := range s.Faults.Problems(s.Topology()) {
		at := element("faults", p.Index)
		if p.Field != "" {
			at = field(at, p.Field)
		}
		c.message(at, p.Message)
		c.problems[len(c.problems)-1].Name = p.Word
	}
}

// checkEffects checks that resources and nodes have what a fault takes from them.
func (s *Scenario) checkEffects(c *check) {
	for i, f := range s.Faults {
		switch at := element("faults", i); f.Effect.(type) {
		case *faults.ResourceRestart:
			if s.Lock.Fencing == "" || s.Lock.Fencing == FencingNone {
				c.problem(field(at, "resource_restart"), "a resource that sees no fencing tokens, so that it has none to forget",
					"with lock.fencing: "+string(FencingIdeal)+" or "+string(FencingSubject))
			}
		case *faults.FillDisk:
			if p := s.Nodes.Persistence; p != sim.AOFEverySec && p != sim.AOFAlways {
				c.problem(field(at, "fill_disk"), "nodes that write no append-only file", "with nodes.persistence: "+string(sim.AOFEverySec)+" or "+string(sim.AOFAlways))
			}
		}
	}
}

// checkLives checks that each life of a client that has a next one can end with a crash.
func (s *Scenario) checkLives(c *check) {
	for i, client := range s.Clients {
		crashes := client.Follows == "" || client.Does(StepCrash)
		for _, f := range s.Faults {
			killed, isCrash := f.Effect.(*faults.ClientCrash)
			crashes = crashes || isCrash && slices.Contains(killed.Clients, client.Follows)
		}
		if !crashes {
			c.problem(field(element("clients", i), "follows"), fmt.Sprintf("a client that is to be started again as %s, and nothing that crashes %s", client.Name, client.Follows),
				"with crash as its last step, or a client_crash")
			return
		}
	}
}

// checkRows checks that each row can be played: that its lock has the fencing tokens that it is
// asked for, and that no two rows have equal settings, given or by default, which would play
// the same runs.
func (s *Scenario) checkRows(c *check) {
	if !AnyDeclared() {
		return // the defaults are not known
	}
	for i, b := range s.Subjects {
		d, known := Declared(b.Name)
		if known && s.Lock.Fencing == FencingSubject && !d.Abilities.Fences && b.Option("fence", "none") == "none" {
			c.problem(element("subjects", i), "a lock that has no fencing tokens of its own, with lock.fencing: "+string(FencingSubject),
				"with lock.fencing: "+string(FencingIdeal)+" or "+string(FencingNone)+", or a lock that has them")
		}
		for _, a := range s.Subjects[:i] {
			if a.Name == b.Name && d.Same(a, b) {
				c.problem(element("subjects", i), "the options of "+strconv.Quote(a.Title())+" again, which plays the same",
					"other options than those of the subject's other rows"+d.defaults())
				break
			}
		}
	}
}

// checkExpectations checks that what is expected of a subject can happen.
func (s *Scenario) checkExpectations(c *check) {
	never := map[checker.Oracle]string{} // why an oracle has nothing to find
	if len(s.Liveness) == 0 {
		never[checker.OracleLiveness] = "the file has no liveness goal"
	}
	if s.Lock.Fencing == FencingNone {
		never[checker.OracleFencingTokens] = "lock.fencing is none"
	}
	accesses := func(c Client) bool { return slices.ContainsFunc(AllSteps(c.Steps), Step.access) }
	if !slices.ContainsFunc(s.Clients, accesses) {
		const idle = "no client reads or writes the resource"
		never[checker.OracleResourceUnfenced] = idle
		never[checker.OracleResourceFencedWrites] = idle
		never[checker.OracleResourceFenced] = idle
	}
	for i, subject := range s.Subjects {
		at := element("subjects", i)
		violated := false
		for _, oracle := range checker.Oracles() {
			if subject.Expect[oracle] != checker.Violated {
				continue
			}
			violated = true
			if why := never[oracle]; why != "" {
				c.problem(field(at, "expect."+string(oracle)), "violated, but "+why, string(checker.Holds))
			}
		}
		if subject.Option("extensions", "") == "bounded" && s.Lock.Extensions == 0 {
			c.problem(field(at, "options.extensions"), "bounded, but the file states no bound", "with lock.extensions")
		}
		if subject.Runs == RunsSome && !violated && len(subject.Broken) == 0 {
			c.problem(field(at, "runs"), "some, but nothing is expected to be violated or broken", string(RunsAll))
		}
	}
}

func (s *Scenario) checkMap(c *check) {
	if s.Map != nil && s.Map.Measure == MeasureTime && len(s.Liveness) == 0 {
		c.problem("map.measure", "time, but the file has no liveness goal", "verdict, violated, margin")
	}
}

// checkGoals checks that each goal can be met, and can be missed.
func (s *Scenario) checkGoals(c *check) {
	t := s.Topology()
	for i := range s.Liveness {
		at, g := element("liveness", i), &s.Liveness[i]
		before := len(c.problems)
		c.goal(at, g, &t)
		unknownClient := len(c.problems) > before
		if g.Except != "" && g.Client != AnyClient {
			c.problem(field(at, "except"), "except beside one client", "with client: any")
		}
		switch {
		case g.Each == EachClears && g.Does != "release" && g.Does != "acquire":
			c.problem(field(at, "does"), strconv.Quote(g.Does)+" with each: clears", "release, acquire")
		case g.Each == EachInTime && g.Does != "extend":
			c.problem(field(at, "does"), strconv.Quote(g.Does)+" with each: in_time", "extend")
		}
		if g.Resource != "" && !slices.Contains(t.Resources, g.Resource) {
			c.problem(field(at, "resource"), "the unknown resource "+strconv.Quote(g.Resource), nearest(g.Resource, t.Resources))
		}
		var does []string
		for _, client := range t.Clients {
			if g.Client == client || g.Client == AnyClient && g.Except != client {
				does = append(does, t.Calls[client]...)
			}
		}
		byItself := g.Each == EachNever || g.Each == EachInTime && slices.ContainsFunc(s.Subjects, Subject.renews)
		if !byItself && !unknownClient && !slices.Contains(does, g.Does) {
			does = slices.DeleteFunc(does, func(call string) bool { return call == string(StepCrash) })
			slices.Sort(does)
			c.problem(field(at, "does"), fmt.Sprintf("%q, which no step of %s does", g.Does, g.Client),
				strings.Join(slices.Compact(does), ", "))
		}
		for _, p := range s.Faults.TriggerProblems(g.From, t) {
			c.message(field(at, "from"), p.Message)
		}
		// A missed bound must be a violation, not an inconclusive run.
		if end := g.Within.Value + earliest(g.From); end >= s.Bounds.Virtual {
			c.problem(field(at, "within"), fmt.Sprintf("a bound of %v that ends at %v or later", g.Within.Value, end), fmt.Sprintf("below bounds.virtual, which is %v", s.Bounds.Virtual))
		}
	}
}

// earliest is a time before which a trigger cannot fire.
func earliest(t faults.Trigger) time.Duration {
	if t.When.IsZero() {
		return t.At
	}
	return t.After
}
