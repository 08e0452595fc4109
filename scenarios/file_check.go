package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"redlocklab/faults"
)

// check holds the parts of a scenario that was read to each other. A check runs
// only when what it compares is free of errors itself.
func (r *reader) check(s *Scenario) {
	if r.clean("clients") {
		for i := range s.Clients {
			c := &s.Clients[i]
			if c.Follows != "" {
				continue // its steps are those of the first life
			}
			at := "clients." + c.Name
			if n := r.places[child(at, "steps")]; n != nil {
				at = child(at, "steps")
			}
			held := map[string]bool{}
			r.steps(at, c.Steps, held)
		}
	}
	if r.clean("nodes", "clients") {
		r.nodeSets(s)
	}
	if r.clean("nodes", "clients", "network") {
		r.links(s)
	}
	if r.clean("nodes", "clients", "faults") {
		for _, p := range s.Faults.Problems(s.Topology()) {
			reportFault(r, "faults["+strconv.Itoa(p.Index)+"]", p)
		}
	}
	if r.clean("clients", "faults") {
		r.lives(s)
	}
	if r.clean("subjects") {
		r.rows(s.Subjects)
	}
	if r.clean("clients", "subjects") {
		r.expectations(s)
	}
	if s.Curve != nil && s.Curve.Measure == MeasureTime && len(s.Liveness) == 0 {
		r.report("curve.measure", "found time, but the file has no liveness goal; allowed: violated, margin")
	}
	if r.clean("nodes", "clients", "faults", "lock", "network", "liveness") {
		for i := range s.Liveness {
			r.goal("liveness["+strconv.Itoa(i)+"]", s, &s.Liveness[i])
		}
	}
}

// nodeSets checks that clients and shared servers name nodes that there are.
func (r *reader) nodeSets(s *Scenario) {
	known := s.Nodes.Names()
	named := func(field string, list []string) {
		last := -1
		for i, n := range list {
			at := slices.Index(known, n)
			if at < 0 {
				r.report(field+"["+strconv.Itoa(i)+"]", fmt.Sprintf("found %s; %s", quoted(n), faults.Allowed(n, known)))
			} else if at < last {
				r.report(field+"["+strconv.Itoa(i)+"]", fmt.Sprintf("found %s behind %s; allowed: nodes in their order", quoted(n), quoted(known[last])))
			}
			last = max(last, at)
		}
	}
	named("nodes.one_server", s.Nodes.OneServer)
	if one := s.Nodes.OneServer; len(one) == 1 {
		r.report("nodes.one_server", "found one node; allowed: two or more")
	}
	for _, c := range s.Clients {
		named("clients."+c.Name+".nodes", c.Nodes)
	}
}

// Topology is what the scenario's faults can refer to.
func (s *Scenario) Topology() faults.Topology {
	t := faults.Topology{Nodes: s.Nodes.Names(), OneServer: s.Nodes.OneServer, Calls: map[string][]string{}, Knows: map[string][]string{}}
	for _, c := range s.Clients {
		t.Clients = append(t.Clients, c.Name)
		calls := []string{}
		walk(c.Steps, func(step Step) {
			if step.Resource != "" && !slices.Contains(t.Resources, step.Resource) {
				t.Resources = append(t.Resources, step.Resource)
			}
			operation := step.Operation()
			if step.Kind == StepCrash {
				operation = string(StepCrash)
			}
			if operation != "" && !slices.Contains(calls, operation) {
				calls = append(calls, operation)
			}
		})
		t.Calls[c.Name] = calls
		if len(c.Nodes) > 0 {
			t.Knows[c.Name] = c.Nodes
		}
	}
	return t
}

// Operation is the word with which the step appears in events and goals; "" for
// steps that call nothing.
func (s Step) Operation() string {
	switch s.Kind {
	case StepLock, StepTryLock:
		return "acquire"
	case StepExtend, StepRelease, StepRead, StepWrite, StepDecrement:
		return string(s.Kind)
	}
	return ""
}

// access reports whether the step touches the protected resource.
func (s Step) access() bool {
	return s.Kind == StepRead || s.Kind == StepWrite || s.Kind == StepDecrement
}

// walk visits all steps, those in loops too.
func walk(steps []Step, visit func(Step)) {
	for _, s := range steps {
		visit(s)
		walk(s.Steps, visit)
	}
}

// steps checks that each step can do something where it stands.
func (r *reader) steps(field string, list []Step, locked map[string]bool) {
	for i, s := range list {
		at := field + "[" + strconv.Itoa(i) + "]"
		switch s.Kind {
		case StepLock, StepTryLock:
			locked[s.Resource] = true
		case StepHold:
			if len(locked) == 0 {
				r.report(child(at, "hold"), "found a hold before any lock or trylock, which is over at once; allowed: wait")
			}
		case StepExtend, StepRelease, StepRead, StepWrite, StepDecrement:
			if !locked[s.Resource] {
				r.report(child(at, string(s.Kind)), fmt.Sprintf("found %s, which this client has not locked before; allowed: a resource of an earlier lock or trylock", quoted(s.Resource)))
			}
		case StepCrash:
			if i+1 < len(list) {
				r.report(at, "found steps behind crash, which never come; allowed: crash as the last step")
			}
		case StepRepeat:
			r.steps(child(at, "repeat.steps"), s.Steps, locked)
			if s.For > 0 && !slices.ContainsFunc(s.Steps, takesTime) {
				r.report(child(at, "repeat"), "found a loop without a step that must take time, which would never end; allowed: with a lock, a trylock or a wait")
			}
		}
	}
}

// lives checks that each life of a client that has a next one can end by a crash.
func (r *reader) lives(s *Scenario) {
	for _, c := range s.Clients {
		crashes := c.Follows == ""
		walk(c.Steps, func(step Step) { crashes = crashes || step.Kind == StepCrash })
		for _, f := range s.Faults {
			killed, isCrash := f.Effect.(*faults.ClientCrash)
			crashes = crashes || isCrash && slices.Contains(killed.Clients, c.Follows)
		}
		if !crashes {
			r.report(child("clients."+s.firstLife(c), "incarnations"), fmt.Sprintf(
				"found a client that is to be started again as %s, and nothing that crashes %s; allowed: with crash as its last step, or a client_crash", c.Name, c.Follows))
			return
		}
	}
}

// firstLife is the name that the file has for a client.
func (s *Scenario) firstLife(c Client) string {
	for c.Follows != "" {
		i := slices.IndexFunc(s.Clients, func(o Client) bool { return o.Name == c.Follows })
		c = s.Clients[i]
	}
	return c.Name
}

// takesTime reports whether a step takes time whatever happened before it.
func takesTime(s Step) bool {
	return s.Kind == StepLock || s.Kind == StepTryLock || s.Kind == StepWait ||
		s.Kind == StepRepeat && slices.ContainsFunc(s.Steps, takesTime)
}

// links checks that each exception leads from a client to a node or back.
func (r *reader) links(s *Scenario) {
	t := s.Topology()
	for i, l := range s.Network.Links {
		at := "network.links[" + strconv.Itoa(i) + "]"
		known := slices.Concat(t.Clients, t.Nodes, []string{faults.All})
		for _, end := range []struct{ field, name string }{{"from", l.From}, {"to", l.To}} {
			if !slices.Contains(known, end.name) {
				r.report(child(at, end.field), fmt.Sprintf("found %s; %s", quoted(end.name), faults.Allowed(end.name, known)))
			}
		}
		sideOf := func(name string) string {
			switch {
			case slices.Contains(t.Clients, name):
				return "client"
			case slices.Contains(t.Nodes, name):
				return "node"
			}
			return ""
		}
		if from, to := sideOf(l.From), sideOf(l.To); from == to {
			if from == "" {
				r.report(child(at, "to"), "found no end of the link that is a client or a node; allowed: at least one, or change the network's own values")
			} else {
				r.report(child(at, "to"), "found a second "+from+"; allowed: a link between a client and a node")
			}
		}
	}
}

// expectations checks that what is expected of a subject can come about.
func (r *reader) expectations(s *Scenario) {
	accesses := false
	for _, c := range s.Clients {
		walk(c.Steps, func(step Step) { accesses = accesses || step.access() })
	}
	for _, subject := range s.Subjects {
		at := "subjects." + subject.Title()
		violated := false
		for _, oracle := range Oracles() {
			if subject.Expect[oracle] != Violated {
				continue
			}
			violated = true
			field := child(at, "expect."+string(oracle))
			switch oracle {
			case OracleLiveness:
				if len(s.Liveness) == 0 {
					r.report(field, "found violated, but the file has no liveness goal; allowed: holds")
				}
			case OracleResourceUnfenced, OracleResourceFencedWrites, OracleResourceFenced:
				if !accesses {
					r.report(field, "found violated, but no client reads or writes the resource; allowed: holds")
				}
			case OracleFencingTokens:
				if s.Lock.Fencing == FencingNone {
					r.report(field, "found violated, but lock.fencing is none; allowed: holds")
				}
			}
		}
		if subject.Option("extensions", "") == "bounded" && s.Lock.Extensions == 0 {
			r.report(child(at, "options.extensions"), "found bounded, but the file states no bound; allowed: with lock.extensions")
		}
		if subject.Runs == RunsSome && !violated && len(subject.Broken) == 0 {
			r.report(child(at, "runs"), "found some, but nothing is expected to be violated or broken; allowed: all")
		}
	}
}

// goal checks one liveness demand and computes its bounds.
func (r *reader) goal(field string, s *Scenario, g *Goal) {
	t := s.Topology()
	clients := append(slices.Clone(t.Clients), "any")
	if !slices.Contains(clients, g.Client) {
		r.report(child(field, "client"), fmt.Sprintf("found the unknown client %s; %s", quoted(g.Client), faults.Allowed(g.Client, clients)))
	}
	if g.Except != "" && !slices.Contains(t.Clients, g.Except) {
		r.report(child(field, "except"), fmt.Sprintf("found the unknown client %s; %s", quoted(g.Except), faults.Allowed(g.Except, t.Clients)))
	}
	if g.Except != "" && g.Client != "any" {
		r.report(child(field, "except"), "found except beside one client; allowed: with client: any")
	}
	if g.Resource != "" && !slices.Contains(t.Resources, g.Resource) {
		r.report(child(field, "resource"), fmt.Sprintf("found the unknown resource %s; %s", quoted(g.Resource), faults.Allowed(g.Resource, t.Resources)))
	}
	// What must never be sent need not be a step: a watchdog sends by itself.
	if g.Each != EachNever && !slices.ContainsFunc(t.Clients, func(c string) bool {
		return (g.Client == c || g.Client == "any" && g.Except != c) && slices.Contains(t.Calls[c], g.Does)
	}) && slices.Contains(clients, g.Client) {
		r.report(child(field, "does"), fmt.Sprintf("found %s, which no step of %s does", quoted(g.Does), g.Client))
	}
	for _, p := range s.Faults.TriggerProblems(g.From, t) {
		r.report(child(field, "from"), p.Message)
	}
	var err error
	if g.Within.Value, err = evaluate(g.Within.Text, s); err != nil {
		r.report(child(field, "within"), err.Error())
	}
	if g.Heal != nil {
		if g.Heal.Value, err = evaluate(g.Heal.Text, s); err != nil {
			r.report(child(field, "heal"), err.Error())
		}
	}
	r.inside(field, s, g)
}

// inside checks that a bound leaves room to be missed before the run is over:
// failing it must be a violation and not an inconclusive run.
func (r *reader) inside(field string, s *Scenario, g *Goal) {
	if end := g.Within.Value + earliest(g.From); end >= s.Bounds.Virtual {
		r.report(child(field, "within"), fmt.Sprintf("found a bound of %v that ends at %v or later; allowed: below bounds.virtual, which is %v", g.Within.Value, end, s.Bounds.Virtual))
	}
}

// earliest is the time before which a trigger cannot come.
func earliest(t faults.Trigger) time.Duration {
	if t.When.IsZero() {
		return t.At
	}
	return t.After
}
