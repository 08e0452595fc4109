package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// The tests of this file stand for faults that a review found by breaking the package from
// outside.

// The only release fails while the SET is still on its way, and the SET lands later. The
// node is owed a release (claim LV-11).
func TestLateLandingAfterFailedRelease(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithClock(lateClock{w.clock}))
		defer w.close(l)
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := w.nodes[0]
		n.set(func(n *fakeNode) { n.latency = 200 * time.Millisecond })
		time.AfterFunc(20*time.Millisecond, func() { n.set(func(n *fakeNode) { n.refuse = true }) })
		time.AfterFunc(150*time.Millisecond, func() { n.set(func(n *fakeNode) { n.refuse = false }) })
		if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatal(err)
		}
		n.set(func(n *fakeNode) { n.latency = time.Millisecond })
		time.Sleep(8 * time.Second)
		if n.executed("SET") == 0 {
			t.Fatal("the SET never landed: the test shows nothing")
		}
		if n.engine.Exists("res") {
			t.Errorf("the key of the failed acquisition is still there, ttl %v, log %v", n.engine.TTL("res"), n.commands)
		}
	})
}

// lateClock's timers fire a little late, as real ones do.
type lateClock struct{ *virtualClock }

func (c lateClock) NewTimer(d time.Duration) redlock.Timer {
	return c.virtualClock.NewTimer(d + 100*time.Microsecond)
}

// A release that no node takes for a while is sent again, until the keys have expired.
func TestFailedReleasesAreSentAgain(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range w.nodes {
			n.set(func(n *fakeNode) { n.refuse = true })
			n.cut()
		}
		if err := lease.Release(t.Context()); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		for _, n := range w.nodes {
			n.set(func(n *fakeNode) { n.refuse = false })
		}
		time.Sleep(2 * time.Second)
		if got := w.holders("res", lease.Token()); got != 0 {
			t.Errorf("%d keys are left two seconds after the nodes are back", got)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("the release went through in the background, and a second call: %v", err)
		}
	})
}

// A Sentinel client with retries of its own does not send an extension twice: every key was
// gone, and what the first sending did must not look like a vote.
func TestTheDriverDoesNotRepeatAnExtension(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		for i, n := range w.nodes {
			w.list[i].Client = redis.NewClient(&redis.Options{
				Addr: "FailoverClient", Protocol: 2, DisableIdentity: true, DialerRetries: 1, PoolSize: 64,
				ReadTimeout: 3 * time.Second, WriteTimeout: 3 * time.Second, Dialer: n.dial,
			})
		}
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if err := lease.Extend(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		before := lease.Until()
		for _, node := range w.nodes {
			node.engine.Del("res")
			node.set(func(n *fakeNode) { n.cutReplies = 1 })
		}
		if err := lease.Extend(t.Context(), time.Minute); err == nil || lease.Until() != before {
			t.Errorf("every key was gone: %v, the end moved by %v; %v", err, lease.Until()-before, w.nodes[0].commands)
		}
		// One sending of the driver, and the one that the package repeats.
		if sent := w.nodes[0].executed("EVALSHA extend"); sent != 3 {
			t.Errorf("%d extensions: %v", sent, w.nodes[0].commands)
		}
	})
}

// Two nodes exchange their servers. All the time they are different servers.
func TestNodesThatSwapServersAreNotOneServer(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(time.Second))
		defer w.close(l)
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, b := w.nodes[0], w.nodes[1]
		a.set(func(n *fakeNode) { n.runID = "run-2-0" })
		b.set(func(n *fakeNode) { n.runID = "run-1-0" })
		a.cut()
		b.cut()
		var err error
		for range 60 {
			var lease *redlock.Lease
			if lease, err = l.TryLock(t.Context(), "res", time.Second); err == nil {
				_ = lease.Release(t.Context())
			}
			time.Sleep(time.Second)
		}
		if err != nil {
			t.Errorf("a minute after the exchange: %v", err)
		}
	})
}

// A node whose server moved to another node's address is forgotten when it cannot be reached.
func TestAServerThatMovedToAnotherNode(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(time.Second))
		defer w.close(l)
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.nodes[0].set(func(n *fakeNode) { n.runID = "run-2-0" })
		w.nodes[0].cut()
		w.nodes[1].set(func(n *fakeNode) { n.refuse = true })
		w.nodes[1].cut()
		err := errors.New("not tried")
		for range 10 {
			var lease *redlock.Lease
			if lease, err = l.TryLock(t.Context(), "res", time.Second); err == nil {
				_ = lease.Release(t.Context())
			}
			time.Sleep(time.Second)
		}
		if err != nil {
			t.Errorf("ten seconds after the move: %v", err)
		}
	})
}

// A node fails over to a replica that lacks a vote, while the old server still answers old
// connections. What it tells there does not vouch for the promoted one.
func TestAnOldConnectionDoesNotVouchForANewOne(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, w *world) {
		old, promoted := w.nodes[0], w.nodes[1] // one logical node, before and after a failover
		var moved atomic.Bool
		mk := func() *redis.Client {
			return redis.NewClient(&redis.Options{
				Addr: "10.0.0.9:6379", Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PoolSize: 64,
				Dialer: func(ctx context.Context, n, a string) (net.Conn, error) {
					if moved.Load() {
						return promoted.dial(ctx, n, a)
					}
					return old.dial(ctx, n, a)
				}})
		}
		c1, c2 := mk(), mk()
		opts := []redlock.Option{redlock.WithClock(w.clock), redlock.WithNodeTimeout(500 * time.Millisecond),
			redlock.WithRestartGuard(10 * time.Second)}
		first, err := redlock.New([]redlock.Node{{Name: "n", Client: c1}}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := redlock.New([]redlock.Node{{Name: "n", Client: c2}}, opts...)
		defer func() { _ = c1.Close(); _ = c2.Close() }()
		defer w.close(first, second)
		_, err = second.TryLock(t.Context(), "warm", 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			time.Sleep(2 * time.Second)
			if _, err := second.TryLock(t.Context(), fmt.Sprint("warm", i), 10*time.Second); err != nil {
				t.Fatal(err)
			}
		}
		lease, err := first.TryLock(t.Context(), "res", 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		// failover: a replica is promoted that lacks the vote; the old master still answers old connections.
		moved.Store(true)
		old.set(func(n *fakeNode) { n.latency = 600 * time.Millisecond })
		promoted.set(func(n *fakeNode) { n.latency = 60 * time.Millisecond })
		_, _ = second.TryLock(t.Context(), "busy", 10*time.Second) // overdue, so another sender dials
		stolen, err := second.TryLock(t.Context(), "res", 10*time.Second)
		if err == nil {
			t.Errorf("two holders: first valid %v, second valid %v; the old server ran %v, the promoted one %v", lease.Valid(), stolen.Valid(), old.commands, promoted.commands)
		}
		time.Sleep(5 * time.Second)
	})
}

// A client that waits for ever for an answer is refused. With the driver's timeouts, a node
// that swallowed everything for a while is asked again.
func TestASwallowingNodeIsAskedAgain(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		n := w.nodes[2]
		patient := redis.NewClient(&redis.Options{Addr: "10.0.0.3:6379", ReadTimeout: -1, WriteTimeout: -1, Dialer: n.dial})
		defer func() { _ = patient.Close() }()
		_, err := redlock.New([]redlock.Node{{Name: "n", Client: patient}})
		if !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("a client without timeouts: %v", err)
		}
		l := w.locker(1)
		defer w.close(l)
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.set(func(n *fakeNode) { n.swallow = true })
		lock := func() {
			if lease, err := l.TryLock(t.Context(), "res", time.Minute); err == nil {
				_ = lease.Release(t.Context())
			}
			time.Sleep(500 * time.Millisecond)
		}
		for range 600 { // five minutes
			lock()
		}
		n.set(func(n *fakeNode) { n.swallow = false })
		before := n.executed("")
		for range 20 {
			lock()
		}
		if n.executed("") == before {
			t.Error("ten seconds after the node answers again it was not asked")
		}
	})
}

// A round does not wait beyond the validity that it could give.
func TestNoRoundWaitsBeyondItsTimeToLive(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(10*time.Second))
		defer w.close(l)
		for _, n := range w.nodes {
			n.set(func(n *fakeNode) { n.swallow = true })
		}
		begin := time.Now()
		_, err := l.TryLock(t.Context(), "res", 100*time.Millisecond)
		if took := time.Since(begin); err == nil || took > 100*time.Millisecond {
			t.Errorf("time to live 100ms, decided after %v: %v", took, err)
		}
		time.Sleep(20 * time.Second)
	})
}

// A nil context is the background context. In particular a release works with it.
func TestNilContext(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		var none context.Context
		if err := l.Check(none); err != nil {
			t.Fatal(err)
		}
		for _, lock := range []func() (*redlock.Lease, error){
			func() (*redlock.Lease, error) { return l.TryLock(none, "res", time.Minute) },
			func() (*redlock.Lease, error) { return l.Lock(none, "res", time.Minute) },
		} {
			lease, err := lock()
			if err != nil {
				t.Fatal(err)
			}
			if err := lease.Extend(none, time.Minute); err != nil {
				t.Error(err)
			}
			if err := lease.Release(none); err != nil || w.nodes[0].engine.Exists("res") {
				t.Errorf("%v, the key is there: %v", err, w.nodes[0].engine.Exists("res"))
			}
		}
		if err := l.Do(none, "res", time.Minute, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

// Close waits for work of Do that ends with its context, and releases what it held.
func TestCloseDuringDoReleases(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l, other := w.locker(1), w.locker(2)
		defer w.close(l, other)
		closed := make(chan error, 1)
		_ = l.Do(t.Context(), "res", time.Minute, func(ctx context.Context) error {
			go func() { closed <- l.Close() }()
			<-ctx.Done()
			return nil
		})
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := other.TryLock(t.Context(), "res", time.Minute); err != nil {
			t.Errorf("the key stayed: %v", err)
		}
	})
}

// Whoever closes again waits for the first Close: then nothing is left to end.
func TestClosingAgainWaits(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		const work = 20 * time.Millisecond // less than Close waits
		var first, again time.Duration
		var closing sync.WaitGroup
		if err := l.Do(t.Context(), "res", time.Minute, func(ctx context.Context) error {
			begin := time.Now()
			closing.Go(func() { _ = l.Close(); first = time.Since(begin) })
			<-ctx.Done()
			closing.Go(func() { _ = l.Close(); again = time.Since(begin) })
			time.Sleep(work)
			return nil
		}); err != nil {
			t.Errorf("do: %v", err)
		}
		closing.Wait()
		if first < work || again < first {
			t.Errorf("the first Close took %v of work of %v, another one %v", first, work, again)
		}
	})
}

// A release after the end of the validity says so, even if the keys are still there.
func TestReleaseAfterTheEndLapses(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		seen := &recorder{}
		l := w.locker(1, redlock.WithObserver(seen))
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // the engines' keys do not age
		if w.holders("res", lease.Token()) != 3 {
			t.Fatal("the keys are gone: the test shows nothing")
		}
		if seen.count(redlock.EventLeaseEnded) != 1 {
			t.Error("nobody looked, and the observer was not told of the end")
		}
		if err := lease.Release(t.Context()); !errors.Is(err, redlock.ErrLapsed) {
			t.Errorf("release after the end: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if w.holders("res", lease.Token()) != 0 {
			t.Error("the keys stayed")
		}
	})
}

// An extension is not sent after the lease has ended, even if the connection takes that
// long: the time is read when the command is written.
func TestNothingIsWrittenAfterALongDial(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		w.nodes[0].cut()
		w.nodes[0].set(func(n *fakeNode) { n.dialTime = 3 * time.Second })
		if err := lease.Extend(t.Context(), time.Second); err == nil {
			t.Fatal("extended without an answer")
		}
		time.Sleep(10 * time.Second)
		if w.nodes[0].executed("EVALSHA extend")+w.nodes[0].executed("EVAL extend") != 0 {
			t.Errorf("sent after the end: %v", w.nodes[0].commands)
		}
	})
}
