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

// A process's own waiters must not cost its holder the lease: 2,000 calls wait for it, messages
// take 20 ms each way, and the per-node timeout is 250 ms.
func TestWaitersDoNotCostTheHolderItsLease(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		w.setLatency(20 * time.Millisecond)
		l := w.locker(1, redlock.WithNodeTimeout(250*time.Millisecond))
		defer w.close(l)
		waiting, cancel := context.WithCancel(t.Context())
		var waiters sync.WaitGroup
		err := l.Do(t.Context(), "res", 2*time.Second, func(held context.Context) error {
			for range 2000 {
				waiters.Go(func() {
					if _, err := l.Lock(waiting, "res", 2*time.Second); !errors.Is(err, context.Canceled) {
						t.Errorf("a waiter got %v", err)
					}
				})
			}
			select {
			case <-held.Done():
				return context.Cause(held)
			case <-time.After(10 * time.Second):
				cancel()
				return nil
			}
		})
		cancel()
		waiters.Wait()
		if err != nil {
			t.Errorf("the holder: %v", err)
		}
	})
}

// Extensions and releases overtake acquisitions of other resources, and are taken also where no
// further acquisition is.
func TestExtensionsOvertakeAcquisitions(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		w.setLatency(20 * time.Millisecond)
		l := w.locker(1, redlock.WithNodeTimeout(250*time.Millisecond))
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var others sync.WaitGroup
		for i := range 6000 {
			others.Go(func() { _, _ = l.TryLock(t.Context(), fmt.Sprint("other", i), 2*time.Second) })
		}
		time.Sleep(time.Millisecond) // they are in the queues
		begin := w.clock.Now()
		if err := lease.Extend(t.Context(), 2*time.Second); err != nil {
			t.Errorf("the extension: %v", err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("the release: %v", err)
		}
		// Each waits for the batch that is under way, and for its own.
		if took := w.clock.Now() - begin; took > 200*time.Millisecond {
			t.Errorf("extending and releasing took %v", took)
		}
		others.Wait()
	})
}

// The calls of one Locker that want the same resource come one after another, in their order,
// and each is next as soon as the last has released.
func TestWaitersComeInTheirOrder(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		held, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		var waiters sync.WaitGroup
		for i := range 40 {
			waiters.Go(func() {
				lease, err := l.Lock(t.Context(), "res", time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(time.Millisecond)
		}
		before := w.nodes[0].executed("SET")
		time.Sleep(10 * time.Second)
		if sets := w.nodes[0].executed("SET") - before; sets > 200 {
			t.Errorf("%d attempts in 10 s of 40 waiters", sets)
		}
		begin := w.clock.Now()
		if err := held.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		waiters.Wait()
		for i, waiter := range order {
			if waiter != i {
				t.Fatalf("the order was %v", order)
			}
		}
		// Two round trips of 2 ms each, and after every 16th a pause of at most 16 ms.
		if took := w.clock.Now() - begin; took > 400*time.Millisecond {
			t.Errorf("40 waiters took %v", took)
		}
	})
}

// Whoever waits in line can give up, closing the Locker ends it, and the others go on.
func TestGivingUpInLine(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		held, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		first, giveUpFirst := context.WithCancel(t.Context())
		second, giveUpSecond := context.WithCancel(t.Context())
		results := make(chan error)
		lock := func(ctx context.Context) {
			lease, err := l.Lock(ctx, "res", time.Minute)
			if err == nil {
				err = lease.Release(context.Background())
			}
			results <- err
		}
		for _, ctx := range []context.Context{first, second, t.Context()} {
			go lock(ctx)
			time.Sleep(300 * time.Millisecond)
		}
		for _, giveUp := range []func(){giveUpSecond, giveUpFirst} {
			giveUp()
			if err := <-results; !errors.Is(err, context.Canceled) || !errors.Is(err, redlock.ErrContended) {
				t.Errorf("whoever gave up got %v", err)
			}
		}
		if err := held.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-results; err != nil {
			t.Errorf("the third in line got %v", err)
		}
		if _, err = l.TryLock(t.Context(), "res", time.Minute); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			go lock(t.Context())
			time.Sleep(time.Second)
		}
		_ = l.Close()
		for range 2 {
			if err := <-results; !errors.Is(err, redlock.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
	})
}

// The waiters of one Locker leave room for others: they pass a lock on 16 times in a row, and
// then pause as after a failed attempt.
func TestWaitersOfOneLockerStarveNobody(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		many, one := w.locker(1), w.locker(2)
		defer w.close(many, one)
		ctx, cancel := context.WithCancel(t.Context())
		var waiters sync.WaitGroup
		for range 20 {
			waiters.Go(func() {
				for ctx.Err() == nil {
					if lease, err := many.Lock(ctx, "res", time.Minute); err == nil {
						time.Sleep(time.Millisecond)
						_ = lease.Release(context.Background())
					}
				}
			})
		}
		longest := time.Duration(0)
		for range 100 {
			begin := w.clock.Now()
			lease, err := one.Lock(t.Context(), "res", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, w.clock.Now()-begin)
			_ = lease.Release(t.Context())
			time.Sleep(50 * time.Millisecond)
		}
		cancel()
		waiters.Wait()
		if longest > 1500*time.Millisecond {
			t.Errorf("the other Locker waited %v", longest)
		}
	})
}

// A contended attempt sends no release to a node that answered that another holds the key: it
// left nothing there (claims MX-3, LV-11).
func TestNoReleaseWhereAnotherHolds(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		holder, contender := w.locker(1), w.locker(2)
		defer w.close(holder, contender)
		held, err := holder.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		w.nodes[0].engine.Del("res") // the contender's SET finds this one free
		if _, err := contender.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrContended) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		for i, node := range w.nodes[:4] {
			// The fifth had not answered when a quorum against it had.
			releases, expected := node.executed("EVALSHA release")+node.executed("EVAL release"), 0
			if i == 0 {
				expected = 2 // unknown script, then its source
			}
			if releases != expected {
				t.Errorf("%s executed %d releases; want %d", node.name, releases, expected)
			}
		}
		if held := w.holders("res", held.Token()); held != 4 || w.nodes[0].engine.Exists("res") {
			t.Errorf("%d nodes carry the holder's token", held)
		}
	})
}
