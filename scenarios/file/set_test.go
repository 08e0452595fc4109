package file_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	_ "redlocklab/scenarios/subjects"
)

const story = `claim: BA-2
title: t
story: s
nodes: 5
lock: { ttl: 10s }
clients:
  A: [ { lock: r }, { hold: 3s }, { write: r }, { release: r } ]
  B: { start: 5ms, steps: [ { lock: r }, { repeat: { times: 2, steps: [ { hold: 1s } ] } }, { release: r } ] }
faults:
  - { name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms }
  - { name: n4 leaps, node_clock_step: n4, by: 1s, at: 0s }
  - { name: n5 leaps, node_clock_step: n5, by: 2s, at: 0s }
  - { name: n1 is slow, slow_node: n1, by: 1ms, at: 0s, for: 1s }
seeds: 1
subjects:
  SY-0: { expect: any }
  SY-10 guarded: { expect: any, options: { guard: true } }
  SY-10 bare: { expect: any, options: { guard: false } }
`

func parsed(t *testing.T, text string) *plan.Scenario {
	t.Helper()
	s, err := file.Parse("BA-2.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryNumberIsAParameter(t *testing.T) {
	s := parsed(t, story)
	step := func(s *plan.Scenario, i int) time.Duration { return s.Faults[i].Effect.(*faults.NodeClockStep).By }
	for _, test := range []struct {
		settings string
		want     func(s *plan.Scenario) bool
	}{
		{"ttl=5s", func(s *plan.Scenario) bool { return s.Lock.TTL == 5*time.Second }},
		{"nodes=6", func(s *plan.Scenario) bool { return s.Nodes.Count == 6 }},
		{"persistence=rdb nodes.count=7", func(s *plan.Scenario) bool {
			return s.Nodes.Persistence == "rdb" && s.Nodes.Count == 7
		}},
		{"latency=2ms..9ms loss=2.5%", func(s *plan.Scenario) bool {
			return s.Network.Latency == plan.Span{
				Low: 2 * time.Millisecond, High: 9 * time.Millisecond,
			} && s.Network.LossPPM == 25_000
		}},
		{"retry.delay=7ms tries=3", func(s *plan.Scenario) bool {
			return s.Lock.Retry.Delay.High == 7*time.Millisecond && s.Lock.Retry.Tries == 3
		}},
		{"virtual=3m stock=4", func(s *plan.Scenario) bool { return s.Bounds.Virtual == 3*time.Minute && s.Stock == 4 }},
		{"hold=4s", func(s *plan.Scenario) bool { // all steps, in loops too
			return s.Clients[0].Steps[1].Duration.High == 4*time.Second &&
				s.Clients[1].Steps[1].Steps[0].Duration.High == 4*time.Second
		}},
		{"clients.A.steps.1.hold=4s", func(s *plan.Scenario) bool {
			return s.Clients[0].Steps[1].Duration.High == 4*time.Second &&
				s.Clients[1].Steps[1].Steps[0].Duration.High == time.Second
		}},
		{"start=9ms", func(s *plan.Scenario) bool {
			return s.Clients[0].Start.High == 9*time.Millisecond && s.Clients[1].Start.High == 9*time.Millisecond
		}},
		{"A.start=9ms times=3", func(s *plan.Scenario) bool {
			return s.Clients[0].Start.High == 9*time.Millisecond && s.Clients[1].Start.High == 5*time.Millisecond &&
				s.Clients[1].Steps[1].Times == 3
		}},
		{"faults.1.by=-3s", func(s *plan.Scenario) bool { return step(s, 1) == -3*time.Second && step(s, 2) == 2*time.Second }},
		{"faults[2].by=3s", func(s *plan.Scenario) bool { return step(s, 1) == time.Second && step(s, 2) == 3*time.Second }},
		{"n5 leaps.by=3s", func(s *plan.Scenario) bool { return step(s, 1) == time.Second && step(s, 2) == 3*time.Second }},
		{"restart_after=5s", func(s *plan.Scenario) bool { return strings.Contains(s.Faults[0].String(), "restart_after: 5s") }},
		{"loading=5ms", func(s *plan.Scenario) bool { return strings.Contains(s.Faults[0].String(), "loading: 5ms") }},
		{"guard=false", func(s *plan.Scenario) bool {
			return s.Subjects[1].Option("guard", "") == "false" && s.Subjects[2].Option("guard", "") == "false"
		}},
		{"SY-10 bare.guard=true", func(s *plan.Scenario) bool {
			return s.Subjects[1].Option("guard", "") == "true" && s.Subjects[2].Option("guard", "") == "true"
		}},
		{"redlock.clock_rate_bound=800 textbook.drift_factor=2%", func(s *plan.Scenario) bool {
			return s.Subjects[0].Option("drift_factor", "") == "2%" && s.Subjects[1].Option("clock_rate_bound", "") == "800"
		}},
	} {
		t.Run(test.settings, func(t *testing.T) {
			set, err := with(s, test.settings)
			if err != nil {
				t.Fatal(err)
			}
			if !test.want(set) {
				t.Errorf("%+v", set)
			}
		})
	}
}

// with applies settings, which blanks separate where a name follows.
func with(s *plan.Scenario, text string) (*plan.Scenario, error) {
	var list []plan.Setting
	for _, part := range strings.Fields(text) {
		setting, err := plan.ParseSetting(part)
		if err != nil && len(list) == 0 { // a name with blanks
			setting, err = plan.ParseSetting(text)
			if err == nil {
				return file.With(s, setting)
			}
		}
		if err != nil {
			return nil, err
		}
		list = append(list, setting)
	}
	return file.With(s, list...)
}

func TestSettingsThatAreRefused(t *testing.T) {
	s := parsed(t, story)
	for settings, want := range map[string]string{
		"tll=5s":                "nearest: ttl",
		"by=3s":                 "which means several things in BA-2; allowed: one of faults.1.by, faults.2.by, faults.3.by",
		"delay=5ms":             "allowed: one of lock.retry.delay, clients.A.steps.2.delay",
		"ttl=0s":                "a duration from 1µs to 10000h0m0s",
		"nodes=0":               "a whole number from 1 to 15",
		"nodes=4":               `found the unknown node "n5"; allowed: n1, n2, n3, n4`,
		"persistence=disk":      "none, rdb, aof-everysec, aof-always",
		"loss=0.1":              "a percent from 0% to 100%",
		"latency=9ms..2ms":      "whose end is not below its beginning",
		"faults.1.by=0s":        "not 0s",
		"guard=maybe":           "true, false",
		"clock_rate_bound=-1":   "a whole number from 0 to 100000, in ppm",
		"extensions=bounded":    "allowed: one of lock.extensions, SY-10.extensions",
		"textbook.guard=true":   "unknown parameter",
		"ttl=5s ttl=6s":         "found ttl twice",
		"expect.overlap=holds":  "unknown parameter",
		"seeds=1-5":             "unknown parameter",
		"faults.9.by=1s":        "unknown parameter",
		"SY-10 bare.guard=some": "true, false",
	} {
		if _, err := with(s, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", settings, err, want)
		}
	}
	if _, err := file.With(s, plan.Setting{Name: "tll", Value: "5s"}); !errors.As(err, new(file.UnknownParameter)) {
		t.Errorf("%v is no UnknownParameter", err)
	}
}

// A parameter that is set to the value that it has changes nothing, in any scenario.
func TestAParameterSetToItsOwnValueChangesNothing(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		list, err := file.Parameters(s)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		var all []plan.Setting
		for _, p := range list {
			if _, _, isOption := strings.Cut(p.Name, "SY-"); !isOption {
				all = append(all, plan.Setting{Name: p.Name, Value: p.Value})
			}
		}
		set, err := file.With(s, all...)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if len(set.Parameters) < 8 {
			t.Errorf("%s has only the parameters %v", s.Name, set.Parameters)
		}
		set.Name, set.Parameters = s.Name, s.Parameters
		a, _ := json.Marshal(s)
		b, _ := json.Marshal(set)
		if string(a) != string(b) {
			t.Errorf("%s changed:\n%s\n%s", s.Name, a, b)
		}
	}
}

// Clients that are alike are one entry: W1, W2 and W3, and an error in it is told once per place.
func TestClientsThatAreAlike(t *testing.T) {
	const alike = `claim: H-1
title: t
story: s
lock: { ttl: 10s }
clients:
  W: { count: 3, start: 0ms..9ms, steps: [ { lock: r }, { release: r } ] }
  A: { count: 2, incarnations: { count: 2 }, steps: [ { lock: r }, crash ] }
seeds: 1
subjects: { SY-0: { expect: any } }
`
	s, err := file.Parse("H-1.yaml", []byte(alike))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range s.Clients {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "W1 W2 W3 A1 A1-2 A2 A2-2" || s.Clients[4].Follows != "A1" ||
		s.Clients[2].Start.High != 9*time.Millisecond {
		t.Errorf("%s: %+v", got, s.Clients)
	}
	if set, err := with(s, "W.count=50"); err != nil || len(set.Clients) != 54 {
		t.Errorf("%v: %+v", err, set)
	}
	for old, test := range map[string][2]string{
		"count: 3":                    {"count: 1", "6:15: clients.W.count: found \"1\"; allowed: a whole number from 2 to 1000"},
		"{ lock: r }, { release: r }": {"{ release: r }", "clients.W.steps[0].release: found \"r\", which this client has not locked before"},
	} {
		_, err := file.Parse("H-1.yaml", []byte(strings.Replace(alike, old, test[0], 1)))
		if err == nil || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("%s: %v does not say %q", test[0], err, test[1])
		}
	}
}
