package redlock_test

import (
	"context"
	"testing"
	"time"

	"redlocklab/redlock"
)

// mostAllocations is how many a lock and its release over five nodes may cost, in
// the package and its driver: what the package's documentation states.
const mostAllocations = 60

// TestAllocations holds a lock and its release to their bound, on real servers:
// the carriers' and the driver's allocations count too.
func TestAllocations(t *testing.T) {
	l, err := redlock.New(realNodes(t, realServers(t, 5), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	ctx := context.Background()
	cycle := func() {
		lease, err := l.TryLock(ctx, "res", time.Minute)
		if err == nil {
			err = lease.Release(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cycle()
	if got := testing.AllocsPerRun(500, cycle); got > mostAllocations {
		t.Errorf("%.0f allocations for a lock and its release; at most %d are promised", got, mostAllocations)
	} else {
		t.Logf("%.0f allocations for a lock and its release", got)
	}
}
