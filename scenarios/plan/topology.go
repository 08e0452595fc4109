package plan

import (
	"slices"

	"redlocklab/faults"
)

// Topology is what the scenario's faults can refer to.
func (s *Scenario) Topology() faults.Topology {
	t := faults.Topology{
		Nodes: s.Nodes.Names(), OneServer: s.Nodes.OneServer,
		Calls: map[string][]string{}, Knows: map[string][]string{},
	}
	if len(s.Network.Groups) > 0 {
		t.Groups = s.groupsBySort()
	}
	for _, c := range s.Clients {
		t.Clients = append(t.Clients, c.Name)
		calls := []string{}
		for _, step := range AllSteps(c.Steps) {
			if step.Resource != "" && !slices.Contains(t.Resources, step.Resource) {
				t.Resources = append(t.Resources, step.Resource)
			}
			if operation := step.operation(); operation != "" && !slices.Contains(calls, operation) {
				calls = append(calls, operation)
			}
		}
		t.Calls[c.Name] = calls
		if len(c.Nodes) > 0 {
			t.Knows[c.Name] = c.Nodes
		}
	}
	return t
}

// FirstLife is the name of c's first life, which is the client's name in the file.
func (s *Scenario) FirstLife(c Client) string {
	for c.Follows != "" {
		i := slices.IndexFunc(s.Clients, func(o Client) bool { return o.Name == c.Follows })
		c = s.Clients[i]
	}
	return c.Name
}

// topology is what the plan's faults can refer to.
func (p *Plan) topology() faults.Topology {
	s := Scenario{Clients: p.Clients, Nodes: Nodes{Count: len(p.World.Nodes)}}
	for _, n := range p.World.Nodes {
		if n.SameAs != "" {
			s.Nodes.OneServer = append(s.Nodes.OneServer, n.SameAs, n.Name)
		}
	}
	t := s.Topology()
	t.Selected = true
	return t
}

// Patterns are the events for which the scenario's faults and goals wait.
func (s *Scenario) Patterns() []faults.Pattern {
	var list []faults.Pattern
	for _, f := range s.Faults {
		list = append(list, f.Begin.When, f.End.When)
	}
	for _, g := range s.Liveness {
		list = append(list, g.From.When)
	}
	return slices.DeleteFunc(list, faults.Pattern.IsZero)
}
