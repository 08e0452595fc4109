package redlock_test

import (
	"errors"
	"testing"
	"time"

	"redlocklab/redlock"
)

func TestTryLockSetsEveryNodeAndReleaseDeletes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 7} {
		c := newCluster(t, n)
		l := c.locker(t)
		lease, err := l.TryLock(t.Context(), "res", 10*time.Second)
		if err != nil {
			t.Fatalf("%d nodes: %v", n, err)
		}
		if !lease.Valid() || lease.Remaining() > 10*time.Second-l.Allowance(10*time.Second) {
			t.Fatalf("%d nodes: valid %v, remaining %v", n, lease.Valid(), lease.Remaining())
		}
		eventually(t, "all nodes carry the token", func() bool { return c.holders("res", lease.Token()) == n })
		if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrContended) {
			t.Fatalf("%d nodes: second attempt: %v", n, err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatalf("%d nodes: release: %v", n, err)
		}
		if lease.Valid() {
			t.Fatal("valid after release")
		}
		eventually(t, "all keys gone", func() bool { return c.holders("res", lease.Token()) == 0 })
		if err := lease.Release(t.Context()); err != nil {
			t.Fatalf("release again: %v", err)
		}
	}
}

func TestMinorityDown(t *testing.T) {
	c := newCluster(t, 5)
	l := c.locker(t)
	c.servers[0].Close()
	c.servers[3].Close()
	lease, err := l.TryLock(t.Context(), "res", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Extend(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if lease.Remaining() < 15*time.Second {
		t.Fatalf("remaining %v after extension", lease.Remaining())
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.servers[1].Close()
	_, err = l.TryLock(t.Context(), "res", 10*time.Second)
	var report *redlock.RoundError
	if !errors.Is(err, redlock.ErrNoQuorum) || !errors.As(err, &report) || len(report.Nodes) != 5 {
		t.Fatalf("majority down: %v", err)
	}
}
