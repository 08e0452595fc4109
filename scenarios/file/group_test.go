package file

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// regions has two groups of clients and nodes.
const regions = `claim: BA-2
title: Two regions
story: A story.
nodes: 5
network:
  groups: { eu: [A, W, n1, n2, n3], us: [C, n4, n5] }
  links: [ { between: [eu, us], latency: 60ms..70ms }, { from: n3, to: us, latency: 9ms } ]
lock: { ttl: 10s }
clients:
  A: { incarnations: { count: 2 }, steps: [ { lock: r }, crash ] }
  W: { count: 2, steps: [ { lock: r } ] }
  C: [ { lock: r } ]
faults:
  - { name: cut, partition: eu, from: us, at: 0s, for: 1s }
subjects:
  SY-0: { expect: any }
`

// TestGroupsBecomePlainLinks: the plan names clients and nodes only. A client stands for its
// later lives, and W for W1 and W2.
func TestGroupsBecomePlainLinks(t *testing.T) {
	s, err := Parse("BA-2-regions.yaml", []byte(regions))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan("SY-0", 1)
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for _, l := range p.World.Network.Links {
		links = append(links, strings.Join([]string{l.Process, string(l.Direction), l.Node}, " "))
	}
	eu, us := []string{"A", "A-2", "W1", "W2"}, []string{"C"}
	var want []string
	pairs := func(clients, nodes []string, d sim.Direction) {
		for _, c := range clients {
			for _, n := range nodes {
				want = append(want, strings.Join([]string{c, string(d), n}, " "))
			}
		}
	}
	pairs(eu, []string{"n4", "n5"}, sim.ToNode)
	pairs(us, []string{"n1", "n2", "n3"}, sim.ToProcess)
	pairs(us, []string{"n1", "n2", "n3"}, sim.ToNode)
	pairs(eu, []string{"n4", "n5"}, sim.ToProcess)
	pairs(us, []string{"n3"}, sim.ToProcess)
	slices.Sort(links)
	slices.Sort(want)
	if !slices.Equal(links, want) {
		t.Errorf("links:\n%s\nwant:\n%s", strings.Join(links, "\n"), strings.Join(want, "\n"))
	}
	cut := p.Faults[0].Effect.(*faults.Partition)
	if !slices.Equal(cut.Clients, eu) || !slices.Equal(cut.Nodes, []string{"n4", "n5"}) {
		t.Errorf("partition of %v from %v", cut.Clients, cut.Nodes)
	}
	encoded, err := p.Encode()
	if err != nil || strings.Contains(string(encoded), "groups") || strings.Contains(string(encoded), "between") {
		t.Errorf("the plan is not plain: %v\n%s", err, encoded)
	}
	if again, err := plan.DecodePlan(encoded); err != nil || again.Hash() != p.Hash() {
		t.Errorf("the plan read again: %v", err)
	}
}

func TestGroupsArePrinted(t *testing.T) {
	plain := strings.NewReplacer(" W,", "", "  W: { count: 2, steps: [ { lock: r } ] }\n", "").Replace(regions)
	s, err := Parse("BA-2-regions.yaml", []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Print(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("BA-2-regions.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, _ := json.Marshal(s)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Errorf("changed:\n%s\n%s\n%s", a, b, text)
	}
}

func TestErrorsOfGroups(t *testing.T) {
	for _, test := range []struct {
		name, old, new, field string
		want                  []string
	}{
		{"an unknown member", "W, n1", "V, n1", "network.groups.eu[1]", []string{`"V"`, "A, A-2, W1, W2, C, n1"}},
		{"a member twice", "W, n1", "A, n1", "network.groups.eu[1]", []string{"twice"}},
		{"no member", "us: [C, n4, n5]", "us: []", "network.groups.us", []string{"empty list", "clients and nodes"}},
		{"a group named like a client", "us: [C, n4, n5]", "C: [n4, n5]", "network.groups.C", []string{"a client, too"}},
		{"a group named like a node", "us: [C", "n5: [C", "network.groups.n5", []string{"form of a node"}},
		{"a group named like a selection", "us: [C", "majority: [C", "network.groups.majority", []string{"allowed: a letter"}},
		{"an unknown group", "between: [eu, us]", "between: [eu, uk]", "network.links[0].between[1]", []string{`"uk"`, "n5, eu, us, all"}},
		{"one end", "between: [eu, us]", "between: [eu]", "network.links[0].between", []string{"found 1", "two names"}},
		{"three ends", "between: [eu, us]", "between: [eu, us, n1]", "network.links[0].between", []string{"found 3", "two names"}},
		{"both forms", "between: [eu, us],", "between: [eu, us], from: A,", "network.links[0]", []string{"between beside", "from and to"}},
		{"neither form", "between: [eu, us], ", "", "network.links[0].from", []string{"found no from", "or between"}},
		{"only from", "from: n3, to: us", "from: n3", "network.links[1].to", []string{"found no to", "or between"}},
		{"nodes alone", "us: [C, n4, n5]", "us: [n4, n5]", "network.links[1].to", []string{"a second node"}},
		{"a fault of an unknown group", "partition: eu", "partition: euu", "faults[0].partition", []string{`"euu"`, "C, eu, us", "nearest: eu"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(regions, test.old) {
				t.Fatal("the slip is not in the file")
			}
			_, err := Parse("x/BA-2-regions.yaml", []byte(strings.Replace(regions, test.old, test.new, 1)))
			if err == nil {
				t.Fatal("no error")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			for _, want := range append(test.want, "x/BA-2-regions.yaml:", ": "+test.field+": ") {
				if !strings.Contains(first, want) {
					t.Errorf("%q is not in %s", want, first)
				}
			}
		})
	}
}

// TestFirstLinkDecides holds the plan's links to a naive reading of the file: a message has the
// latency of the first link whose ends its sender and its receiver belong to.
func TestFirstLinkDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plan.Default()
		s.Nodes.Count = 4
		s.Clients = []plan.Client{{Name: "A"}, {Name: "B"}, {Name: "C"}}
		all := []string{"A", "B", "C", "n1", "n2", "n3", "n4"}
		belongs := func(name, to string) bool { return name == to || to == faults.All }
		s.Network.Groups = []plan.Group{
			{Name: "g", Members: rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 5, rapid.ID).Draw(t, "g")},
			{Name: "h", Members: rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 5, rapid.ID).Draw(t, "h")},
		}
		in := func(name, to string) bool {
			i := slices.IndexFunc(s.Network.Groups, func(g plan.Group) bool { return g.Name == to })
			return belongs(name, to) || i >= 0 && slices.Contains(s.Network.Groups[i].Members, name)
		}
		ends := rapid.SampledFrom(append([]string{"g", "h", faults.All}, all...))
		for i := range rapid.IntRange(1, 5).Draw(t, "links") {
			l := plan.Link{LossPPM: int64(i + 1), Latency: s.Network.Latency}
			if from, to := ends.Draw(t, "from"), ends.Draw(t, "to"); rapid.Bool().Draw(t, "both ways") {
				l.Between = [2]string{from, to}
			} else {
				l.From, l.To = from, to
			}
			s.Network.Links = append(s.Network.Links, l)
		}
		links := func(parts ...string) bool { return slices.Contains(parts, "network") && len(parts) == 3 }
		for _, p := range s.Validate(links) {
			t.Skip(p.Error()) // such as a link between two nodes
		}
		network := s.PlanOf(plan.Subject{}, 1).World.Network
		for _, c := range s.Clients {
			for _, n := range s.Nodes.Names() {
				for _, d := range []sim.Direction{sim.ToNode, sim.ToProcess} {
					from, to, want := c.Name, n, int64(0)
					if d == sim.ToProcess {
						from, to = n, c.Name
					}
					for _, l := range slices.Backward(s.Network.Links) {
						oneWay := l.From != "" && in(from, l.From) && in(to, l.To)
						a, b := l.Between[0], l.Between[1]
						if oneWay || a != "" && (in(from, a) && in(to, b) || in(from, b) && in(to, a)) {
							want = l.LossPPM
						}
					}
					if got := network.Link(c.Name, n, d).LossPPM; got != want {
						t.Fatalf("%s to %s: link %d, want %d", from, to, got, want)
					}
				}
			}
		}
	})
}
