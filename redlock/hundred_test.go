package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"redlocklab/redlock"
)

// noConnectionInUse checks that every connection is back in its pool.
func noConnectionInUse(t *testing.T, nodes []redlock.Node) {
	t.Helper()
	for _, node := range nodes {
		stats := node.Client.PoolStats()
		if stats.TotalConns != stats.IdleConns {
			t.Errorf("%s: %d connections, %d of them idle", node.Name, stats.TotalConns, stats.IdleConns)
		}
		if p := stats.PipelineStats; p != nil && p.TotalConns != p.IdleConns {
			t.Errorf("%s: %d connections for pipelines, %d of them idle", node.Name, p.TotalConns, p.IdleConns)
		}
	}
}

// TestLockersShareClients: fifty Lockers on five clients are used by a hundred goroutines,
// checked and closed meanwhile. In the end no goroutine and no connection is left.
func TestLockersShareClients(t *testing.T) {
	c := newCluster(t, 5)
	goroutinesBefore := packageGoroutines()
	lockers := make([]*redlock.Locker, 50)
	for i := range lockers {
		l, err := redlock.New(c.nodes, redlock.WithNodeTimeout(5*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		lockers[i] = l
	}
	var workers sync.WaitGroup
	for i := range 100 {
		workers.Go(func() {
			l := lockers[i%len(lockers)]
			for round := range 4 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				lease, err := l.Lock(ctx, fmt.Sprint("res", i%len(lockers)), 10*time.Second)
				if err == nil {
					_ = lease.Extend(ctx, 10*time.Second)
					_ = lease.Release(ctx)
				}
				_ = l.Check(ctx)
				cancel()
				if i == round*5 && round > 0 {
					_ = l.Close()
				}
			}
		})
	}
	workers.Wait()
	for _, l := range lockers {
		_ = l.Close()
	}
	eventually(t, "as many goroutines as before", func() bool { return packageGoroutines() == goroutinesBefore })
	noConnectionInUse(t, c.nodes)
}

// Fifty Lockers share five clients, and one node swallows everything for five minutes. Then
// every Locker asks it again, and in the end no goroutine and no connection is left: the
// bubble does not end before the last goroutine.
func TestLockersShareANodeThatSwallows(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		lockers := make([]*redlock.Locker, 50)
		for i := range lockers {
			lockers[i] = w.locker(uint64(i))
		}
		everyLocker := func() {
			var workers sync.WaitGroup
			for i, l := range lockers {
				workers.Go(func() {
					lease, err := l.TryLock(t.Context(), fmt.Sprint("res", i), time.Minute)
					if err == nil {
						err = lease.Release(t.Context())
					}
					if err != nil {
						t.Errorf("locker %d with a minority that swallows: %v", i, err)
					}
				})
			}
			workers.Wait()
		}
		everyLocker()
		n := w.nodes[4]
		n.set(func(n *fakeNode) { n.swallow = true })
		for range 20 {
			everyLocker()
			time.Sleep(15 * time.Second)
		}
		n.set(func(n *fakeNode) { n.swallow = false })
		for range 10 { // until the circuits let probes through
			everyLocker()
			time.Sleep(time.Second)
		}
		before := n.executed("SET")
		everyLocker()
		time.Sleep(time.Second)
		if asked := n.executed("SET") - before; asked != len(lockers) {
			t.Errorf("ten seconds after the node answers again, %d of %d Lockers ask it", asked, len(lockers))
		}
		noConnectionInUse(t, w.list)
		w.close(lockers...)
	})
}

// A hundred goroutines use one Locker and one lease at once: Check, Lock, Extend, Release
// and, in the end, Close. Each call returns, with an error that says what the others did.
func TestAHundredGoroutinesUseOneLocker(t *testing.T) {
	c := newCluster(t, 3)
	goroutinesBefore := packageGoroutines()
	l, err := redlock.New(c.nodes, redlock.WithNodeTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	shared, err := l.TryLock(t.Context(), "shared", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	calls := []func(i int) error{
		func(int) error { return l.Check(t.Context()) },
		func(i int) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			lease, err := l.Lock(ctx, fmt.Sprint("res", i%20), time.Minute)
			if err == nil {
				err = lease.Release(t.Context())
			}
			return err
		},
		func(int) error { return shared.Extend(t.Context(), time.Minute) },
		func(int) error {
			time.Sleep(20 * time.Millisecond)
			return shared.Release(t.Context())
		},
		func(i int) error {
			if i < 75 {
				return l.Do(t.Context(), fmt.Sprint("do", i), time.Minute, func(context.Context) error { return nil })
			}
			time.Sleep(50 * time.Millisecond)
			return l.Close()
		},
	}
	expected := []error{nil, redlock.ErrClosed, redlock.ErrReleased, context.DeadlineExceeded,
		redlock.ErrReleasesDropped}
	var workers sync.WaitGroup
	for i := range 100 {
		workers.Go(func() {
			for range 5 {
				err := calls[i%len(calls)](i)
				known := false
				for _, e := range expected {
					known = known || errors.Is(err, e)
				}
				if !known {
					t.Errorf("goroutine %d: %v", i, err)
				}
			}
		})
	}
	workers.Wait()
	if !errors.Is(l.Check(t.Context()), redlock.ErrClosed) {
		t.Error("the Locker was not closed")
	}
	eventually(t, "as many goroutines as before", func() bool { return packageGoroutines() == goroutinesBefore })
	noConnectionInUse(t, c.nodes)
}
