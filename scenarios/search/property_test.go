package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// property is a claim about a lock whatever the schedule. Its counterexamples with
// the planted bug are kept under testdata/rapid: they are played first, with and
// without the bug.
type property struct {
	name    string
	planted plan.Option
	check   func(t *rapid.T, options ...plan.Option)
}

const propertyTTL = time.Second

var properties = []property{
	{"MutualExclusion", plan.Option{Name: "bug", Value: "one-vote"}, mutualExclusion},
	{"ValidityArithmetic", plan.Option{Name: "bug", Value: "short-keys"}, validityArithmetic},
	{"Extension", plan.Option{Name: "bug", Value: "adding-extension"}, extension},
	{"DeadlockFreedom", plan.Option{Name: "bug", Value: "no-clean-up"}, deadlockFreedom},
	{"FaultTolerance", plan.Option{Name: "order", Value: "sequential"}, faultTolerance},
	{"LossesHaveACause", plan.Option{Name: "bug", Value: "one-vote"}, lossesHaveACause},
}

func TestProperties(t *testing.T) {
	for _, p := range properties {
		t.Run(p.name, rapid.MakeCheck(func(t *rapid.T) { p.check(t) }))
	}
}

// TestPropertiesCanFail: each property fails when its bug is planted.
func TestPropertiesCanFail(t *testing.T) {
	for _, p := range properties {
		witness := &witness{name: "TestProperties/" + p.name}
		func() {
			defer func() { _ = recover() }() // how a witness ends a test at once
			rapid.Check(witness, func(t *rapid.T) { p.check(t, p.planted) })
		}()
		if !witness.failed || !strings.Contains(witness.said, "is not as it should be") {
			t.Errorf("%s does not fail as it should with %s=%s: %s", p.name, p.planted.Name, p.planted.Value, witness.said)
		}
	}
}

// mutualExclusion (MX-1): no two clients hold at once, whatever happens to
// messages and clients.
func mutualExclusion(t *rapid.T, options ...plan.Option) {
	s := story(
		"A: lock hold400 release wait50 lock hold1200 release",
		"B: lock hold300 release wait20 lock hold100 release",
		"C: trylock hold200 release wait100 lock hold50 release")
	s.Faults = drawSchedule(s.Topology(), 3*propertyTTL, 5).Draw(t, "schedule")
	demand(t, s, options, func(v *checker.Verdict) bool { return !v.SafetyViolated() })
}

// validityArithmetic: with clocks at their worst, as far as they may err, a
// holder's validity ends before its keys do.
func validityArithmetic(t *rapid.T, options ...plan.Option) {
	s := story("A: lock hold1200 release", "B: lock hold50 release")
	s.Lock.Retry.Delay = faults.Span{Low: 2 * time.Millisecond, High: 4 * time.Millisecond}
	ppm := rapid.SampledFrom([]int64{1, 4500, -4500})
	s.Faults = faults.Schedule{
		{Name: "nodes", Effect: &faults.NodeClockRate{Nodes: s.Nodes.Names(), PPM: ppm.Draw(t, "nodes' rate")}},
		{Name: "holder", Effect: &faults.ClientClockRate{Clients: []string{"A"}, Clock: sim.Boottime, PPM: ppm.Draw(t, "holder's rate")}},
	}
	demand(t, s, options, func(v *checker.Verdict) bool { return !v.SafetyViolated() && len(v.Broken()) == 0 })
}

// extension (MX-8): whatever happens to an extension, belief never outlasts the keys.
func extension(t *rapid.T, options ...plan.Option) {
	s := story("A: lock hold600 extend hold1900 release", "B: wait100 lock hold100 release")
	s.Faults = drawSchedule(s.Topology(), 3*propertyTTL, 4).Draw(t, "schedule")
	demand(t, s, options, func(v *checker.Verdict) bool { return !v.SafetyViolated() })
}

// deadlockFreedom (LV-1, LV-11): a holder that dies blocks for no longer than its
// keys live, a caller that gives up for no longer than its clean-up takes.
func deadlockFreedom(t *rapid.T, options ...plan.Option) {
	s := story("A: lock hold100 release", "B: wait300 lock hold50 release")
	within := "ttl + clock_error + 8*round"
	if rapid.Bool().Draw(t, "dies") {
		s.Faults = faults.Schedule{{
			Name: "A dies", Effect: &faults.ClientCrash{Clients: []string{"A"}},
			Begin: faults.Trigger{At: time.Duration(rapid.Int64Range(0, 90_000).Draw(t, "at")) * time.Microsecond},
		}}
	} else {
		s.Clients[0].Steps[0].Cancel = faults.Span{Low: 3 * time.Millisecond, High: 3 * time.Millisecond}
		within = "2*round"
	}
	s.Liveness = []plan.Goal{goal(t, s, "acquire", "", within)}
	demand(t, s, options, func(v *checker.Verdict) bool { return v.Liveness.Status != checker.Violated })
}

// faultTolerance (LV-2): with a minority gone, an acquisition takes no longer
// than one node may take to answer.
func faultTolerance(t *rapid.T, options ...plan.Option) {
	s := story("A: wait1 release", "B: wait300 trylock hold50 release")
	s.Faults = faults.Schedule{{
		Name: "minority",
		Effect: &faults.Partition{
			Clients: []string{"B"}, Nodes: drawNodes(s.Topology(), 2).Draw(t, "nodes"), Direction: faults.Both,
		},
		Begin: faults.Trigger{At: 0}, End: faults.Ending{Ends: true, For: 5 * time.Second},
	}}
	s.Liveness = []plan.Goal{goal(t, s, "acquire", plan.EachSucceeds, "node_timeout")}
	demand(t, s, options, func(v *checker.Verdict) bool { return v.Liveness.Status != checker.Violated })
}

// lossesHaveACause: whatever goes wrong, what is lost is lost because an
// assumption was broken.
func lossesHaveACause(t *rapid.T, options ...plan.Option) {
	s := story(
		"A: lock hold400 extend hold300 release wait50 lock hold100 release",
		"B: lock hold300 release wait20 lock hold700 extend release",
		"C: trylock hold200 release wait100 lock hold50 release")
	s.Faults = anySchedule(s.Topology(), 3*propertyTTL, 4).Draw(t, "schedule")
	demand(t, s, options, func(v *checker.Verdict) bool { return len(v.Answers().Bugs()) == 0 })
}

// goal is what B is promised.
func goal(t *rapid.T, s *plan.Scenario, does string, each plan.Each, within string) plan.Goal {
	bound, err := s.Bound(within)
	if err != nil {
		t.Fatal(err)
	}
	called := faults.Trigger{When: faults.Pattern{Subject: "B", Word: "called", Operation: "acquire"}, Nth: 1}
	return plan.Goal{Claim: "LV-1", Client: "B", Does: does, Each: each, From: called, Within: bound}
}

// story makes a scenario of five nodes from lines like "A: lock hold400 release".
func story(lines ...string) *plan.Scenario {
	s := &plan.Scenario{
		Name: "MX-1", Claim: "MX-1", Title: "A property",
		Nodes:   plan.Nodes{Count: 5, Persistence: sim.AOFAlways},
		Network: plan.Network{Latency: faults.Span{Low: time.Millisecond, High: 4 * time.Millisecond}},
		Lock: plan.Lock{
			TTL: propertyTTL, RateErrorPPM: 4500, NodeTimeout: 60 * time.Millisecond,
			Retry: plan.Retry{Delay: faults.Span{Low: 20 * time.Millisecond, High: 80 * time.Millisecond}, Tries: 200},
		},
		Bounds: plan.Bounds{Virtual: 10 * time.Minute, Events: 200_000},
	}
	for _, line := range lines {
		name, steps, _ := strings.Cut(line, ": ")
		c := plan.Client{Name: name}
		for _, word := range strings.Fields(steps) {
			kind := strings.TrimRight(word, "0123456789")
			step := plan.Step{Kind: plan.StepKind(kind), Resource: "r"}
			if n := word[len(kind):]; n != "" {
				d, _ := time.ParseDuration(n + "ms")
				step.Resource, step.Duration = "", faults.Span{Low: d, High: d}
			}
			c.Steps = append(c.Steps, step)
		}
		s.Clients = append(s.Clients, c)
	}
	return s
}

// demand plays a story with SY-0 and fails when the verdict is not good.
func demand(t *rapid.T, s *plan.Scenario, options []plan.Option, good func(*checker.Verdict) bool) {
	s.Subjects = []plan.Subject{{Name: "SY-0", Options: slices.Clone(options)}}
	if err := s.Faults.Validate(s.Topology()); err != nil {
		t.Fatalf("the generator drew a schedule that cannot apply: %v", err)
	}
	plan, err := s.Plan("SY-0", rapid.Uint64Range(0, 1000).Draw(t, "seed"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := play.Run(plan, play.RunOptions{Real: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != "finished" {
		t.Fatal("the run did not end by itself")
	}
	if !good(&result.Verdict) {
		t.Fatalf("%s is not as it should be", s.Title) // the same words each time, or shrinking stops
	}
}

// witness is a test that may fail without anybody's harm.
type witness struct {
	testing.TB
	name   string
	failed bool
	said   string
}

func (w *witness) Helper()             {}
func (w *witness) Name() string        { return w.name }
func (w *witness) Logf(string, ...any) {}
func (w *witness) Log(...any)          {}
func (w *witness) Errorf(text string, a ...any) {
	w.failed, w.said = true, w.said+fmt.Sprintf(text, a...)
}
func (w *witness) Error(...any)                 { w.failed = true }
func (w *witness) Fail()                        { w.failed = true }
func (w *witness) Failed() bool                 { return w.failed }
func (w *witness) FailNow()                     { w.failed = true; panic(fmt.Sprint(w.name, " failed")) }
func (w *witness) Fatalf(text string, a ...any) { w.FailNow() }
func (w *witness) Fatal(...any)                 { w.FailNow() }
