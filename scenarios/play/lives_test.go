package play_test

import (
	"fmt"
	"strings"
	"testing"

	"redlocklab/scenarios/file"
	"redlocklab/sim"
)

// crashLoop is a scenario in which A has three lives; the steps are those of each.
func crashLoop(steps, faults string) string {
	return fmt.Sprintf(`claim: LV-1
title: lives
story: lives
lock: { ttl: 1s }
clients:
  A: { incarnations: { count: 3, after: 20ms..60ms }, steps: %s }
  B: [ { wait: 1s } ]
%sseeds: 1
subjects: { SY-0: { expect: { overlap: holds }, broken: [], runs: all } }
`, steps, faults)
}

func TestLives(t *testing.T) {
	for _, test := range []struct {
		name, steps, faults string
		calls               string // who began to acquire
	}{
		{"each crashes", "[ { lock: r }, crash ]", "", "A A-2 A-3"},
		{"the first finishes", "[ { lock: r }, { release: r } ]", "faults: [ { name: f, client_crash: A A-2, at: 1h } ]\n", "A"},
		{"the first is killed, and the second finishes", "[ { lock: r }, { hold: 1s }, { release: r } ]",
			"faults: [ { name: f, client_crash: A, when: A acquired }, { name: g, client_crash: A-2, at: 1h } ]\n", "A A-2"},
	} {
		result := playText(t, crashLoop(test.steps, test.faults))
		var calls []string
		crashed := map[string]bool{}
		for _, e := range result.Events {
			if e.Kind == sim.Crash {
				crashed[e.Process] = true
			}
			if e.Kind == sim.Call {
				calls = append(calls, e.Process)
				if before := map[string]string{"A-2": "A", "A-3": "A-2"}[e.Process]; before != "" && !crashed[before] {
					t.Errorf("%s: %s begins before %s has crashed", test.name, e.Process, before)
				}
			}
		}
		if got := strings.Join(compact(calls), " "); got != test.calls || result.Outcome != string(sim.Finished) {
			t.Errorf("%s: %q acquired, want %q; the run %s", test.name, got, test.calls, result.Outcome)
		}
	}
}

// compact leaves out what stands twice.
func compact(list []string) []string {
	var once []string
	for _, x := range list {
		if !strings.Contains(" "+strings.Join(once, " ")+" ", " "+x+" ") {
			once = append(once, x)
		}
	}
	return once
}

func TestLivesThatCannotBe(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing crashes", crashLoop("[ { lock: r }, { release: r } ]", ""), "clients.A.incarnations: found a client that is to be started again as A-2"},
		{"nothing crashes the second", crashLoop("[ { lock: r } ]", "faults: [ { name: f, client_crash: A, at: 1s } ]\n"), "as A-3, and nothing that crashes A-2"},
		{"a name twice", strings.Replace(crashLoop("[ { lock: r }, crash ]", ""), "  B:", "  A-2:", 1), `found "A-2" twice`},
		{"one life", strings.Replace(crashLoop("[ { lock: r }, crash ]", ""), "count: 3", "count: 1", 1), "2 to 100"},
	} {
		if _, err := file.Parse("LV-1.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}
