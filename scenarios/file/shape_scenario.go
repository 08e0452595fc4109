package file

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// defaults is a scenario that says nothing.
func defaults() plan.Scenario {
	return plan.Scenario{
		Nodes:   plan.Nodes{Count: 5, Persistence: plan.PersistenceNone},
		Network: plan.Network{Latency: plan.Span{Low: time.Millisecond, High: 4 * time.Millisecond}},
		Lock: plan.Lock{
			RateErrorPPM: 4500, NodeTimeout: 50 * time.Millisecond, Fencing: plan.FencingNone,
			Retry: plan.Retry{Delay: plan.Span{Low: 50 * time.Millisecond, High: 150 * time.Millisecond}},
		},
		Seeds:  plan.Seeds{First: 1, Last: 200},
		Bounds: plan.Bounds{Virtual: 2 * time.Minute, Events: 200_000},
	}
}

// scenario is a whole file.
func scenario(s *plan.Scenario) shape {
	return object(
		property{"claim", true, "id of the claim; the file's name begins with it", parsed(&s.Claim, "a claim's id like BA-2", plan.CheckClaim)},
		property{"title", true, "the claim in one sentence", text(&s.Title)},
		property{"source", false, "letters of the public texts that make the claim", words(&s.Source, plan.Letters())},
		property{"story", true, "what happens and why it is of interest, in plain words", text(&s.Story)},
		property{"parameters", false, "values that fields refer to as $name, for --set and sweeps", shape{schema: parameters(new([]plan.Parameter)).schema, read: readBefore}},
		property{"curve", false, "what sweep measures without being told more", curve(s)},
		property{"nodes", false, "how many nodes, n1 to nN, or a mapping; default 5", nodes(&s.Nodes)},
		property{"network", false, "how messages travel", network(&s.Network)},
		property{"lock", true, "what every subject is configured with", lock(&s.Lock)},
		property{"clients", true, "the clients and their steps", clients(&s.Clients)},
		property{"faults", false, "what goes wrong, and when", schedule(&s.Faults)},
		property{"stock", false, "the value that the protected registers begin with; default 0", integer(&s.Stock, 0, plan.Million)},
		property{"seeds", false, "a range like 1-200, or one seed: 50 is seed 50 alone; default 1-200", seeds(&s.Seeds)},
		property{"subjects", true, "the locks under test and what is expected of each", subjects(&s.Subjects)},
		property{"liveness", false, "what must come to pass, and within which bound", goals(&s.Liveness)},
		property{"bounds", false, "where a run that does not end is stopped, as inconclusive", object(
			property{"virtual", false, "true time inside the run; default 2m", duration(&s.Bounds.Virtual, time.Millisecond, plan.Longest)},
			property{"events", false, "lines of its trace; default 200000", integer(&s.Bounds.Events, 1, plan.MostEvents)},
		)},
	)
}

// readBefore is for a field that was read before all others.
func readBefore(*reader, *yaml.Node, string) {}

// parsed is text that must pass a check.
func parsed(into *string, allowed string, check func(string) error) shape {
	return scalar(allowed, map[string]any{"type": "string"}, func(value string) error {
		*into = value
		return check(value)
	})
}

// words is a list of some of the given words, each once.
func words(into *[]string, allowed []string) shape {
	sample := shape{schema: map[string]any{"type": "string", "enum": allowed}}
	collect := sequence(strings.Join(allowed, ", "), 0, sample, func() shape {
		return scalar(strings.Join(allowed, ", "), nil, func(value string) error {
			if !slices.Contains(allowed, value) {
				return fmt.Errorf("found %s; %s", strconv.Quote(value), faults.Allowed(value, allowed))
			}
			if slices.Contains(*into, value) {
				return fmt.Errorf("found %s twice; allowed: once", strconv.Quote(value))
			}
			*into = append(*into, value)
			return nil
		})
	})
	collect.schema["uniqueItems"] = true
	return collect
}

// someWords is words, at least one.
func someWords(into *[]string, allowed []string) shape {
	some := words(into, allowed)
	some.schema["minItems"] = 1
	read := some.read
	some.read = func(r *reader, n *yaml.Node, field string) {
		read(r, n, field)
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.at(n, field, "found an empty list; allowed: some of "+strings.Join(allowed, ", ")+", or no such field, which is all")
		}
	}
	return some
}

func nodes(into *plan.Nodes) shape {
	count := integer(&into.Count, 1, plan.MostNodes)
	return either(yaml.ScalarNode, count, object(
		property{"count", true, "how many", count},
		property{"persistence", false, "what a node writes to disk; default none",
			word(&into.Persistence, plan.PersistenceNone, plan.PersistenceRDB, plan.PersistenceEverySec, plan.PersistenceAlways)},
		property{"one_server", false, "nodes that are addresses of one server, its own name first", words(&into.OneServer, plan.Nodes{Count: plan.MostNodes}.Names())},
	))
}

func network(into *plan.Network) shape {
	link := func(l *plan.Link) shape {
		return object(
			property{"from", true, "a client, a node or all: who sends", text(&l.From)},
			property{"to", true, "who receives", text(&l.To)},
			property{"latency", false, "of one message; default the network's", durations(&l.Latency, time.Microsecond, plan.Longest)},
			property{"loss", false, "default the network's", percent(&l.LossPPM)},
		)
	}
	var links []*plan.Link
	whole := object(
		property{"latency", false, "of one message, one way; default 1ms..4ms", durations(&into.Latency, time.Microsecond, plan.Longest)},
		property{"loss", false, "the chance of a message to vanish; default 0%", percent(&into.LossPPM)},
		property{"links", false, "exceptions; the first that matches decides", sequence("links", 1, link(new(plan.Link)), func() shape {
			links = append(links, &plan.Link{LossPPM: unset})
			return link(links[len(links)-1])
		})},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		for _, l := range links {
			if l.Latency == (plan.Span{}) {
				l.Latency = into.Latency
			}
			if l.LossPPM == unset {
				l.LossPPM = into.LossPPM
			}
			into.Links = append(into.Links, *l)
		}
	}}
}

// unset is no probability.
const unset = -1

func lock(into *plan.Lock) shape {
	return object(
		property{"ttl", true, "how long a key lives", duration(&into.TTL, plan.LeastTTL, plan.Longest)},
		property{"rate_error_ppm", false, "ρ: how much the clocks of this scenario are allowed to err; default 4500", integer(&into.RateErrorPPM, 0, plan.MostRateError)},
		property{"node_timeout", false, "how long one node may take to answer; default 50ms", duration(&into.NodeTimeout, plan.LeastNodeTimeout, plan.Longest)},
		property{"retry", false, "how a blocking acquisition is tried again", object(
			property{"delay", false, "between two attempts; default 50ms..150ms", durations(&into.Retry.Delay, 0, plan.Longest)},
			property{"tries", false, "attempts in all; default 0: without end", integer(&into.Retry.Tries, 0, plan.Million)},
		)},
		property{"extensions", false, "how often a holder may extend one lease: the bound of A-BOUNDED; default 0: none is stated", integer(&into.Extensions, 0, plan.Million)},
		property{"fencing", false, "where fencing tokens come from; default none", word(&into.Fencing, plan.FencingNone, plan.FencingIdeal, plan.FencingSubject)},
	)
}

// incarnations say how often a client that crashes is started again.
type incarnations struct {
	count int // lives in all
	after plan.Span
}

// lives are the client and what follows it, each with a name of its own: A, A-2, A-3, …
func (i incarnations) lives(c plan.Client) []plan.Client {
	list := []plan.Client{c}
	for n := 2; n <= i.count; n++ {
		next := c
		next.Name, next.Follows, next.Start = c.Name+"-"+strconv.Itoa(n), list[len(list)-1].Name, i.after
		list = append(list, next)
	}
	return list
}

func clients(into *[]plan.Client) shape {
	client := func(c *plan.Client, i *incarnations) shape {
		return either(yaml.SequenceNode, steps(&c.Steps, 0), object(
			property{"start", false, "when the first step begins; default 0s", durations(&c.Start, 0, plan.Longest)},
			property{"clock_ahead", false, "how far the client's time of day is ahead of the others'; negative is behind; default 0s", duration(&c.Ahead, -plan.Longest, plan.Longest)},
			property{"nodes", false, "the nodes that it was told of; default all", someWords(&c.Nodes, plan.Nodes{Count: plan.MostNodes}.Names())},
			property{"incarnations", false, "a client that crashes is started again as a new process, whose names are A-2, A-3, …", object(
				property{"count", true, "lives in all", integer(&i.count, 2, plan.MostIncarnations)},
				property{"after", false, "from each crash to the next start; default 0s", durations(&i.after, 0, plan.Longest)},
			)},
			property{"steps", true, "what the client does, in each of its lives", steps(&c.Steps, 0)},
		))
	}
	var list []*plan.Client
	var again []*incarnations
	whole := mapOf("one client per name", faults.CheckClientName, client(new(plan.Client), new(incarnations)), func(name string) shape {
		list, again = append(list, &plan.Client{Name: name}), append(again, new(incarnations))
		return client(list[len(list)-1], again[len(again)-1])
	})
	whole.schema["propertyNames"] = map[string]any{"pattern": namePattern}
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		for i, c := range list {
			for _, life := range again[i].lives(*c) {
				if slices.ContainsFunc(*into, func(o plan.Client) bool { return o.Name == life.Name }) {
					r.report(child(field, c.Name), fmt.Sprintf("found %s twice, as a client and as a life of one; allowed: each name once", strconv.Quote(life.Name)))
				}
				*into = append(*into, life)
			}
		}
	}}
}

func seeds(into *plan.Seeds) shape {
	const allowed = "one seed like 7, or a range like 1-200 whose end is not below its beginning"
	schema := map[string]any{"type": []string{"string", "integer"}, "pattern": `^\d+(-\d+)?$`}
	return scalar(allowed, schema, func(value string) error {
		s, err := plan.ParseSeeds(value)
		*into = s
		return err
	})
}
