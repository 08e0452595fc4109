package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
)

// retryingDriver is a lock whose driver sends a command again after a pause that it draws from the
// global source of math/rand, as go-redis does with MaxRetries.
type retryingDriver struct{ node *redis.Client }

func (l retryingDriver) Lock(ctx context.Context, key string) (lock.Lease, error) {
	return nil, fmt.Errorf("not acquired: %w", l.node.SetNX(ctx, key, "token", time.Second).Err())
}

func (l retryingDriver) TryLock(ctx context.Context, key string) (lock.Lease, error) {
	return l.Lock(ctx, key)
}

// TestDriverRetriesAreSeeded: one seed is one trace also where a driver draws its pauses.
func TestDriverRetriesAreSeeded(t *testing.T) {
	hash := func() string {
		_, result := played(t, "LV-8", 1, func(e lock.Environment) (lock.Locker, error) {
			node := redis.NewClient(&redis.Options{
				Addr: "n1:6379", Dialer: e.Dial,
				MaxRetries: 3, MinRetryBackoff: time.Millisecond, MaxRetryBackoff: time.Second,
			})
			e.OnEnd(func() { _ = node.Close() })
			return retryingDriver{node}, nil
		})
		return result.TraceHash
	}
	first := hash()
	for range 3 {
		if next := hash(); next != first {
			t.Fatalf("one seed made the traces %s and %s", first, next)
		}
	}
}
