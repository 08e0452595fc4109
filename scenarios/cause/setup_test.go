package cause_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/file"
)

// TestSlowLinks: a client whose connections to a majority cannot be set up within the node
// timeout misses its goal because of that, unless it also misses it on faster links. The
// faults that are over when the goal begins are no cause.
func TestSlowLinks(t *testing.T) {
	for within, want := range map[string]string{
		"30s":  "A-HEAL: latencies between B and n1, n2 and n3",
		"10ms": "own bug",
	} {
		var links strings.Builder
		for _, node := range []string{"n1", "n2", "n3"} {
			fmt.Fprintf(&links, "    - { from: B, to: %s, latency: 140ms..160ms }\n", node)
			fmt.Fprintf(&links, "    - { from: %s, to: B, latency: 140ms..160ms }\n", node)
		}
		s, err := file.Parse("LV-2-regions.yaml", []byte(`claim: LV-2
title: two regions
story: Two regions, cut for a second before anybody asks.
network:
  latency: 1ms..4ms
  links:
`+links.String()+`lock: { ttl: 10s, node_timeout: 400ms, retry: { delay: 200ms..400ms } }
clients:
  A: [ { lock: r }, { hold: 500ms }, { release: r } ]
  B: [ { wait: 2s }, { lock: r }, { hold: 500ms }, { release: r } ]
faults: [ { name: cut, partition: B, from: [n1, n2, n3], at: 1s, for: 1s } ]
liveness: [ { claim: LV-2, client: B, does: acquire, from: 2s, within: `+within+` } ]
bounds: { virtual: 40s }
seeds: 1
subjects: { SY-0: { expect: any } }
`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan("SY-0", 1)
		if err != nil {
			t.Fatal(err)
		}
		_, answer := decide(t, p)
		if got := kinds(answer)[checker.OracleLiveness]; !slices.Equal(got, []string{want}) {
			t.Errorf("within %s: %q, want %q", within, got, want)
		}
	}
}
