package live_test

import (
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/sim"
)

// refusing has a minority that refuses, each node for a reason of its own. One of
// them is killed meanwhile, and asked to evict; another one's scripts are gone.
const refusing = `claim: LV-2
title: a minority refuses
story: A locks and releases while n1, n2 and n3 of seven refuse, and once more when they are well.
nodes: 7
network: { latency: 1ms..2ms }
lock: { ttl: 4s, node_timeout: 1s, retry: { delay: 20ms..60ms } }
clients:
  A:
    - { wait: 50ms }
    - { lock: r }
    - { release: r }
    - { wait: 800ms } # n1 is killed and comes back
    - { repeat: { times: 3, steps: [ { lock: r }, { hold: 30ms }, { release: r }, { wait: 50ms } ] } }
    - { wait: 700ms }
    - { lock: r }
    - { release: r }
faults:
  - { name: n1 is full, refuse: n1, as: out of memory, at: 0s, for: 1700ms }
  - { name: n2 is a replica, refuse: n2, as: read-only, at: 0s, for: 1700ms }
  - { name: n3 cannot save, refuse: n3, as: unable to save, at: 0s, for: 1700ms }
  - { name: n1 is killed, crash: n1, restart_after: 1ms, when: A acquired }
  - { name: n1 makes room, evict: n1, when: A acquired, nth: 3 }
  - { name: n7 forgets scripts, script_flush: n7, when: A acquired, nth: 2 }
seeds: 1
subjects:
  SY-0: { expect: { overlap: holds } }
`

func TestRefusing(t *testing.T) {
	needServer(t)
	t.Parallel()
	result := playPlan(t, planOf(t, refusing, "SY-0"))
	if result.Verdict.Overlap.Status != checker.Holds || len(result.Verdict.Broken()) > 0 {
		t.Errorf("overlap %s, broken %v", result.Verdict.Overlap.Status, result.Verdict.Broken())
	}
	answers := map[string][]string{} // to SET, in order
	unknown := 0
	for _, e := range result.Events {
		if e.Kind == sim.Execute && e.Command == "SET" {
			word, _, _ := strings.Cut(e.Detail, " ")
			answers[e.Node] = append(answers[e.Node], word)
		}
		if e.Kind == sim.Execute && e.Node == "n7" && strings.Contains(e.Detail, "NOSCRIPT") {
			unknown++
		}
	}
	for node, want := range map[string]string{
		"n1": "OOM OOM OOM OOM OK", "n2": "READONLY READONLY READONLY READONLY OK", "n3": "MISCONF MISCONF MISCONF MISCONF OK", "n7": "OK OK OK OK OK",
	} {
		if got := strings.Join(answers[node], " "); got != want {
			t.Errorf("%s answered %q, want %q", node, got, want)
		}
	}
	if unknown != 2 { // at the first release, and at the first one after SCRIPT FLUSH
		t.Errorf("n7 did not know the script %d times, want 2", unknown)
	}
}
