package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

// TestScenarioRules breaks each rule once. A problem must name the field, the found
// value and the allowed values.
func TestScenarioRules(t *testing.T) {
	steps := func(steps ...Step) func(s *Scenario) { return func(s *Scenario) { s.Clients[0].Steps = steps } }
	lock := Step{Kind: StepLock, Resource: "r"}
	for _, test := range []struct {
		name  string
		spoil func(s *Scenario)
		path  string
		want  string // a part of the message
	}{
		{"hold before a lock", steps(Step{Kind: StepHold}, lock), "clients[0].steps[0].duration", "found a hold before any lock or trylock, which is over at once; allowed: wait"},
		{"release of another resource", steps(lock, Step{Kind: StepRelease, Resource: "s"}), "clients[0].steps[1].resource", `found "s", which this client has not locked before`},
		{"write in a loop before a lock", steps(Step{Kind: StepRepeat, Times: 1, Steps: []Step{{Kind: StepWrite, Resource: "r"}}}, lock), "clients[0].steps[0].steps[0].resource", `found "r"`},
		{"steps after crash", steps(Step{Kind: StepCrash}, lock), "clients[0].steps[0]", "allowed: crash as the last step"},
		{"a loop that takes no time", steps(lock, Step{Kind: StepRepeat, For: time.Second, Steps: []Step{{Kind: StepHold}}}), "clients[0].steps[1]", "never end; allowed: with a lock, a trylock or a wait"},

		{"unknown node of a client", func(s *Scenario) { s.Clients[0].Nodes = []string{"n6"} }, "clients[0].nodes[0]", `found "n6"; allowed: n1, n2, n3, n4, n5`},
		{"nodes out of order", func(s *Scenario) { s.Clients[0].Nodes = []string{"n2", "n1"} }, "clients[0].nodes[1]", `found "n1" after "n2"; allowed: nodes in their order`},
		{"one shared server", func(s *Scenario) { s.Nodes.OneServer = []string{"n1"} }, "nodes.one_server", "found one node; allowed: two or more"},
		{"unknown shared server", func(s *Scenario) { s.Nodes.OneServer = []string{"n1", "n9"} }, "nodes.one_server[1]", `found "n9"`},

		{"link from nobody", func(s *Scenario) { s.Network.Links[0].From = "Z" }, "network.links[0].from", `found "Z"; allowed: A, B, B-2, n1`},
		{"link to nobody", func(s *Scenario) { s.Network.Links[0].To = "n9" }, "network.links[0].to", `found "n9"`},
		{"link between everybody", func(s *Scenario) { s.Network.Links[0] = Link{From: faults.All, To: faults.All} }, "network.links[0].to", "allowed: at least one"},
		{"link between clients", func(s *Scenario) { s.Network.Links[0].To = "B" }, "network.links[0].to", "found a second client; allowed: a link between a client and a node"},
		{"link between nodes", func(s *Scenario) { s.Network.Links[0].From = "n1" }, "network.links[0].to", "found a second node"},

		{"unknown node of a fault", func(s *Scenario) { s.Faults[0].Effect.(*faults.Crash).Nodes = []string{"n9"} }, "faults[0].crash", `found the unknown node "n9"`},
		{"trigger that never fires", func(s *Scenario) { s.Faults[0].Begin.When.Word = "extended" }, "faults[0].when", "never comes"},
		{"a resource without a fence that forgets", func(s *Scenario) {
			s.Lock.Fencing, s.Faults[0].Effect = FencingNone, &faults.ResourceRestart{
				Resources: []string{"r"}, Forgets: faults.LargestToken,
			}
			s.Faults[0].End = faults.Ending{}
		}, "faults[0].resource_restart", "found a resource that sees no fencing tokens, so that it has none to forget; allowed: with lock.fencing: ideal or subject"},
		{"a full disk that nobody writes to", func(s *Scenario) {
			s.Nodes.Persistence, s.Faults[0].Effect, s.Faults[0].End = sim.RDB, &faults.FillDisk{
				Nodes: []string{"n1"},
			}, faults.Ending{}
		}, "faults[0].fill_disk", "found nodes that write no append-only file; allowed: with nodes.persistence: aof-everysec or aof-always"},
		{"life that follows a client that finishes", func(s *Scenario) { s.Clients[2].Follows = "A"; s.Clients[2].Steps = []Step{lock} }, "clients[2].follows", "nothing that crashes A; allowed: with crash as its last step, or a client_crash"},

		{"two rows of one title", func(s *Scenario) { s.Subjects[1].Label = "" }, "subjects[1]", `found the options of "SY-0" again`},
		{"two rows that are equal by default", func(s *Scenario) {
			s.Subjects[0].Options, s.Subjects[1].Options = nil, []Option{{"token", "unique"}}
		}, "subjects[1]", "by default clock: boottime, token: unique"},

		{"liveness violated without goals", func(s *Scenario) {
			s.Liveness = nil
			s.Subjects[0].Expect[checker.OracleLiveness] = checker.Violated
			s.Subjects = s.Subjects[:1]
		}, "subjects[0].expect.liveness", "the file has no liveness goal; allowed: holds"},
		{"resource violated without accesses", func(s *Scenario) {
			steps(lock)(s)
			s.Subjects[0].Expect[checker.OracleResourceFenced] = checker.Violated
			s.Subjects = s.Subjects[:1]
		}, "subjects[0].expect.resource_fenced", "no client reads or writes the resource"},
		{"fencing violated without tokens", func(s *Scenario) {
			s.Lock.Fencing = FencingNone
			s.Subjects[0].Expect[checker.OracleFencingTokens] = checker.Violated
			s.Subjects = s.Subjects[:1]
		}, "subjects[0].expect.fencing_tokens", "lock.fencing is none"},
		{"bounded by nothing", func(s *Scenario) { s.Subjects[0].Options = []Option{{"extensions", "bounded"}} }, "subjects[0].options.extensions", "allowed: with lock.extensions"},
		{"some of nothing", func(s *Scenario) {
			s.Subjects[0].Expect, s.Subjects[0].Broken = nil, nil
		}, "subjects[0].runs", "found some, but nothing is expected to be violated or broken; allowed: all"},

		{"map of times without goals", func(s *Scenario) {
			s.Liveness, s.Map = nil, &Map{Measure: MeasureTime}
		}, "map.measure", "allowed: verdict, violated, margin"},

		{"unknown client of a goal", func(s *Scenario) { s.Liveness[0].Client = "Z"; s.Liveness[0].Except = "" }, "liveness[0].client", `found the unknown client "Z"; allowed: A, B, B-2, any`},
		{"unknown exception of a goal", func(s *Scenario) { s.Liveness[0].Except = "Z" }, "liveness[0].except", `found the unknown client "Z"`},
		{"exception of one client", func(s *Scenario) { s.Liveness[0].Client = "A" }, "liveness[0].except", "allowed: with client: any"},
		{"unknown resource of a goal", func(s *Scenario) { s.Liveness[0].Resource = "s" }, "liveness[0].resource", `found the unknown resource "s"; allowed: r`},
		{"form of a goal's resource", func(s *Scenario) { s.Liveness[0].Resource = "n1" }, "liveness[0].resource", `found "n1"; allowed: a letter followed by`},
		{"unknown each", func(s *Scenario) { s.Liveness[0].Each = "wins" }, "liveness[0].each", `found "wins"; allowed: returns, succeeds, fails, never, clears, in_time`},
		{"unknown operation", func(s *Scenario) { s.Liveness[0].Does = "dance" }, "liveness[0].does", `found "dance"; allowed: acquire, extend`},
		{"operation of nobody", func(s *Scenario) { s.Liveness[0].Does = "extend" }, "liveness[0].does", `found "extend", which no step of any does`},
		{"unknown assumption", func(s *Scenario) { s.Liveness[0].Needs = []string{"A-LUCK"} }, "liveness[0].needs[0]", `found "A-LUCK"`},
		{"assumption twice", func(s *Scenario) {
			s.Liveness[0].Needs = []string{checker.AssumptionHeal, checker.AssumptionHeal}
		}, "liveness[0].needs[1]", "twice; allowed: once"},
		{"goal from what never comes", func(s *Scenario) {
			s.Liveness[0].From = faults.Trigger{When: faults.Pattern{Subject: "Z", Word: "released"}}
		}, "liveness[0].from", `"Z"`},
		{"negative time of a goal", func(s *Scenario) { s.Liveness[0].From.After = -1 }, "liveness[0].from.after_ns", "found -1; allowed: 0 to "},
		{"bound beyond the run", func(s *Scenario) { s.Liveness[0].Within.Text = "59s" }, "liveness[0].within", "found a bound of 59s that ends at 1m0s or later; allowed: below bounds.virtual, which is 1m0s"},
		{"healing time of nothing", func(s *Scenario) { s.Liveness[0].Heal = &Bound{Text: "0s"} }, "liveness[0].heal", "which is 0s; allowed: more than 0s"},
	} {
		s := goodScenario()
		if problems := append(s.EvaluateBounds(), s.Validate(nil)...); len(problems) > 0 {
			t.Fatalf("the good scenario: %v", problems)
		}
		test.spoil(s)
		problems := append(s.EvaluateBounds(), s.Validate(nil)...)
		if !slices.ContainsFunc(problems, func(p Problem) bool {
			return p.Path == test.path && strings.Contains(p.Message(), test.want)
		}) {
			t.Errorf("%s: got %v; want %s: %s", test.name, problems, test.path, test.want)
		}
	}
}

// TestEveryProblemComes: the problems of all parts are found at once, in order.
func TestEveryProblemComes(t *testing.T) {
	s := goodScenario()
	s.EvaluateBounds()
	s.Clients[0].Steps[3].Resource = "s"
	s.Nodes.OneServer = []string{"n1"}
	s.Liveness[0].Does = "dance"
	var paths []string
	for _, p := range s.Validate(nil) {
		paths = append(paths, p.Path)
	}
	if want := []string{"clients[0].steps[3].resource", "nodes.one_server", "liveness[0].does"}; !slices.Equal(slices.Compact(paths), want) {
		t.Errorf("problems at %q, want %q", paths, want)
	}
}

// TestUnsoundPartsAreLeftOut: a check runs only if every part that it needs is sound.
func TestUnsoundPartsAreLeftOut(t *testing.T) {
	s := goodScenario()
	s.EvaluateBounds()
	s.Clients[0].Steps[3].Resource = "s"
	s.Nodes.OneServer = []string{"n1"}
	sound := func(parts ...string) bool {
		for _, part := range parts {
			if part == "clients" {
				return false
			}
		}
		return true
	}
	if problems := s.Validate(sound); len(problems) != 0 {
		t.Errorf("with unsound clients: %v", problems)
	}
}
