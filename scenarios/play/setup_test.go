package play_test

import (
	"fmt"
	"slices"
	"testing"

	"redlocklab/checker"
)

// TestSlowLinks: a link is slow if dialling, HELLO and a command, a round trip of 100 ms each,
// never fit into the node timeout, and only where the client never got an answer.
func TestSlowLinks(t *testing.T) {
	for _, test := range []struct {
		name, subject, timeout, latency string
		slow                            bool
	}{
		{"too slow", "SY-0", "298ms", "50ms", true},
		{"in time by the slowest clock that is allowed", "SY-0", "299ms", "50ms", false},
		{"in time with the smallest latency alone", "SY-0", "310ms", "50ms..500ms", false},
		{"a lock that connects in the background", "SY-10", "150ms", "50ms", false},
		{"never, however lucky", "SY-0", "290ms", "50ms..500ms", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := playSubject(t, test.subject, fmt.Sprintf(`claim: LV-2
title: far away
story: far away
lock: { ttl: 20s, node_timeout: %s, retry: { delay: 200ms..400ms, tries: 20 } }
network:
  latency: 1ms
  links:
    - { from: A, to: n1, latency: %[2]s }
    - { from: n1, to: A, latency: %[2]s }
    - { from: A, to: n2, latency: %[2]s }
    - { from: n2, to: A, latency: %[2]s }
    - { from: A, to: n3, latency: %[2]s }
    - { from: n3, to: A, latency: %[2]s }
clients:
  A: [ { lock: r }, { hold: 50ms }, { release: r } ]
  B: [ { wait: 50s }, { lock: r }, { release: r } ]
seeds: 1
subjects: { %[3]s: { expect: any } }
liveness: [ { claim: LV-2, client: A, does: acquire, within: 40s } ]
`, test.timeout, test.latency, test.subject))
			var found []checker.Fact
			for _, f := range result.History.Facts {
				if f.Fact == checker.FactSlowLink {
					found = append(found, f)
				}
			}
			if !test.slow {
				if len(found) > 0 {
					t.Errorf("slow links: %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Client != "A" || !slices.Equal(found[0].Nodes, []string{"n1", "n2", "n3"}) {
				t.Fatalf("slow links: %+v; want those of A to n1, n2 and n3", found)
			}
			if l := result.Verdict.Liveness; l.Status != checker.Violated ||
				!slices.Equal(l.ExplainedBy, []string{checker.AssumptionHeal}) {
				t.Errorf("liveness %s, explained by %v", l.Status, l.ExplainedBy)
			}
		})
	}
}
