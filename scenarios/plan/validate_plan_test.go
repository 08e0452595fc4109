package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

// TestPlanRules breaks each rule once, as somebody who edits a plan may. The error must
// name the field, the found value and the allowed values.
func TestPlanRules(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(p *Plan)
		want  []string // parts of the error's line, the first is how it begins
	}{
		{"unknown runs", func(p *Plan) { p.Subject.Runs = "many" }, []string{"subject.runs: ", `"many"`, "all, some"}},
		{"unknown assumption", func(p *Plan) { p.Subject.Broken = []string{"A-LUCK"} }, []string{"subject.broken[0]: ", `"A-LUCK"`, "A-RATE"}},
		{"unknown oracle", func(p *Plan) { p.Subject.Expect["delphi"] = checker.Holds }, []string{"subject.expect.delphi: ", `"delphi"`, "overlap, linearizability"}},
		{"unknown verdict", func(p *Plan) { p.Subject.Expect[checker.OracleOverlap] = "perhaps" }, []string{"subject.expect.overlap: ", `"perhaps"`, "holds, violated"}},
		{"unknown option", func(p *Plan) { p.Subject.Options[0].Name = "x" }, []string{"subject.options[0]: ", `the unknown option "x"`, "clock, token"}},
		{"unknown value of an option", func(p *Plan) { p.Subject.Options[0].Value = "sundial" }, []string{"subject.options[0]: ", `"sundial"`, "boottime, monotonic, wall"}},
		{"option twice", func(p *Plan) { p.Subject.Options = append(p.Subject.Options, p.Subject.Options[0]) }, []string{"subject.options[1]: ", `"clock" twice`, "once"}},

		{"no TTL", func(p *Plan) { p.Lock.TTL = 0 }, []string{"lock.ttl_ns: ", "found 0", "1000 to "}},
		{"negative TTL", func(p *Plan) { p.Lock.TTL = -5 }, []string{"lock.ttl_ns: ", "found -5"}},
		{"rate error", func(p *Plan) { p.Lock.RateErrorPPM = 500_001 }, []string{"lock.rate_error_ppm: ", "found 500001", "0 to 500000"}},
		{"node timeout", func(p *Plan) { p.Lock.NodeTimeout = 1 }, []string{"lock.node_timeout_ns: ", "found 1;", "1000 to "}},
		{"negative retry", func(p *Plan) { p.Lock.Retry.Delay = Span{Low: -5, High: -1} }, []string{"lock.retry.delay: ", "-5..-1 ns", "not below its beginning"}},
		{"tries", func(p *Plan) { p.Lock.Retry.Tries = -1 }, []string{"lock.retry.tries: ", "found -1", "0 to 1000000"}},
		{"negative pool", func(p *Plan) { p.Lock.Pool = -1 }, []string{"lock.pool: ", "found -1", "0 to 200"}},
		{"large pool", func(p *Plan) { p.Lock.Pool = 201 }, []string{"lock.pool: ", "found 201", "0 to 200"}},
		{"extensions", func(p *Plan) { p.Lock.Extensions = -1 }, []string{"lock.extensions: ", "found -1"}},
		{"fencing", func(p *Plan) { p.Lock.Fencing = "x" }, []string{"lock.fencing: ", `"x"`, "none, ideal, subject"}},
		{"stock", func(p *Plan) { p.Stock = -1 }, []string{"stock: ", "found -1", "0 to 1000000"}},

		{"no client", func(p *Plan) { p.Clients, p.World.Processes = nil, nil }, []string{"clients: ", "found none", "one or more"}},
		{"client named like a node", func(p *Plan) { p.Clients[0].Name = "n1" }, []string{"clients[0].name: ", `"n1"`}},
		{"two clients of one name", func(p *Plan) { p.Clients[1].Name = "A" }, []string{"clients[1].name: ", `"A" twice`, "each name once"}},
		{"follows nobody", func(p *Plan) { p.Clients[2].Follows = "Z" }, []string{"clients[2].follows: ", `"Z"`, "A, B"}},
		{"follows a later client", func(p *Plan) { p.Clients[0].Follows = "B" }, []string{"clients[0].follows: ", `"B"`}},
		{"backward start", func(p *Plan) { p.Clients[0].Start = Span{Low: 10, High: 1} }, []string{"clients[0].start: ", "10..1 ns"}},
		{"far ahead", func(p *Plan) { p.Clients[0].Ahead = longest + 1 }, []string{"clients[0].clock_ahead_ns: ", "found 36000000000000001"}},
		{"negative Lockers", func(p *Plan) { p.Clients[0].Lockers = -1 }, []string{"clients[0].lockers: ", "found -1", "1 to 200"}},
		{"many Lockers", func(p *Plan) { p.Clients[1].Lockers = 201 }, []string{"clients[1].lockers: ", "found 201", "1 to 200"}},
		{"no node of a client", func(p *Plan) { p.Clients[0].Nodes = []string{} }, []string{"clients[0].nodes: ", "an empty list", "one node or more"}},
		{"unknown node of a client", func(p *Plan) { p.Clients[0].Nodes = []string{"n9"} }, []string{"clients[0].nodes[0]: ", `"n9"`, "n1, n2"}},
		{"node of a client twice", func(p *Plan) { p.Clients[0].Nodes = []string{"n1", "n1"} }, []string{"clients[0].nodes[1]: ", `"n1" twice`}},
		{"kind of a step", func(p *Plan) { p.Clients[0].Steps[1].Kind = "dance" }, []string{"clients[0].steps[1].kind: ", `"dance"`, "trylock"}},
		{"duration of a step", func(p *Plan) { p.Clients[0].Steps[1].Duration = Span{Low: 2, High: 1} }, []string{"clients[0].steps[1].duration: ", "2..1 ns"}},
		{"step without a resource", func(p *Plan) { p.Clients[0].Steps[0].Resource = "" }, []string{"clients[0].steps[0].resource: ", `""`}},
		{"loop without an end", func(p *Plan) { p.Clients[1].Steps[1].Times = 0 }, []string{"clients[1].steps[1]: ", "times 0 and for_ns 0", "one of the two above 0"}},
		{"loop with two ends", func(p *Plan) { p.Clients[1].Steps[1].For = 1 }, []string{"clients[1].steps[1]: ", "times 2 and for_ns 1"}},
		{"loop for a negative time", func(p *Plan) { p.Clients[1].Steps[1].For = -1 }, []string{"clients[1].steps[1].for_ns: ", "found -1"}},
		{"loop of negative times", func(p *Plan) { p.Clients[1].Steps[1].Times = -1 }, []string{"clients[1].steps[1].times: ", "found -1"}},
		{"loop that never ends", func(p *Plan) {
			p.Clients[1].Steps[1] = Step{Kind: StepRepeat, For: time.Second, Steps: []Step{{Kind: StepHold}}}
		}, []string{"clients[1].steps[1]: ", "would never end"}},
		{"deep loops", func(p *Plan) {
			for range DeepestLoop {
				p.Clients[1].Steps[1] = Step{Kind: StepRepeat, Times: 1, Steps: []Step{p.Clients[1].Steps[1]}}
			}
		}, []string{"clients[1].steps[1].steps[0].steps[0].steps[0].steps[0]: ", "found loops 5 deep", "4"}},

		{"goal about nobody", func(p *Plan) { p.Liveness[0].Client = "Z" }, []string{"liveness[0].client: ", `"Z"`, "A, B, B-2, any"}},
		{"goal from somebody unknown", func(p *Plan) {
			p.Liveness[0].From = faults.Trigger{When: faults.Pattern{Subject: "Z", Word: "released"}}
		}, []string{"liveness[0].from.when: ", `"Z"`, "any, A, B"}},
		{"bound of a goal", func(p *Plan) { p.Liveness[0].Within.Value = -1 }, []string{"liveness[0].within.value_ns: ", "found -1"}},
		{"healing time of a goal", func(p *Plan) { p.Liveness[0].Heal = &Bound{} }, []string{"liveness[0].heal.value_ns: ", "found 0"}},

		{"client without a process", func(p *Plan) { p.World.Processes = p.World.Processes[:2] }, []string{"world.processes: ", `none for the client "B-2"`}},
		{"process without a client", func(p *Plan) { p.World.Processes[1].Name = "Z" }, []string{"world.processes[1].name: ", `"Z"`, "A, B"}},
		{"two seeds", func(p *Plan) { p.Seed = 8 }, []string{"world.seed: ", "7 beside the plan's seed 8", "the same"}},
		{"no nodes", func(p *Plan) { p.World.Nodes = nil }, []string{"world.nodes: ", "found 0", "1 to 15"}},
		{"name of a node", func(p *Plan) { p.World.Nodes[1].Name = "n7" }, []string{"world.nodes[1].name: ", `"n7"`, "n2"}},
		{"snapshots", func(p *Plan) { p.World.Nodes[1].SnapshotEvery = -1 }, []string{"world.nodes[1].snapshot_every_ns: ", "found -1"}},
		{"age", func(p *Plan) { p.World.Nodes[1].Age = -1 }, []string{"world.nodes[1].age_ns: ", "found -1"}},
		{"loss", func(p *Plan) { p.World.Network.LossPPM = 99_999_999 }, []string{"world.network.loss_ppm: ", "99999999", "0 to 1000000"}},
		{"latency", func(p *Plan) { p.World.Network.Latency.Max = longest + 1 }, []string{"world.network.latency.max_ns: ", "0 to 36000000000000000"}},
		{"loss of a link", func(p *Plan) { p.World.Network.Links[0].LossPPM = -1 }, []string{"world.network.links[0].loss_ppm: ", "found -1"}},
		{"latency of a link", func(p *Plan) { p.World.Network.Links[0].Latency.Max = longest + 1 }, []string{"world.network.links[0].latency.max_ns: ", "found 36"}},
		{"direction of a link", func(p *Plan) { p.World.Network.Links[0].Direction = "up" }, []string{"world.network.links[0].direction: ", `"up"`, "to node"}},
		{"node of a link", func(p *Plan) { p.World.Network.Links[0].Node = "n9" }, []string{"world.network.links[0].node: ", `"n9"`}},
		{"process of a link", func(p *Plan) { p.World.Network.Links[0].Process = "Z" }, []string{"world.network.links[0].process: ", `"Z"`}},
		{"events", func(p *Plan) { p.World.Bounds.Events = 0 }, []string{"world.bounds.events: ", "found 0", "1 to 1000000000"}},
		{"virtual time", func(p *Plan) { p.World.Bounds.Virtual = 0 }, []string{"world.bounds.virtual_ns: ", "found 0"}},
		{"drain", func(p *Plan) { p.World.Drain = -1 }, []string{"world.drain_ns: ", "found -1"}},
		{"unknown node of a fault", func(p *Plan) { p.Faults[0].Effect.(*faults.Crash).Nodes = []string{"n9"} }, []string{"", `"n9"`}},
	} {
		p := goodPlan(t)
		if err := p.Validate(); err != nil {
			t.Fatalf("the good plan: %v", err)
		}
		test.spoil(p)
		err := p.Validate()
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		found := false
		for line := range strings.Lines(err.Error()) {
			all := strings.HasPrefix(line, test.want[0])
			for _, want := range append(test.want, "found ", "; allowed: ") {
				all = all && strings.Contains(line, want)
			}
			found = found || all
		}
		if !found {
			t.Errorf("%s: got\n%v\nwant %q", test.name, err, test.want)
		}
	}
}

// TestPlansMayHaveUselessSteps: shrinking leaves steps behind that do nothing.
func TestPlansMayHaveUselessSteps(t *testing.T) {
	p := goodPlan(t)
	p.Clients[0].Steps = append([]Step{
		{Kind: StepRelease, Resource: "r"}, {Kind: StepHold},
	}, append(p.Clients[0].Steps, Step{Kind: StepCrash}, Step{Kind: StepHold})...)
	p.Subject.Name = "another package's" // whose options nobody knows here
	p.Subject.Options = []Option{{"x", "y"}}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

// TestPlanRoundTrip: a plan that was encoded is the same plan when it is decoded.
func TestPlanRoundTrip(t *testing.T) {
	p := goodPlan(t)
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != p.Hash() {
		t.Errorf("the hashes differ:\n%s", text)
	}
}

// TestDecodePlanErrors: what is no plan is rejected with the line, or with the versions.
func TestDecodePlanErrors(t *testing.T) {
	text, err := goodPlan(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for old, test := range map[string]struct{ new, want string }{
		`"version": 2`:          {`"version": 1`, "found a plan of version 1; allowed: 2"},
		`"scenario": "BA-2",`:   {`"scenery": "BA-2",`, `line 3: json: unknown field "scenery"`},
		`"title": "A title",`:   {`"title": 7,`, "line 5: "},
		`"ttl_ns": 10000000000`: {`"ttl_ns": 0`, "lock.ttl_ns: found 0"},
	} {
		spoilt := strings.Replace(string(text), old, test.new, 1)
		if _, err := DecodePlan([]byte(spoilt)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.new, err, test.want)
		}
	}
	spoilt := strings.NewReplacer(`"ttl_ns": 10000000000`, `"ttl_ns": 0`, `"fencing": "ideal"`, `"fencing": "x"`).Replace(string(text))
	if _, err := DecodePlan([]byte(spoilt)); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two mistakes: %v", err)
	}
	if _, err := LoadPlan("no such file"); err == nil {
		t.Error("a missing file was loaded")
	}
}

// TestPlanOfAScenario: what the world of a plan gets from the scenario.
func TestPlanOfAScenario(t *testing.T) {
	s := goodScenario()
	s.Nodes.OneServer = []string{"n2", "n4"}
	s.Network.Links = append(s.Network.Links, Link{From: "n1", To: faults.All, LossPPM: 5})
	s.Clients[0].Ahead, s.Lock.WallError = time.Hour, DefaultWallError
	p, err := s.Plan("SY-0 shared", 3)
	if err != nil {
		t.Fatal(err)
	}
	if n := p.World.Nodes; len(n) != 5 || n[3].SameAs != "n2" || n[1].SameAs != "" || n[0].Offset == n[2].Offset ||
		slices.ContainsFunc(n, func(n sim.NodeConfig) bool { return n.Offset < 0 || n.Offset >= time.Millisecond }) {
		t.Errorf("nodes %+v", n)
	}
	want := []sim.LinkConfig{
		{
			Latency: sim.Latency{Min: time.Millisecond, Max: time.Millisecond}, Direction: sim.ToNode, Process: "A",
			Node: "n3",
		},
		{Direction: sim.ToProcess, Node: "n1", LossPPM: 5},
	}
	if got := p.World.Network.Links; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("links %+v, want %+v", got, want)
	}
	if a, b := p.World.Processes[0], p.World.Processes[1]; a.WallOffset-b.WallOffset != time.Hour ||
		a.BoottimeOffset == b.BoottimeOffset {
		t.Errorf("processes %+v and %+v", a, b)
	}
	if p.Subject.Label != "shared" || p.Seed != 3 || p.World.Seed != 3 {
		t.Errorf("subject %q, seeds %d and %d", p.Subject.Title(), p.Seed, p.World.Seed)
	}
	if _, err := s.Plan("SY-1", 3); err == nil || !strings.Contains(err.Error(), "allowed: SY-0, SY-0 shared") {
		t.Errorf("an unknown subject: %v", err)
	}
	var fields map[string]any
	if text, err := p.Encode(); err != nil || json.Unmarshal(text, &fields) != nil ||
		fields["version"] != float64(PlanVersion) {
		t.Errorf("version %v of %v", fields["version"], err)
	}
}
