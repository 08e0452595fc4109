package live

import (
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
)

// TestEnding: keys are listed in the order in which they expire, and by name where
// they expire together; a key without an end is not listed.
func TestEnding(t *testing.T) {
	s := &server{name: "n1", cluster: &cluster{}}
	for key, ttl := range map[string]time.Duration{
		"late": 3 * time.Second, "b": 2 * time.Second, "endless": -1, "a": 2 * time.Second, "c": 2 * time.Second, "early": time.Second,
	} {
		s.cluster.keys.Apply(&sim.Event{Kind: sim.Execute, Node: "n1", Key: key, Value: "x", TTL: ttl})
	}
	if got := strings.Join(s.ending(), " "); got != "early a b c late" {
		t.Fatal(got)
	}
}
