package rules_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"redlocklab/redlock"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
	_ "redlocklab/scenarios/subjects"
)

func border(t *testing.T, name string, f rules.Facts) rules.Border {
	t.Helper()
	r, found := rules.Of(name)
	if !found {
		t.Fatalf("no rule %s", name)
	}
	return r.Border(f)
}

// TestAllowanceForIsTheRules: redlock's allowance for a rate covers that rate and hardly more, on
// servers that count whole milliseconds.
func TestAllowanceForIsTheRules(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 1))
	for range 2000 {
		ttl := time.Duration(random.Int64N(int64(10*time.Minute))) + 100*time.Millisecond
		ppm := int64(random.IntN(100_000))
		f := rules.Facts{TTL: ttl, Grain: time.Millisecond, ClientRate: 1}
		f.Allowance = redlock.AllowanceFor(ttl, int(ppm))
		if got := border(t, "clocks", f).Safe; got < ppm {
			t.Errorf("TTL %v: the allowance for %d ppm covers only %d by the rule", ttl, ppm, got)
		}
		f.Allowance = time.Duration(float64(ttl) * 2 * float64(ppm) / (1e6 + float64(ppm))) // the theorem's statement
		if got := border(t, "clocks", f).Safe; got >= ppm && ppm > 0 {
			t.Errorf("TTL %v: without the grain %d ppm need %v, and %d are covered", ttl, ppm, f.Allowance, got)
		}
		f.NodeRate, f.ClientRate, f.Allowance = ppm, ppm, redlock.AllowanceFor(ttl, int(ppm))
		if !f.Covered() {
			t.Errorf("TTL %v: the allowance for %d ppm does not cover it", ttl, ppm)
		}
		// What covers the clocks leaves nothing for a step, and keeps a restart after a TTL safe.
		if b := border(t, "step", f); b.Safe > int64(2*time.Millisecond) {
			t.Errorf("TTL %v, %d ppm: a step of %d is called safe", ttl, ppm, b.Safe)
		}
		f.Crash = rules.Forgets
		if b := border(t, "restart", f); b.Safe > int64(ttl) {
			t.Errorf("TTL %v, %d ppm: a TTL is not enough for a restart: %d", ttl, ppm, b.Safe)
		}
	}
}

// customary is the allowance of the textbook and of package redlock.
func customary(seconds float64) rules.Facts {
	ttl := time.Duration(seconds * 1e9)
	return rules.Facts{TTL: ttl, Allowance: redlock.CustomaryAllowance(ttl), Nodes: 5, Crash: rules.Forgets}
}

// TestMapsPredictWhatTheRulesSay holds the formulas in the maps' files to the table, on drawn
// values.
func TestMapsPredictWhatTheRulesSay(t *testing.T) {
	for _, test := range []struct {
		name, subject, judge string
		violated             func(v map[string]float64, words map[string]string) bool
	}{
		{"RP-1-map", "SY-10 unguarded", "", func(v map[string]float64, _ map[string]string) bool {
			return v["outage"]*1e9 < float64(border(t, "restart", customary(v["ttl"])).Safe)
		}},
		{"RP-1-map", "SY-10", "", func(v map[string]float64, _ map[string]string) bool {
			f := customary(v["ttl"])
			f.Guard = true
			return border(t, "restart", f).Sort != rules.Never
		}},
		{"BA-1-map", "SY-10", "", func(v map[string]float64, _ map[string]string) bool {
			f := customary(10)
			return v["step"]*1e9 > float64(border(t, "step", f).Safe) && v["moment"]*1e9 < f.Belief()
		}},
		{"BA-5-map", "SY-10 unguarded", "", func(v map[string]float64, _ map[string]string) bool {
			return border(t, "failover", customary(10)).Sort == rules.Always && v["lag"] > v["moment"]
		}},
		{"BA-8-map", "SY-11-redsync", "", func(v map[string]float64, _ map[string]string) bool {
			f := rules.Facts{TTL: 10 * time.Second, NodeRate: int64(v["node_rate_ppm"])}
			f.Allowance = time.Duration(10e9 * v["drift"])
			return !f.Covered()
		}},
		{"BA-8-map", "SY-0", "", func(v map[string]float64, _ map[string]string) bool {
			f := rules.Facts{TTL: 10 * time.Second, NodeRate: int64(v["node_rate_ppm"])}
			f.Allowance = time.Duration(10e9*v["drift"]) + 2*time.Millisecond
			f.ClientRate = int64(v["client_rate_ppm"])
			return !f.Covered()
		}},
		{"RS-1-map", "SY-10", "resource_unfenced", func(v map[string]float64, _ map[string]string) bool {
			return v["pause"]*1e9 > float64(border(t, "pause", customary(v["ttl"])).Harm)
		}},
		{"RS-1-map", "SY-10", "resource_fenced", func(v map[string]float64, _ map[string]string) bool {
			f := customary(v["ttl"])
			f.Fenced = true
			return border(t, "pause", f).Sort != rules.Never
		}},
		{"BA-2-map", "SY-0", "", func(v map[string]float64, words map[string]string) bool {
			f := rules.Facts{Nodes: int(v["count"])} // A has all votes but one
			return (len(words["forgetful"])+1)/3 >= f.Victims()+f.Nodes-1-f.Quorum()
		}},
	} {
		checkMap(t, test.name, test.subject, test.judge, test.violated)
	}
}

// units are those in which formulas count, in the units of parameters.
var units = map[plan.ParameterKind]float64{
	plan.DurationParameter: 1e9, plan.PercentParameter: 1e6, plan.NumberParameter: 1,
}

func checkMap(
	t *testing.T, name, subject, judge string, violated func(map[string]float64, map[string]string) bool,
) {
	t.Helper()
	s := mapNamed(t, name)
	var prediction *plan.Prediction
	for i := range s.Map.Predictions {
		p := &s.Map.Predictions[i]
		if (p.Subject == "" || p.Subject == subject) && (p.Judge == "" || p.Judge == judge) {
			prediction = p
			break
		}
	}
	if prediction == nil {
		t.Fatalf("%s predicts nothing of %s", name, subject)
	}
	predicted, err := prediction.Violated.Compile(s.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	open, err := prediction.Open.Compile(s.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(29, 2))
	compared, differ := 0, 0
	for range 2000 {
		values := make([]int64, len(s.Parameters))
		numbers, words := map[string]float64{}, map[string]string{}
		for i, p := range s.Parameters {
			if p.Kind == plan.WordParameter {
				values[i] = int64(random.IntN(len(p.Words)))
				words[p.Name] = p.Words[values[i]]
				continue
			}
			values[i] = p.Low + random.Int64N(p.High-p.Low+1)
			numbers[p.Name] = float64(values[i]) / units[p.Kind]
		}
		skip, err := open.Holds(s.Parameters, values)
		if err != nil {
			t.Fatal(err)
		}
		says, err := predicted.Holds(s.Parameters, values)
		if err != nil {
			t.Fatal(err)
		}
		if skip {
			continue
		}
		compared++
		if says != violated(numbers, words) {
			if differ++; differ < 3 {
				t.Errorf("%s of %s %s at %v %v: the map says violated=%v, the rule another", name, subject, judge, numbers, words, says)
			}
		}
	}
	if compared < 100 {
		t.Errorf("%s of %s: only %d values were compared", name, subject, compared)
	}
}

func mapNamed(t *testing.T, name string) *plan.Scenario {
	t.Helper()
	text, err := atlas.ReadyText(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Parse(name+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
