package redlock_test

import (
	"context"
	"testing"
	"time"

	"redlocklab/redlock"
)

// mostAllocations is the documented bound of allocations for a lock and its release over
// five nodes, in the package and its driver.
const mostAllocations = 60

// TestAllocations checks the bound on real servers. The allocations of senders and of the
// driver count too.
func TestAllocations(t *testing.T) {
	l, err := redlock.New(realNodes(t, realServers(t, 5), nil), redlock.WithNodeTimeout(5*time.Second))
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
