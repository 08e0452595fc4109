package live

import (
	"strings"
	"testing"
	"time"
)

// TestEnding: keys are told in the order in which they run out, and by name where
// they run out together; a key without an end is never told.
func TestEnding(t *testing.T) {
	s := &server{keys: map[string]keyState{
		"late": {"x", 3 * time.Second}, "b": {"x", 2 * time.Second}, "endless": {"x", -1}, "a": {"x", 2 * time.Second},
		"c": {"x", 2 * time.Second}, "early": {"x", time.Second},
	}}
	for range 20 { // a map is ranged in another order each time
		if got := strings.Join(s.ending(), " "); got != "early a b c late" {
			t.Fatal(got)
		}
	}
}
