package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// A ring moves the keys of a failed shard, so two locks could get one vote. Types that are
// not known are refused too, whether or not they can be compared.
func TestClientsThatAreNoNode(t *testing.T) {
	server := miniredis.RunT(t)
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"s1": server.Addr()}})
	defer func() { _ = ring.Close() }()
	plain := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer func() { _ = plain.Close() }()
	clients := map[string]redis.UniversalClient{
		"ring": ring, "wrapper": wrapper{plain, nil}, "nil client": (*redis.Client)(nil),
		"nil cluster": (*redis.ClusterClient)(nil), "nil": nil,
	}
	for name, client := range clients {
		_, err := redlock.New([]redlock.Node{{Name: "other", Client: plain}, {Name: "odd", Client: client}})
		if !errors.Is(err, redlock.ErrInvalidArgument) || !strings.Contains(err.Error(), `"odd"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wrapper cannot be compared.
type wrapper struct {
	redis.UniversalClient
	_ []int
}

// On a cluster the keys of one lock must not be on different servers.
func TestKeysOfOneLockOnACluster(t *testing.T) {
	server := miniredis.RunT(t)
	cluster := redis.NewClusterClient(&redis.ClusterOptions{
		ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) {
			return []redis.ClusterSlot{{Start: 0, End: 16383, Nodes: []redis.ClusterNode{{Addr: server.Addr()}}}}, nil
		},
	})
	defer func() { _ = cluster.Close() }()
	l, err := redlock.New([]redlock.Node{{Name: "n", Client: cluster}}, redlock.WithKeyPrefix("app:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for _, test := range []struct {
		names  []string
		fenced bool
		want   error
	}{
		{[]string{"a", "b"}, false, redlock.ErrInvalidArgument},
		{[]string{"a}b"}, true, redlock.ErrInvalidArgument},
		{[]string{"{x}a", "{x}b"}, true, nil},
		{[]string{"a}b"}, false, nil},
		{[]string{"{}a"}, false, nil},
	} {
		var options []redlock.LockOption
		if test.fenced {
			options = append(options, redlock.WithFencing())
		}
		lease, err := l.TryLockAll(t.Context(), test.names, time.Minute, options...)
		if !errors.Is(err, test.want) {
			t.Errorf("%q, fenced %v: %v", test.names, test.fenced, err)
		}
		if err == nil {
			_ = lease.Release(t.Context())
		}
	}
}

func TestPrefixDefaultAndDeadline(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithKeyPrefix("app:"), redlock.WithDefaultTTL(time.Minute))
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", 0)
		if err != nil {
			t.Fatal(err)
		}
		if lease.TTL() != time.Minute || lease.Resources()[0] != "res" || !w.nodes[0].engine.Exists("app:res") {
			t.Errorf("ttl %v, resource %q, keys %v", lease.TTL(), lease.Resources(), w.nodes[0].engine.Keys())
		}
		if left := time.Until(lease.Deadline()); left != lease.Remaining() {
			t.Errorf("deadline in %v, remaining %v", left, lease.Remaining())
		}
		if err := lease.Extend(t.Context(), 0); err != nil {
			t.Error(err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A bound keeps one lock from holding up everybody, and errors short.
func TestManyNames(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		names := make([]string, redlock.MaximumResources+1)
		for i := range names {
			names[i] = fmt.Sprintf("many:%d", i)
		}
		if _, err := l.TryLockAll(t.Context(), names, time.Minute); !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("%d names: %v", len(names), err)
		}
		lease, err := l.TryLockAll(t.Context(), names[1:], time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.TryLockAll(t.Context(), names[1:], time.Minute)
		if !errors.Is(err, redlock.ErrContended) || len(err.Error()) > 500 {
			t.Errorf("an error of %d bytes: %.200s", len(err.Error()), err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// contextKey is the key of a value in a caller's context.
type contextKey struct{}

// valueHook notes the values that reach the driver.
type valueHook struct {
	mu    sync.Mutex
	seen  map[any]int
	ended int // contexts that had ended
}

func (h *valueHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *valueHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		h.note(ctx)
		return next(ctx, command)
	}
}

func (h *valueHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		h.note(ctx)
		return next(ctx, commands)
	}
}

func (h *valueHook) note(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[ctx.Value(contextKey{})]++
	if ctx.Err() != nil {
		h.ended++
	}
}

// The driver sees the values of the caller's context, and not its end.
func TestTheDriverSeesTheCallersContext(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		hook := &valueHook{seen: map[any]int{}}
		w.list[0].Client.AddHook(hook)
		l := w.locker(1)
		defer w.close(l)
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, "caller"))
		lease, err := l.TryLock(ctx, "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := lease.Release(ctx); err != nil {
			t.Fatal(err)
		}
		if hook.seen["caller"] < 2 || len(hook.seen) != 1 || hook.ended != 0 {
			t.Errorf("values %v, %d ended", hook.seen, hook.ended)
		}
	})
}

// Twelve Lockers on clients with small pools starve neither each other nor the
// application's PING.
func TestIdleLockersHoldNoConnections(t *testing.T) {
	for _, guard := range []bool{false, true} {
		nodes := realNodes(t, realServers(t, 3), func(o *redis.Options) { o.PoolSize, o.PipelinePoolSize = 10, -1 })
		var options []redlock.Option
		if guard {
			options = append(options, redlock.WithRestartGuard(redlock.MinimumTTL))
		}
		ctx := t.Context()
		for i := range 12 {
			l, err := redlock.New(nodes, options...)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			for range 2 {
				limited, cancel := context.WithTimeout(ctx, 5*time.Second)
				lease, err := l.Lock(limited, fmt.Sprint("r", i), redlock.MinimumTTL)
				cancel()
				if err != nil {
					t.Fatalf("locker %d: %v", i+1, err)
				}
				_ = lease.Release(ctx)
			}
		}
		begin := time.Now()
		if err := nodes[0].Client.Ping(ctx).Err(); err != nil || time.Since(begin) > time.Second {
			t.Errorf("guard %v: the application's PING: %v after %v", guard, err, time.Since(begin))
		}
	}
}

// Twelve busy Lockers on clients with ten connections take turns: neither a lock nor the
// application's PING waits for long.
func TestBusyLockersTakeTurns(t *testing.T) {
	nodes := realNodes(t, realServers(t, 3), func(o *redis.Options) { o.PoolSize, o.PipelinePoolSize = 10, -1 })
	const longest = time.Second // many times keepTime, less than the pool's 4 s
	stop := time.Now().Add(2 * time.Second)
	var slowest [12]time.Duration
	var workers sync.WaitGroup
	for i := range 12 {
		l, err := redlock.New(nodes, redlock.WithNodeTimeout(longest))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		workers.Go(func() {
			cycles := 0
			for ; time.Now().Before(stop); cycles++ {
				begin := time.Now()
				lease, err := l.TryLock(t.Context(), fmt.Sprint("r", i), time.Minute)
				if err == nil {
					err = lease.Release(t.Context())
				}
				waited := time.Since(begin)
				slowest[i] = max(slowest[i], waited)
				if err != nil || waited > longest {
					t.Errorf("locker %d, cycle %d: %v after %v", i, cycles, err, waited)
					return
				}
			}
			if cycles < 10 {
				t.Errorf("locker %d: only %d cycles", i, cycles)
			}
		})
	}
	for time.Now().Before(stop) {
		begin := time.Now()
		if err := nodes[0].Client.Ping(t.Context()).Err(); err != nil || time.Since(begin) > longest {
			t.Errorf("the application's PING: %v after %v", err, time.Since(begin))
		}
		time.Sleep(time.Millisecond)
	}
	workers.Wait()
	t.Logf("the slowest lock and release of each locker: %v", slowest)
}

// Servers without a spare client slot are busy for a while: the release of a failed
// acquisition cannot be sent at first, and its SET lands later.
func TestServersWithoutASpareClient(t *testing.T) {
	addresses := realServers(t, 3)
	nodes := realNodes(t, addresses, nil)
	ctx := t.Context()
	l, err := redlock.Open(ctx, nodes)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	warm, err := l.TryLock(ctx, "warm", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_ = warm.Release(ctx)
	for _, address := range addresses {
		administrator := administrator(t, address).Conn()
		defer func() { _ = administrator.Close() }()
		clients := strings.Count(administrator.ClientList(ctx).Val(), "\n")
		if err := administrator.Do(ctx, "CONFIG", "SET", "maxclients", clients).Err(); err != nil {
			t.Fatal(err)
		}
		if err := administrator.Do(ctx, "CLIENT", "PAUSE", "600", "WRITE").Err(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.TryLock(ctx, "res", time.Minute); err == nil {
		t.Fatal("locked on servers that are paused")
	}
	eventually(t, "the resource is free again", func() bool {
		lease, err := l.TryLock(ctx, "res", time.Minute)
		return err == nil && lease.Release(ctx) == nil
	})
}
