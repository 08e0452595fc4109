package file

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// scenario is a whole file.
func scenario(s *plan.Scenario) shape {
	limits := plan.AllowedRanges()
	known := shape{ // the parameters were read before all other fields
		schema: parameters(nil).schema,
		read:   func(*reader, *yaml.Node, string) {},
		write: func(*yaml.Node) *yaml.Node {
			inFaults := func(path string) bool { return strings.HasPrefix(path, "faults.") }
			apart := func(p plan.Parameter) bool { return !slices.ContainsFunc(p.Places, inFaults) }
			declared := slices.DeleteFunc(slices.Clone(s.Parameters), apart)
			return parameters(&declared).write(nil)
		},
	}
	noMap := func() bool { return false } // Print leaves it out
	return object(
		required("claim", "id of the claim; the file's name begins with it", claimID(&s.Claim, "a claim's id like BA-2")),
		required("title", "the claim in one sentence", text(&s.Title)),
		optional("source", "letters of the public texts that make the claim", words(&s.Source, plan.Letters())),
		required("story", "what happens and why it is of interest, in plain words", text(&s.Story)),
		optional("parameters", "values that fields refer to as $name, for --set and maps", known),
		optional("map", "what map plays without being told more", worldMap(s).before(noMap)),
		optional("nodes", "how many nodes, n1 to nN, or a mapping; default 5", nodes(&s.Nodes)),
		optional("network", "how messages travel", network(&s.Network)),
		required("lock", "what every subject is configured with", lock(&s.Lock)),
		required("clients", "the clients and their steps", clients(&s.Clients)),
		optional("faults", "what goes wrong, and when", schedule(&s.Faults)),
		optional("stock", "the value that the protected registers begin with; default 0", integer(&s.Stock, limits.Stock)),
		optional("seeds", "a range like 1-200, or one seed: 50 is seed 50 alone; default 1-200", seeds(&s.Seeds)),
		required("subjects", "the locks under test and what is expected of each", subjects(&s.Subjects)),
		optional("liveness", "what must come to pass, and within which bound", goals(&s.Liveness)),
		optional("bounds", "where a run that does not end is stopped, as inconclusive", object(
			optional("virtual", "true time inside the run; default 2m", duration(&s.Bounds.Virtual, limits.Virtual)),
			optional("events", "lines of its trace; default 200000, and 1000 for each client if that is more", integer(&s.Bounds.Events, limits.Events)),
			optional("bytes", "of its trace, of which a run needs about five times as much memory; default 150000000", integer(&s.Bounds.Bytes, limits.Bytes)),
		)),
	)
}

func claimID(into *string, allowed string) shape {
	return checked(into, allowed, schema{"type": "string"}, plan.CheckClaim)
}

// allNodes are the names that nodes can have.
func allNodes() []string { return plan.Nodes{Count: plan.AllowedRanges().Nodes.High}.Names() }

func nodes(into *plan.Nodes) shape {
	count := integer(&into.Count, plan.AllowedRanges().Nodes)
	return either(yaml.ScalarNode, count, object(
		required("count", "how many", count),
		optional("persistence", "what a node writes to disk; default none", settableWord(&into.Persistence, into.Persistence.Words()...)),
		optional("one_server", "nodes that are addresses of one server, its own name first", words(&into.OneServer, allNodes())),
	))
}

func network(into *plan.Network) shape {
	latency := plan.AllowedRanges().Latency
	const unset = -1 // no probability
	return object(
		optional("latency", "of one message, one way; default 1ms..4ms", durations(&into.Latency, latency)),
		optional("loss", "the chance of a message to vanish; default 0%", percent(&into.LossPPM)),
		optional("groups", "names for several clients and nodes, which stand for them in links and faults", groups(&into.Groups)),
		optional("links", "exceptions; the first that matches decides", listOf(&into.Links, "links", 1, func(link *plan.Link) shape {
			link.LossPPM = unset
			return object(
				optional("from", "a client, a node, a group or all: who sends", text(&link.From)),
				optional("to", "who receives", text(&link.To)),
				optional("between", "two of them, in place of from and to: both directions", between(&link.Between)),
				optional("latency", "of one message; default the network's", durations(&link.Latency, latency).withoutDefault()),
				optional("loss", "default the network's", percent(&link.LossPPM).withoutDefault()),
			).with("oneOf", linkForms()).then(checkLinkForm).before(func() bool {
				if link.Latency == into.Latency {
					link.Latency = plan.Span{}
				}
				if link.LossPPM == into.LossPPM {
					link.LossPPM = unset
				}
				return true
			})
		})),
	).then(func(*reader, *yaml.Node, string) {
		for i := range into.Links {
			l := &into.Links[i]
			l.Latency = cmp.Or(l.Latency, into.Latency)
			if l.LossPPM == unset {
				l.LossPPM = into.LossPPM
			}
		}
	})
}

func lock(into *plan.Lock) shape {
	limits := plan.AllowedRanges()
	return object(
		required("ttl", "how long a key lives", duration(&into.TTL, limits.TTL)),
		optional("rate_error_ppm", "ρ: how much the clocks of this scenario are allowed to err; default 4500", integer(&into.RateErrorPPM, limits.RateErrorPPM)),
		optional("resp", "the version of the Redis protocol that drivers speak: 2, the default, or 3, which go-redis speaks by default", integer(&into.RESP, limits.RESP)),
		optional("pool", "how many connections a client's driver may have to each node, as go-redis' PoolSize; default 0: more than a run needs", integer(&into.Pool, limits.Pool)),
		optional("wall_error", "the bound of A-WALL: how far wall clocks may differ when a run begins; default 1ms", duration(&into.WallError, limits.WallError)),
		optional("node_timeout", "how long one node may take to answer; default 50ms", duration(&into.NodeTimeout, limits.NodeTimeout)),
		optional("retry", "how a blocking acquisition is tried again", object(
			optional("delay", "between two attempts; default 50ms..150ms", durations(&into.Retry.Delay, limits.Time)),
			optional("tries", "attempts in all; default 0: without end", integer(&into.Retry.Tries, limits.Count)),
		)),
		optional("extensions", "how often a holder may extend one lease: the bound of A-BOUNDED; default 0: none is stated", integer(&into.Extensions, limits.Count)),
		optional("fencing", "where fencing tokens come from; default none", settableWord(&into.Fencing, into.Fencing.Words()...)),
	)
}

// fileClient is a client as files describe it: all its lives in one.
type fileClient struct {
	plan.Client
	alike int // how many there are; 0: one, which has the name as it is
	lives int
	after plan.Span // from each crash to the next start
}

// all are the clients of one entry: with count W1, W2, …, each with its later lives A, A-2, A-3, …
func (c fileClient) all() []plan.Client {
	var list []plan.Client
	for n := range max(1, c.alike) {
		life := c.Client
		if c.alike > 0 {
			life.Name += strconv.Itoa(n + 1)
		}
		first := life.Name
		list = append(list, life)
		for n := 2; n <= c.lives; n++ {
			life.Name, life.Follows, life.Start = first+"-"+strconv.Itoa(n), life.Name, c.after
			list = append(list, life)
		}
	}
	return list
}

// fileClients are clients as files describe them: later lives come directly after the first.
func fileClients(all []plan.Client) []fileClient {
	var list []fileClient
	for _, c := range all {
		if c.Follows == "" {
			list = append(list, fileClient{Client: c})
			continue
		}
		first := &list[len(list)-1]
		first.lives, first.after = max(1, first.lives)+1, c.Start
	}
	return list
}

func clients(into *[]plan.Client) shape {
	limits := plan.AllowedRanges()
	var list []fileClient
	nameOf := func(c fileClient) string { return c.Name }
	return mapOf(&list, "one client per name", faults.CheckClientName, nameOf, func(name string, into *fileClient) shape {
		into.Name = name
		return either(yaml.SequenceNode, steps(&into.Steps, 0), object(
			optional("start", "when the first step begins; default 0s", durations(&into.Start, limits.Time)),
			optional("clock_ahead", "how far the client's time of day is ahead of the others'; negative is behind; default 0s", duration(&into.Ahead, limits.ClockAhead)),
			optional("token", "the token that its lock writes into its keys, if the lock accepts one; default the lock's own tokens", checked(&into.Token, "a token", schema{"type": "string", "pattern": namePattern}, plan.CheckResource)),
			optional("nodes", "the nodes that it knows; default all", knownNodes(&into.Nodes)),
			optional("lockers", "so many locks in this process on one driver client per node, used in turn; default: one", integer(&into.Lockers, limits.Lockers).withoutDefault()),
			optional("count", "so many clients that do the same: W1, W2, …; default: one, W", integer(&into.alike, limits.Alike).withoutDefault()),
			optional("incarnations", "a client that crashes is started again as a new process, whose names are A-2, A-3, …", object(
				required("count", "lives in all", integer(&into.lives, limits.Lives)),
				optional("after", "from each crash to the next start; default 0s", durations(&into.after, limits.Time)),
			).before(func() bool { return into.lives > 0 })),
			required("steps", "what the client does, in each of its lives", steps(&into.Steps, 0)),
		))
	}).with("propertyNames", schema{"pattern": namePattern}).then(func(r *reader, _ *yaml.Node, field string) {
		for _, c := range list {
			for _, life := range c.all() {
				if slices.ContainsFunc(*into, func(o plan.Client) bool { return o.Name == life.Name }) {
					r.report(child(field, c.Name), fmt.Sprintf("found %s twice, as a client and as a life of one; allowed: each name once", strconv.Quote(life.Name)))
				}
				*into = append(*into, life)
			}
		}
	}).before(func() bool {
		list = fileClients(*into)
		return true
	})
}

// knownNodes are the nodes that a client knows, at least one.
func knownNodes(into *[]string) shape {
	return words(into, allNodes()).with("minItems", 1).then(func(r *reader, n *yaml.Node, field string) {
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.at(n, field, "found an empty list; allowed: some of "+strings.Join(allNodes(), ", ")+", or no such field, which is all")
		}
	})
}

func seeds(into *plan.Seeds) shape {
	return scalar(into, "one seed like 7, or a range like 1-200 whose end is not below its beginning",
		schema{"type": []string{"string", "integer"}, "pattern": `^\d+(-\d+)?$`}, plan.ParseSeeds)
}
