package redlock_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"redlocklab/redlock"
)

// The documentation promises that programs can migrate from redsync one by one: on the same
// nodes, under the same name, each package keeps the other out.
func TestRedsyncAndRedlockExcludeEachOther(t *testing.T) {
	c := newCluster(t, 3)
	l := c.locker(t)
	var list []pools.Pool
	for _, node := range c.nodes {
		list = append(list, goredis.NewPool(node.Client))
	}
	mutex := redsync.New(list...).NewMutex("res", redsync.WithExpiry(time.Minute), redsync.WithTries(1))

	if err := mutex.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrContended) {
		t.Fatalf("redsync holds, and redlock got %v", err)
	}
	if ok, err := mutex.Unlock(); !ok || err != nil {
		t.Fatalf("redlock's clean-up took redsync's keys: %v, %v", ok, err)
	}
	lease, err := l.Lock(t.Context(), "res", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := mutex.Lock(); err == nil {
		t.Fatal("redlock holds, and redsync too")
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("redsync's clean-up took redlock's keys: %v", err)
	}
}
