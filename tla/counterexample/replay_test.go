package counterexample

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/faults"
	"redlocklab/scenarios/play"
	"redlocklab/tla"
)

// recorded reads a counterexample that TLC printed for a model.
func recorded(t *testing.T, name string) (tla.Model, tla.ErrorTrace) {
	t.Helper()
	model, err := tla.LoadManifest().Model(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := tla.ParseErrorTrace(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return model, trace
}

// broken are the assumptions that each replay must break, no other. "none" is a
// mutant: nothing but its bug is to blame.
var broken = map[string]string{
	"BA-1": "A-STEP", "BA-2": "A-VOTE", "BA-4": "A-VOTE", "BA-8": "A-RATE", "BA-10": "A-OWNER", "BA-11": "A-TOKEN", "RP-2-twin": "A-VOTE", "RP-4-twin": "A-VOTE",
	"MX-1-n5c2-crash-twin": "A-VOTE", "MX-1-n5c3-sampled-twin": "A-VOTE", "MX-1-n3c3-crash-twin": "A-VOTE", "MX-8-crash-twin": "A-VOTE",
	"MX-1-exact-twin": "A-RATE", "MX-1-n3c3-twin": "A-RATE", "MX-2-twin": "A-RATE", "MX-7-n1-twin": "A-RATE", "MX-7-n5-twin": "A-RATE",
	"MX-1-twin": "A-TOKEN", "MX-3-twin": "", "MX-4-twin": "", "MX-5-twin": "", "MX-5-overlap-twin": "", "MX-6-twin": "", "MX-7-n4-twin": "",
	"MX-7-responders-twin": "", "MX-8-counted-late": "", "MX-8-counted-topup": "", "MX-8-topup-twin": "", "MX-8-twin": "", "MX-8-revival-twin": "",
	"MX-3-release-twin": "", "MX-9-n3-twin": "", "MX-11-twin": "", "MX-11-two-twin": "", "MX-11-refusal-twin": "", "RP-5-scheme": "A-WORK", "RP-5-twin": "A-WORK A-COUNTER", "RS-4a": "A-COUNTER", "RS-4b": "", "RS-1": "A-WORK", "RS-3": "A-WORK", "RS-3-writes": "A-WORK",
}

// Every recorded counterexample happens to the running code, or is refused with a
// reason.
func TestCounterexamplesHappen(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	replayed := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		model, trace := recorded(t, name)
		want, possible := broken[name]
		plan, err := Plan(model, trace)
		var reason *UnsupportedError
		if errors.As(err, &reason) {
			if possible || reason.Reason == "" {
				t.Errorf("%s: not replayed: %v", name, err)
			}
			continue
		}
		if err != nil || !possible {
			t.Errorf("%s: %v; expected to be replayed: %v", name, err, possible)
			continue
		}
		replayed++
		patched := plan.Subject.Option("patch", "none") != "none"
		if patched { // cmd/simulate replays it with a program that has the patch; the package as it is must stand it
			plan.Subject.Options = nil
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := Check(model, result)
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Reproduced == patched || strings.Join(outcome.Broken, " ") != want {
			t.Errorf("%s: %+v, expected to break %q", name, outcome, want)
		}
	}
	if replayed != len(broken) {
		t.Errorf("%d replayed, expected %d", replayed, len(broken))
	}
}

// Without the cause of the counterexample, its replay violates nothing.
func TestWithoutItsCauseNothingHappens(t *testing.T) {
	for _, name := range []string{"BA-1", "BA-2", "BA-8", "MX-3-twin", "MX-4-twin", "MX-5-twin", "MX-7-responders-twin", "MX-8-crash-twin", "MX-8-counted-topup",
		"MX-8-twin", "MX-8-revival-twin", "MX-3-release-twin", "MX-9-n3-twin", "MX-11-twin", "MX-11-refusal-twin", "RS-4a", "RS-4b"} {
		model, trace := recorded(t, name)
		plan, err := Plan(model, trace)
		if err != nil {
			t.Fatal(err)
		}
		plan.Subject.Options = nil // the planted bug
		for i := len(plan.Faults) - 1; i >= 0; i-- {
			switch faults.KindOf(plan.Faults[i].Effect) {
			case "crash", "node_clock_step", "node_clock_rate", "client_clock_rate":
				plan.Faults = slices.Delete(plan.Faults, i, i+1)
			}
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := Check(model, result); err != nil || outcome.Reproduced {
			t.Errorf("%s: %+v, %v", name, outcome, err)
		}
	}
}

// The schedule keeps the order of the steps, and no decided round outlasts the
// timeout after which attempts are given up.
func TestSchedule(t *testing.T) {
	for name := range broken {
		model, trace := recorded(t, name)
		if model.Module != "Redlock" {
			continue
		}
		s, err := newSchedule(trace, model.Constants)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(s.at) {
			t.Errorf("%s: %v", name, s.at)
		}
		for _, o := range s.operations {
			if o.decided >= 0 && !s.bySilence && s.at[o.decided]-s.at[o.call] >= s.timeout {
				t.Errorf("%s: a round of %s takes %v, the timeout is %v", name, o.process, s.at[o.decided]-s.at[o.call], s.timeout)
			}
			if o.lost >= 0 && s.at[o.lost]-s.at[o.call] < s.timeout {
				t.Errorf("%s: an attempt of %s is given up after %v, the timeout is %v", name, o.process, s.at[o.lost]-s.at[o.call], s.timeout)
			}
		}
	}
}

func TestOtherModulesAreRefused(t *testing.T) {
	model, trace := recorded(t, "BA-2")
	model.Module = "RedlockLiveness"
	var reason *UnsupportedError
	if _, err := Plan(model, trace); !errors.As(err, &reason) {
		t.Errorf("error %v", err)
	}
	late, err := tla.LoadManifest().Model("MX-9-twin") // releases that outlive their connection
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Plan(late, trace); !errors.As(err, &reason) {
		t.Errorf("error %v", err)
	}
	model.Violates = "SoloProgress"
	if _, err := Check(model, &play.Result{Outcome: "finished"}); !errors.As(err, &reason) {
		t.Errorf("error %v", err)
	}
}
