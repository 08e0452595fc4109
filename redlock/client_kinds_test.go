package redlock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// clientKinds returns constructors for every kind of client that a node can have.
func clientKinds() map[string]func(t *testing.T, address string) redis.UniversalClient {
	plain := func(address string) *redis.Client {
		return redis.NewClient(&redis.Options{Addr: address})
	}
	return map[string]func(t *testing.T, address string) redis.UniversalClient{
		"plain": func(_ *testing.T, address string) redis.UniversalClient { return plain(address) },
		"one pool": func(_ *testing.T, address string) redis.UniversalClient {
			return redis.NewClient(&redis.Options{Addr: address, PipelinePoolSize: -1})
		},
		"a pool too small to keep connections of": func(_ *testing.T, address string) redis.UniversalClient {
			return redis.NewClient(&redis.Options{Addr: address, PoolSize: 2})
		},
		"RESP2": func(_ *testing.T, address string) redis.UniversalClient {
			return redis.NewClient(&redis.Options{Addr: address, Protocol: 2})
		},
		"cluster": func(_ *testing.T, address string) redis.UniversalClient {
			return redis.NewClusterClient(&redis.ClusterOptions{
				ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) {
					return []redis.ClusterSlot{{Start: 0, End: 16383, Nodes: []redis.ClusterNode{{Addr: address}}}}, nil
				},
			})
		},
	}
}

func TestEveryKindOfClient(t *testing.T) {
	for name, newClient := range clientKinds() {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 3)
			for i := range c.nodes {
				client := newClient(t, c.servers[i].Addr())
				t.Cleanup(func() { _ = client.Close() })
				c.nodes[i].Client = client
			}
			l := c.locker(t)
			if err := l.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			var workers sync.WaitGroup
			for _, resource := range []string{"a", "b", "c", "d"} {
				workers.Go(func() {
					for range 20 {
						lease, err := l.TryLock(t.Context(), resource, time.Minute, redlock.WithFencing())
						if err != nil {
							t.Error(err)
							return
						}
						if err := lease.Extend(t.Context(), 2*time.Minute); err != nil {
							t.Error(err)
						}
						if err := lease.Release(t.Context()); err != nil {
							t.Error(err)
						}
					}
				})
			}
			workers.Wait()
			held, err := l.TryLock(t.Context(), "a", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.TryLock(t.Context(), "a", time.Minute); !errors.Is(err, redlock.ErrContended) {
				t.Fatal(err)
			}
			if err := held.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
