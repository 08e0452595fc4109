package redlock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
	"redlocklab/redlock/fence"
)

// TestIntegration uses every feature on five real servers, in each mode of persistence, and
// with TLS and the documented least privilege.
func TestIntegration(t *testing.T) {
	t.Parallel()
	for _, mode := range persistenceModes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			cluster := newRealCluster(t, 5, mode.arguments, nil)
			everyFeature(t, cluster, nil)
			killedMinority(t, cluster, mode.keeps)
		})
	}
	t.Run("TLS and ACL", func(t *testing.T) {
		t.Parallel()
		cluster := newRealCluster(t, 5, persistenceModes[0].arguments, newSecurity(t))
		for _, s := range cluster.servers {
			for _, command := range documentedACL(t) {
				if err := s.console().Do(t.Context(), command...).Err(); err != nil {
					t.Fatal(err)
				}
			}
		}
		everyFeature(t, cluster, func(o *redis.Options) { o.Username, o.Password = "locker", "password" })
		plain := redis.NewClient(&redis.Options{Addr: cluster.servers[0].proxy.address(), MaxRetries: -1})
		defer func() { _ = plain.Close() }()
		if err := plain.Ping(t.Context()).Err(); err == nil {
			t.Error("the server answers without TLS: nothing was tested")
		}
	})
}

// everyFeature uses the features of the package. All resources begin with "lock:".
func everyFeature(t *testing.T, cluster *realCluster, adjust func(*redis.Options)) {
	t.Helper()
	nodes := cluster.nodes(adjust)
	l, err := redlock.Open(t.Context(), nodes, redlock.WithNodeTimeout(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for _, options := range [][]redlock.LockOption{nil, {redlock.WithFencing()}} {
		for _, resources := range [][]string{{"lock:one"}, {"lock:one", "lock:two", "lock:three"}} {
			wholeLife(t, cluster, nodes, l, resources, options)
		}
	}
	renewedAndLapsed(t, l)
	bounded(t, l)
	fenced(t, cluster, l)
	blackHoles(t, cluster, nodes)
	same := []redlock.Node{nodes[0], {Name: "again", Client: cluster.nodes(adjust)[0].Client}, nodes[2]}
	if _, err := redlock.Open(t.Context(), same); !errors.Is(err, redlock.ErrSameServer) {
		t.Errorf("one server twice: %v", err)
	}
}

// wholeLife acquires a lock, is contended, loses the keys on a minority, extends, hands over
// and releases.
func wholeLife(
	t *testing.T, cluster *realCluster, nodes []redlock.Node, l *redlock.Locker,
	resources []string, options []redlock.LockOption,
) {
	t.Helper()
	lease, err := l.TryLockAll(t.Context(), resources, time.Minute, options...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.TryLock(t.Context(), resources[0], time.Minute, options...); !errors.Is(err, redlock.ErrContended) {
		t.Fatalf("held: %v", err)
	}
	for _, s := range cluster.servers[:2] { // a minority forgets; the extension restores its keys
		if err := s.console().FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := lease.Extend(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	eventually(t, "keys are back", func() bool {
		value, err := nodes[0].Client.Get(t.Context(), resources[0]).Result()
		return err == nil && value == lease.Token()
	})
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all keys are gone", func() bool {
		for _, s := range cluster.servers {
			if count, err := s.console().Exists(t.Context(), resources...).Result(); err != nil || count != 0 {
				return false
			}
		}
		return true
	})
}

// renewedAndLapsed checks that a renewed lease outlives its time to live, and that the
// context of another ends with it.
func renewedAndLapsed(t *testing.T, l *redlock.Locker) {
	t.Helper()
	// A loaded disk may hold up servers with AOF always for half a second.
	const ttl, renewed = 500 * time.Millisecond, 3 * time.Second
	err := l.Do(t.Context(), "lock:renewed", renewed, func(ctx context.Context) error {
		select {
		case <-time.After(2 * renewed):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if _, err := l.TryLock(ctx, "lock:renewed", ttl); !errors.Is(err, redlock.ErrContended) {
			t.Errorf("renewed for %v, and free: %v", 2*renewed, err)
		}
		return nil
	}, redlock.WithRenewal())
	if err != nil {
		t.Errorf("Do with renewal: %v", err)
	}
	lease, err := l.TryLock(t.Context(), "lock:lapsed", ttl)
	if err != nil {
		t.Fatal(err)
	}
	held := lease.Context()
	next, err := l.Lock(t.Context(), "lock:lapsed", ttl)
	if err != nil {
		t.Fatal(err)
	}
	if lease.Valid() || context.Cause(held) == nil {
		t.Errorf("a lapsed lease: valid %v, its context says %v", lease.Valid(), context.Cause(held))
	}
	if err := lease.Release(t.Context()); err == nil {
		t.Error("a lapsed lease was released")
	}
	if err := next.Release(t.Context()); err != nil {
		t.Errorf("the lease after a lapsed one: %v", err)
	}
}

// bounded checks the limits of waits and extensions.
func bounded(t *testing.T, l *redlock.Locker) {
	t.Helper()
	lease, err := l.TryLock(t.Context(), "lock:bounded", time.Minute, redlock.WithMaximumExtensions(1))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Lock(ctx, "lock:bounded", time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ended: %v", err)
	}
	if err := lease.Extend(t.Context(), time.Minute); err != nil {
		t.Errorf("first extension: %v", err)
	}
	if err := lease.Extend(t.Context(), time.Minute); !errors.Is(err, redlock.ErrExtensionLimit) {
		t.Errorf("second extension: %v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// fenced checks that a fenced resource refuses the token of an earlier lease.
func fenced(t *testing.T, cluster *realCluster, l *redlock.Locker) {
	t.Helper()
	resource := cluster.servers[4].console()
	var tokens []uint64
	for range 2 {
		lease, err := l.TryLock(t.Context(), "lock:fenced", time.Minute, redlock.WithFencing())
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, lease.Fence())
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is free again", func() bool {
			again, err := l.TryLock(t.Context(), "lock:fenced", time.Minute, redlock.WithFencing())
			return err == nil && again.Release(t.Context()) == nil
		})
	}
	if err := fence.Set(t.Context(), resource, "stock", tokens[1], "41"); err != nil {
		t.Fatal(err)
	}
	if err := fence.Set(t.Context(), resource, "stock", tokens[0], "42"); !errors.Is(err, fence.ErrStale) {
		t.Errorf("token %d after %d: %v", tokens[0], tokens[1], err)
	}
}

// blackHoles checks that every call succeeds in time while two of five nodes answer nothing,
// and that calls fail in time while three do.
func blackHoles(t *testing.T, cluster *realCluster, nodes []redlock.Node) {
	t.Helper()
	const timeout = 300 * time.Millisecond
	l, err := redlock.New(nodes, redlock.WithNodeTimeout(timeout))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	round := func(what string, f func() error, want error) {
		t.Helper()
		begin := time.Now()
		if err := f(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if took := time.Since(begin); took > 2*timeout {
			t.Errorf("%s took %v with a per-node timeout of %v", what, took, timeout)
		}
	}
	for _, s := range cluster.servers[:2] {
		s.proxy.swallow()
	}
	var lease *redlock.Lease
	round("lock", func() (err error) { lease, err = l.TryLock(t.Context(), "lock:hole", time.Minute); return err }, nil)
	if lease == nil {
		t.FailNow()
	}
	round("extend", func() error { return lease.Extend(t.Context(), time.Minute) }, nil)
	round("release", func() error { return lease.Release(t.Context()) }, nil)
	cluster.servers[2].proxy.swallow()
	round("lock without a majority", func() error { _, err := l.TryLock(t.Context(), "lock:hole", time.Minute); return err }, redlock.ErrNoQuorum)
	for _, s := range cluster.servers[:3] {
		s.proxy.heal()
	}
	eventually(t, "what was swallowed is released", func() bool {
		lease, err := l.TryLock(t.Context(), "lock:hole", time.Minute)
		return err == nil && lease.Release(t.Context()) == nil
	})
}

// killedMinority kills two of five servers while a lease exists. The lease stays valid, and
// the keys survive if the mode of persistence keeps them.
func killedMinority(t *testing.T, cluster *realCluster, keeps bool) {
	t.Helper()
	nodes := cluster.nodes(nil)
	l, err := redlock.New(nodes, redlock.WithNodeTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	lease, err := l.TryLock(t.Context(), "lock:killed", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "all nodes have the key", func() bool {
		for _, s := range cluster.servers {
			if s.console().Exists(t.Context(), "lock:killed").Val() != 1 {
				return false
			}
		}
		return true
	})
	for _, s := range cluster.servers[:2] {
		s.awaitWritten()
		s.kill()
		s.start()
		s.await()
		_, err := s.console().Get(t.Context(), "lock:killed").Result()
		// A snapshot may or may not contain the key.
		if keeps && err != nil {
			t.Errorf("after kill -9: %v", err)
		}
	}
	if err := lease.Extend(t.Context(), time.Minute); err != nil {
		t.Errorf("extension with a minority restarted: %v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("release with a minority restarted: %v", err)
	}
}

// On a server without memory for new keys a holder can still extend and release.
func TestIntegrationServersWithoutMemory(t *testing.T) {
	addresses := realServers(t, 3)
	l, err := redlock.Open(t.Context(), realNodes(t, addresses, nil), redlock.WithNodeTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	lease, err := l.TryLock(t.Context(), "held", time.Minute)
	if err == nil {
		err = lease.Extend(t.Context(), time.Minute) // loads the script
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if err := administrator(t, address).ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.TryLock(t.Context(), "another", time.Minute); !errors.Is(err, redlock.ErrNoQuorum) {
		t.Fatalf("a lock for which there is no memory: %v", err)
	}
	before := lease.Until()
	if err := lease.Extend(t.Context(), 2*time.Minute); err != nil || lease.Until() < before+50*time.Second {
		t.Fatalf("extend: %v, from %v to %v", err, before, lease.Until())
	}
	for _, address := range addresses { // a quorum decided: the other nodes may answer later
		console, left := administrator(t, address), time.Duration(0)
		end := time.Now().Add(5 * time.Second)
		for ; left < 100*time.Second && time.Now().Before(end); time.Sleep(time.Millisecond) {
			left = console.PTTL(t.Context(), "held").Val()
		}
		if left < 100*time.Second {
			t.Errorf("%s: the key lives for %v", address, left)
		}
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("release: %v", err)
	}
}
