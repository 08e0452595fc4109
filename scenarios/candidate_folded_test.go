package scenarios

import (
	"fmt"
	"slices"
	"testing"
)

// TestFolded: twenty seeds that say the same are one line; what one seed says alone stays.
func TestFolded(t *testing.T) {
	var all []said
	for seed := uint64(3); seed <= 22; seed++ {
		all = append(all, said{seed, "liveness is inconclusive: B had given up"})
		all = append(all, said{seed, fmt.Sprintf("overlap: both hold r for %dms, until t=%d.5s", seed, seed)})
		if seed == 7 {
			all = append(all, said{seed, "the run never ends"})
		}
	}
	want := []string{
		"seed 3, and 19 more up to 22: liveness is inconclusive: B had given up",
		"seed 3, and 19 more up to 22: overlap: both hold r for 3ms, until t=3.5s (with other numbers elsewhere)",
		"seed 7: the run never ends",
	}
	if got := folded(all); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
