package redlock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bsm/redislock"
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

// The same holds for redislock on one node.
func TestRedislockAndRedlockExcludeEachOther(t *testing.T) {
	c := newCluster(t, 1)
	l := c.locker(t)
	client := redislock.New(c.nodes[0].Client)
	theirs, err := client.Obtain(t.Context(), "res", time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrContended) {
		t.Fatalf("redislock holds, and redlock got %v", err)
	}
	if err := theirs.Release(t.Context()); err != nil {
		t.Fatalf("redlock's clean-up took redislock's key: %v", err)
	}
	lease, err := l.Lock(t.Context(), "res", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Obtain(t.Context(), "res", time.Minute, nil); !errors.Is(err, redislock.ErrNotObtained) {
		t.Fatalf("redlock holds, and redislock got %v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("redislock's clean-up took redlock's key: %v", err)
	}
}

// A lock of Redisson is a hash: the package fails with WRONGTYPE and leaves it alone.
func TestRedissonLockIsOfAnotherType(t *testing.T) {
	c := newCluster(t, 1)
	client := c.nodes[0].Client
	if err := client.HSet(context.Background(), "res", "b983c153-7421-469a-addb-44fb92259a1b:1", 1).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := c.locker(t).TryLock(t.Context(), "res", time.Minute)
	if !errors.Is(err, redlock.ErrNoQuorum) || !strings.Contains(err.Error(), "WRONGTYPE") {
		t.Errorf("found %v", err)
	}
	if n := client.HLen(context.Background(), "res").Val(); n != 1 {
		t.Errorf("the hash has %d fields", n)
	}
}
