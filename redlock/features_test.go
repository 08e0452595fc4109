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

func TestFencingTokensIncrease(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithFencing())
		defer w.close(l)
		// With counters far apart, a maximum without write-back would decrease.
		for i, counter := range []string{"1", "1", "100", "7", "0"} {
			if err := w.nodes[i].engine.Set(redlock.FenceKey("res"), counter); err != nil {
				t.Fatal(err)
			}
		}
		last := uint64(0)
		for turn := range 10 {
			// A different minority is down each time.
			for i, node := range w.nodes {
				node.set(func(n *fakeNode) { n.refuse = i == turn%5 || i == (turn+2)%5 })
				node.cut()
			}
			lease, err := l.Lock(t.Context(), "res", time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if lease.Fence() <= last {
				t.Fatalf("turn %d: %d after %d", turn, lease.Fence(), last)
			}
			last = lease.Fence()
			if err := lease.Extend(t.Context(), time.Second); err != nil {
				t.Fatal(err)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// A raised counter is not a vote against: after a lost reply it may be our own number.
func TestLostReplyToAFencingTokenIsNoFalseTaken(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithFencing())
		defer w.close(l)
		warm, err := l.TryLock(t.Context(), "warm", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := warm.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		time.AfterFunc(1500*time.Microsecond, func() { // the second round is under way
			for _, node := range w.nodes {
				node.set(func(n *fakeNode) { n.cutReplies = 1 })
			}
		})
		_, err = l.TryLock(t.Context(), "res", time.Minute)
		var report *redlock.RoundError
		if !errors.As(err, &report) || report.Operation != redlock.OperationFence ||
			!errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatalf("nobody else asked for the resource: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil || lease.Fence() != 2 {
			t.Fatalf("after a lease that was not handed out: %v, %v", lease, err)
		}
	})
}

// Counters stay for as long as they are told, from the last acquisition on.
func TestFencingCountersExpire(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithFencing(), redlock.WithFenceRetention(48*time.Hour))
		defer w.close(l)
		for want := uint64(1); want <= 2; want++ {
			lease, err := l.TryLock(t.Context(), "res", time.Second)
			if err != nil || lease.Fence() != want {
				t.Fatalf("number %d, %v", want, err)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := w.nodes[0].engine.TTL(redlock.FenceKey("res")); left != 48*time.Hour {
				t.Errorf("the counter lives for %v", left)
			}
			w.nodes[0].engine.FastForward(47 * time.Hour)
		}
	})
}

func TestFencingOfSeveralResources(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		one, err := l.TryLock(t.Context(), "b", time.Second, redlock.WithFencing())
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		both, err := l.TryLockAll(t.Context(), []string{"a", "b"}, time.Second, redlock.WithFencing())
		if err != nil {
			t.Fatal(err)
		}
		if both.Fence() <= one.Fence() {
			t.Fatalf("%d after %d", both.Fence(), one.Fence())
		}
	})
}

func TestSeveralResourcesAllOrNothing(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLockAll(t.Context(), []string{"b", "a", "b"}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(lease.Resources()); got != "[a b]" {
			t.Fatalf("resources %s", got)
		}
		if _, err := l.TryLockAll(t.Context(), []string{"b", "c"}, time.Minute); !errors.Is(err, redlock.ErrContended) {
			t.Fatalf("overlapping set: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		for _, node := range w.nodes {
			if node.engine.Exists("c") {
				t.Fatal("a part was taken")
			}
		}
		if err := lease.Extend(t.Context(), 2*time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if keys := w.nodes[0].engine.Keys(); len(keys) != 0 {
			t.Fatalf("left: %v", keys)
		}
	})
}

func TestLockWaitsForTheHolder(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		held, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("supper is ready"))
		defer cancel()
		_, err = l.Lock(ctx, "res", time.Minute)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, redlock.ErrContended) {
			t.Fatalf("context: %v", err)
		}
		if now := w.clock.Now(); now > 1100*time.Millisecond {
			t.Fatalf("gave up only at %v", now)
		}
		time.AfterFunc(3*time.Second, func() { _ = held.Release(context.Background()) })
		begin := w.clock.Now()
		if _, err := l.Lock(t.Context(), "res", time.Minute); err != nil {
			t.Fatal(err)
		}
		if waited := w.clock.Now() - begin; waited < 3*time.Second || waited > 4*time.Second {
			t.Fatalf("waited %v", waited)
		}
	})
}

func TestMaximumExtensionsEndsRenewal(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		err := l.Do(t.Context(), "res", time.Second, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}, redlock.WithMaximumExtensions(3))
		if !errors.Is(err, redlock.ErrLapsed) {
			t.Fatalf("want ErrLapsed, got %v", err)
		}
		if now := w.clock.Now(); now > 3*time.Second {
			t.Fatalf("held until %v", now)
		}
		w.advance(time.Second)
		if _, err := l.TryLock(t.Context(), "res", time.Second); err != nil {
			t.Fatalf("the others are still starved: %v", err)
		}
	})
}

func TestRenewalSurvivesAnOutageThatIsShort(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		err := l.Do(t.Context(), "res", 3*time.Second, func(ctx context.Context) error {
			w.advance(900 * time.Millisecond)
			for _, node := range w.nodes[:2] {
				node.set(func(n *fakeNode) { n.refuse = true })
				node.cut()
			}
			w.advance(1200 * time.Millisecond)
			for _, node := range w.nodes[:2] {
				node.set(func(n *fakeNode) { n.refuse = false })
			}
			w.advance(2 * time.Second)
			return ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// The interval of renewals follows the whole validity, even if a slow acquisition left
// little of it. Otherwise each renewal would come just before the end.
func TestRenewalKeepsItsDistanceAfterASlowAcquisition(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(900*time.Millisecond))
		defer w.close(l)
		latency := func(d time.Duration) {
			for _, node := range w.nodes {
				node.set(func(n *fakeNode) { n.latency = d })
			}
		}
		latency(850 * time.Millisecond)
		time.AfterFunc(500*time.Millisecond, func() { latency(10 * time.Millisecond) })
		lease, err := l.TryLock(t.Context(), "res", time.Second, redlock.WithRenewal())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lease.Release(t.Context()) }()
		time.Sleep(100 * time.Millisecond)
		for range 5000 {
			if left := lease.Remaining(); left < 600*time.Millisecond {
				t.Fatalf("%v left of a second, and a renewal takes 20 ms", left)
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func TestCircuitSkipsAndProbesADeadNode(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		seen := &recorder{}
		l := w.locker(1, redlock.WithObserver(seen))
		defer w.close(l)
		w.nodes[4].set(func(n *fakeNode) { n.swallow = true })
		cycle := func() (ofDead redlock.NodeOutcome) {
			t.Helper()
			lease, err := l.TryLock(t.Context(), "res", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			ofDead = seen.last(redlock.OperationAcquire).Nodes[4].Outcome
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(60 * time.Millisecond)
			return ofDead
		}
		skipped := 0
		for range 20 {
			if cycle() == redlock.OutcomeCircuitOpen {
				skipped++
			}
		}
		if skipped < 10 {
			t.Fatalf("the dead node was skipped %d times of 20", skipped)
		}
		w.nodes[4].set(func(n *fakeNode) { n.swallow = false })
		for range 300 {
			cycle()
		}
		last := cycle()
		if got := w.nodes[4].executed("SET"); got == 0 {
			t.Fatal("the node was never tried again")
		}
		if last == redlock.OutcomeCircuitOpen {
			t.Fatalf("healthy node is still skipped")
		}
	})
}

func TestOpenCircuitsNeverMakeALockUnavailable(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		for _, node := range w.nodes {
			node.set(func(n *fakeNode) { n.refuse = true })
		}
		for range 10 {
			if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrNoQuorum) {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		for _, node := range w.nodes {
			node.set(func(n *fakeNode) { n.refuse = false })
		}
		if _, err := l.TryLock(t.Context(), "res", time.Second); err != nil {
			t.Fatalf("all nodes are back: %v", err)
		}
	})
}

func TestLateLandingIsReleasedAgain(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		// Two warm connections, then the SET on one of them is slower than the
		// release on the other.
		for _, name := range []string{"x", "y"} {
			go func() { _, _ = l.TryLock(context.Background(), name, time.Second) }()
		}
		time.Sleep(100 * time.Millisecond)
		w.nodes[0].set(func(n *fakeNode) { n.latency = 300 * time.Millisecond })
		go func() {
			time.Sleep(10 * time.Millisecond)
			w.nodes[0].set(func(n *fakeNode) { n.latency = time.Millisecond })
		}()
		if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if w.nodes[0].engine.Exists("res") {
			t.Fatalf("the key that landed late stayed: %v", w.nodes[0].commands)
		}
	})
}

func TestCloseEndsWaitersAndSendsTheirReleases(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(500*time.Millisecond))
		held, err := l.TryLock(t.Context(), "other", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		ended := held.Context().Done()
		w.nodes[1].set(func(n *fakeNode) { n.latency = 30 * time.Millisecond })
		w.nodes[2].set(func(n *fakeNode) { n.latency = 30 * time.Millisecond })
		failed := make(chan error, 1)
		go func() {
			_, err := l.TryLock(context.Background(), "res", time.Minute)
			failed <- err
		}()
		time.Sleep(5 * time.Millisecond)
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-failed; !errors.Is(err, redlock.ErrClosed) {
			t.Errorf("waiter: %v", err)
		}
		<-ended
		if err := l.Close(); err != nil {
			t.Errorf("close again: %v", err)
		}
		if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrClosed) {
			t.Errorf("after close: %v", err)
		}
		if err := held.Release(t.Context()); !errors.Is(err, redlock.ErrClosed) {
			t.Errorf("release after close: %v", err)
		}
		w.close()
		for _, node := range w.nodes {
			if node.engine.Exists("res") {
				t.Errorf("%s still has the key", node.name)
			}
		}
	})
}

// recorder is an Observer that keeps every event.
type recorder struct {
	mu     sync.Mutex
	events []redlock.Event
}

func (r *recorder) Observe(_ context.Context, event redlock.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

// last returns the event of the last round of an operation.
func (r *recorder) last(operation redlock.Operation) (last redlock.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, event := range r.events {
		if event.Kind == redlock.EventRound && event.Operation == operation {
			last = event
		}
	}
	return last
}

func (r *recorder) count(kind redlock.EventKind) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := 0
	for _, event := range r.events {
		if event.Kind == kind {
			count++
		}
	}
	return count
}
