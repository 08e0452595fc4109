package plan

import (
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// Group is a name for several clients and nodes, such as those of one region. In links it may
// stand where a client or a node stands, in faults where clients or nodes do.
type Group struct {
	Name    string   `json:"name"`
	Members []string `json:"members"` // clients and nodes, in the file's order
}

// ends are the clients and the nodes that a name stands for at one end of a link. In place
// of all clients, or of all nodes, there is [faults.All].
type ends struct{ clients, nodes []string }

// endsOf resolves a client, a node, a group or all; a name that is nothing has no ends.
func (s *Scenario) endsOf(name string) ends {
	if i := slices.IndexFunc(s.Network.Groups, func(g Group) bool { return g.Name == name }); i >= 0 {
		return s.endsOfGroup(s.Network.Groups[i])
	}
	switch {
	case name == faults.All:
		return ends{[]string{faults.All}, []string{faults.All}}
	case slices.Contains(s.Nodes.Names(), name):
		return ends{nodes: []string{name}}
	case slices.ContainsFunc(s.Clients, func(c Client) bool { return c.Name == name }):
		return ends{clients: []string{name}}
	}
	return ends{}
}

// endsOfGroup are the clients and the nodes of a group, each in the scenario's order.
func (s *Scenario) endsOfGroup(g Group) ends {
	var e ends
	for _, c := range s.Clients {
		if slices.ContainsFunc(g.Members, func(member string) bool { return s.means(member, c) }) {
			e.clients = append(e.clients, c.Name)
		}
	}
	for _, n := range s.Nodes.Names() {
		if slices.Contains(g.Members, n) {
			e.nodes = append(e.nodes, n)
		}
	}
	return e
}

// means reports whether a member of a group is a client: by its own name, as a later life of
// the client of that name (A-2 of A), or as one of several that are alike (W7 of W).
func (s *Scenario) means(member string, c Client) bool {
	first := s.FirstLife(c)
	number, alike := strings.CutPrefix(first, member)
	_, err := strconv.Atoi(number)
	exists := slices.ContainsFunc(s.Clients, func(o Client) bool { return o.Name == member })
	return c.Name == member || first == member || alike && err == nil && !exists
}

// PlainLinks are the network's links between a client and a node, or all of them: groups are
// replaced by their members, and a link in both directions by two. Their order is that of
// the file.
func (s *Scenario) PlainLinks() []Link {
	var list []Link
	for _, l := range s.Network.Links {
		if l.Between == [2]string{} {
			list = append(list, s.oneWay(l)...)
			continue
		}
		there, back := l, l
		there.From, there.To, there.Between = l.Between[0], l.Between[1], [2]string{}
		back.From, back.To, back.Between = l.Between[1], l.Between[0], [2]string{}
		list = append(list, s.oneWay(there)...)
		if there != back {
			list = append(list, s.oneWay(back)...)
		}
	}
	return list
}

// oneWay are the plain links of one direction: requests, then replies.
func (s *Scenario) oneWay(l Link) []Link {
	var list []Link
	from, to := s.endsOf(l.From), s.endsOf(l.To)
	add := func(senders, receivers []string) {
		for _, sender := range senders {
			for _, receiver := range receivers {
				if sender != faults.All || receiver != faults.All {
					one := l
					one.From, one.To = sender, receiver
					list = append(list, one)
				}
			}
		}
	}
	add(from.clients, to.nodes)
	add(from.nodes, to.clients)
	return list
}

// ReplaceGroups writes the members of groups into the faults that name them: its clients where a
// fault names clients, its nodes where it names nodes. A group without any stays, as an unknown name.
func (s *Scenario) ReplaceGroups() {
	if len(s.Network.Groups) == 0 {
		return
	}
	s.Faults = s.Faults.Replace(func(name string) (clients, nodes []string) {
		for _, g := range s.Network.Groups {
			if e := s.endsOfGroup(g); g.Name == name {
				return e.clients, e.nodes
			}
		}
		return nil, nil
	})
}

// checkGroups checks that groups have names of their own, and members that exist.
func (s *Scenario) checkGroups(c *check) {
	t := s.Topology()
	for i, g := range s.Network.Groups {
		at := element("network.groups", i)
		if slices.Contains(t.Clients, g.Name) {
			c.problem(at, "the group "+strconv.Quote(g.Name)+", which is a client, too", "a name that no client has")
			c.problems[len(c.problems)-1].Name = true
		}
		if len(g.Members) == 0 {
			c.problem(at, "an empty group", "clients and nodes: "+strings.Join(append(t.Clients, t.Nodes...), ", "))
		}
		for k, member := range g.Members {
			path := field(at, element("members", k))
			isClient := slices.ContainsFunc(s.Clients, func(o Client) bool { return s.means(member, o) })
			switch {
			case slices.Contains(g.Members[:k], member):
				c.problem(path, strconv.Quote(member)+" twice", "once")
			case !isClient:
				oneOf(c, path, "", member, slices.Concat(t.Clients, t.Nodes)...)
			}
		}
	}
}

// groupsBySort lists the groups with clients, and those with nodes.
func (s *Scenario) groupsBySort() map[string][]string {
	list := map[string][]string{}
	for _, g := range s.Network.Groups {
		e := s.endsOfGroup(g)
		if len(e.clients) > 0 {
			list["client"] = append(list["client"], g.Name)
		}
		if len(e.nodes) > 0 {
			list["node"] = append(list["node"], g.Name)
		}
	}
	return list
}

func groupNames(s *Scenario) []string {
	return Texts(s.Network.Groups, func(g Group) string { return g.Name })
}

// CheckGroupName says what is wrong with the name of a group; nil when nothing is.
func CheckGroupName(name string) error {
	if faults.IsSelection(name) {
		return faults.CheckClientName("") // the message of a form that is not allowed
	}
	return faults.CheckClientName(name)
}
