package scenarios_test

import (
	"flag"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
)

var harmlessSeeds = flag.Uint64("harmless-seeds", 0, "how many seeds TestHarmlessFaults plays; default 300, with -short 30")

// TestHarmlessFaults plays MX-1 under random faults that break no assumption:
// SY-10 holds in every run. The planted bug shows that the same runs can fail.
func TestHarmlessFaults(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	if *harmlessSeeds > 0 {
		seeds = *harmlessSeeds
	}
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var chosen *scenarios.Scenario
	for _, s := range suite {
		if s.Name == "MX-1" {
			chosen = s
		}
	}
	if chosen == nil {
		t.Fatal("the suite has no MX-1")
	}
	planted := scenarios.Subject{
		Name: "SY-0", Label: "blind", Options: []scenarios.Option{{Name: "bug", Value: "blind-commands"}},
	}
	leases, kinds := 0, map[string]int{}
	for seed := uint64(1); seed <= seeds; seed++ {
		result := playHarmless(t, chosen, "SY-10", seed)
		leases += len(result.History.Leases)
		for i, f := range result.Plan.Faults {
			kinds[f.Effect.Kind()] += result.Fired[i].Began
		}
		v := &result.Verdict
		if result.Outcome != "finished" || len(v.Broken()) > 0 || v.Overlap.Status != checker.Holds || v.Linearizability.Status != checker.Holds {
			text, _ := result.Plan.Encode()
			t.Errorf("seed %d ended %s:\n%s\nfaults: %v\n%s", seed, result.Outcome, v.Summary(), result.Fired, text)
			t.Fatalf("again: go test ./scenarios -run TestHarmlessFaults -harmless-seeds %d", seed)
		}
	}
	t.Logf("%d runs, %d leases, faults fired: %v", seeds, leases, kinds)
	if leases < int(seeds) {
		t.Errorf("%d leases in %d runs: the faults leave nothing to judge", leases, seeds)
	}
	for _, kind := range []string{"partition", "lose", "delay", "pause", "client_crash", "crash"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s ever fired", kind)
		}
	}
	withPlanted := *chosen
	withPlanted.Subjects = append(withPlanted.Subjects[:len(withPlanted.Subjects):len(withPlanted.Subjects)], planted)
	for seed := uint64(1); ; seed++ {
		if v := playHarmless(t, &withPlanted, "SY-0 blind", seed).Verdict; v.SafetyViolated() {
			t.Logf("the planted bug is found at seed %d", seed)
			return
		}
		if seed == 100 {
			t.Fatal("a release that compares no token violates nothing in 100 runs: the faults are too harmless")
		}
	}
}

func playHarmless(t *testing.T, s *scenarios.Scenario, subject string, seed uint64) *scenarios.Result {
	t.Helper()
	with := *s
	with.Faults = scenarios.HarmlessFaults(seed, s)
	if err := with.Faults.Validate(with.Topology()); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	plan, err := with.Plan(subject, seed)
	if err != nil {
		t.Fatal(err)
	}
	result, err := scenarios.Run(plan, scenarios.RunOptions{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return result
}
