package redlock_test

import (
	"errors"
	"testing"
	"time"

	"redlocklab/redlock"
)

func TestExtendNeedsAMajorityThatStillHasTheKey(t *testing.T) {
	c := newCluster(t, 5)
	l := c.locker(t)
	lease, err := l.TryLock(t.Context(), "res", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "five keys", func() bool { return c.holders("res", lease.Token()) == 5 })

	// A minority of nodes forgets: the extension succeeds and restores the keys.
	c.servers[0].FlushAll()
	c.servers[1].FlushAll()
	if err := lease.Extend(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	eventually(t, "topped up", func() bool { return c.holders("res", lease.Token()) == 5 })

	// A majority forgets: the lease is lost, although two nodes still have the key.
	before := lease.Until()
	for _, server := range c.servers[:3] {
		server.FlushAll()
	}
	if err := lease.Extend(t.Context(), 40*time.Second); !errors.Is(err, redlock.ErrNotHeld) {
		t.Fatalf("extension of a forgotten lease: %v", err)
	}
	if lease.Until() != before || lease.Valid() {
		t.Fatal("a failed extension moved the end or left a lost lease valid")
	}
	if err := lease.Extend(t.Context(), 40*time.Second); !errors.Is(err, redlock.ErrNotHeld) {
		t.Fatalf("a lost lease was revived: %v", err)
	}
}

// A lock of several keys is lost when any of its keys is, also one that is not the first.
func TestExtendNeedsEveryKey(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, gone := range names {
		c := newCluster(t, 3)
		lease, err := c.locker(t).TryLockAll(t.Context(), names, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "nine keys", func() bool {
			return c.holders("a", lease.Token())+c.holders("b", lease.Token())+c.holders("c", lease.Token()) == 9
		})
		for _, server := range c.servers[:2] {
			server.Del(gone)
		}
		if err := lease.Extend(t.Context(), 20*time.Second); !errors.Is(err, redlock.ErrNotHeld) {
			t.Errorf("a majority forgot %s: %v; want ErrNotHeld", gone, err)
		}
	}
}

func TestExtendNeverShortens(t *testing.T) {
	c := newCluster(t, 3)
	lease, err := c.locker(t).TryLock(t.Context(), "res", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "three keys", func() bool { return c.holders("res", lease.Token()) == 3 })
	before := lease.Until()
	if err := lease.Extend(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if lease.Until() != before {
		t.Fatal("the end moved back")
	}
	for _, server := range c.servers {
		if ttl := server.TTL("res"); ttl != time.Minute {
			t.Fatalf("node shortened to %v", ttl)
		}
	}
}

func TestReleaseTellsLapsedFromStolen(t *testing.T) {
	c := newCluster(t, 3)
	l := c.locker(t)
	lapsed, err := l.TryLock(t.Context(), "lapsed", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := l.TryLock(t.Context(), "stolen", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "all set", func() bool {
		return c.holders("lapsed", lapsed.Token())+c.holders("stolen", stolen.Token()) == 6
	})
	for _, server := range c.servers {
		server.FlushAll()
		if err := server.Set("stolen", "another"); err != nil {
			t.Fatal(err)
		}
	}
	if err := lapsed.Release(t.Context()); !errors.Is(err, redlock.ErrLapsed) {
		t.Errorf("lapsed: %v", err)
	}
	if err := stolen.Release(t.Context()); !errors.Is(err, redlock.ErrNotHeld) {
		t.Errorf("stolen: %v", err)
	}
	if c.holders("stolen", "another") != 3 {
		t.Error("a release deleted another's lock")
	}
}
