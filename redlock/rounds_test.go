package redlock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"redlocklab/redlock"
)

// inBubble runs a test body in a synctest bubble with n nodes.
func inBubble(t *testing.T, n int, body func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { body(t, newWorld(t, n)) })
}

func TestRoundDecidesAtTheQuorumNotAtTheSlowest(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		for _, slow := range w.nodes[3:] {
			slow.set(func(n *fakeNode) { n.latency = 40 * time.Millisecond })
		}
		begin := time.Now()
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 10*time.Millisecond {
			t.Fatalf("waited for the slowest: %v", took)
		}
		if want := l.Allowance(time.Second); lease.Until() != time.Second-want {
			t.Fatalf("until %v, want ttl - allowance %v from the start", lease.Until(), time.Second-want)
		}
		time.Sleep(100 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 5 {
			t.Fatalf("stragglers were dropped: %d keys", got)
		}
	})
}

func TestPerNodeTimeoutOnEveryOperation(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "held", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		for _, node := range w.nodes[1:] {
			node.set(func(n *fakeNode) { n.swallow = true })
		}
		operations := map[string]func() error{
			"acquire": func() error { _, err := l.TryLock(t.Context(), "res", time.Minute); return err },
			"extend":  func() error { return lease.Extend(t.Context(), time.Minute) },
			"release": func() error { return lease.Release(t.Context()) },
		}
		for _, name := range []string{"acquire", "extend", "release"} {
			begin := time.Now()
			err := operations[name]()
			if took := time.Since(begin); took != 50*time.Millisecond {
				t.Errorf("%s took %v", name, took)
			}
			if !errors.Is(err, redlock.ErrNoQuorum) {
				t.Errorf("%s: %v", name, err)
			}
		}
		time.Sleep(10 * time.Second) // until the driver gives its connections up
	})
}

func TestLateVotesAreRefusedAndReleased(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(time.Second))
		defer w.close(l)
		for _, node := range w.nodes {
			node.set(func(n *fakeNode) { n.latency = 25 * time.Millisecond })
		}
		_, err := l.TryLock(t.Context(), "res", 20*time.Millisecond)
		if !errors.Is(err, redlock.ErrLate) {
			t.Fatalf("want ErrLate, got %v", err)
		}
		time.Sleep(200 * time.Millisecond)
		for _, node := range w.nodes {
			if node.engine.Exists("res") {
				t.Errorf("%s still has the key", node.name)
			}
		}
	})
}

func TestSuspensionBetweenSendAndReplyIsCaught(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		time.AfterFunc(500*time.Microsecond, func() { w.clock.extra.Add(int64(time.Hour)) })
		if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrLate) {
			t.Fatalf("want ErrLate, got %v", err)
		}
		time.Sleep(time.Second)
	})
}

func TestCancelledCallerStillReleases(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Microsecond)
		defer cancel()
		w.nodes[1].set(func(n *fakeNode) { n.latency = 20 * time.Millisecond })
		w.nodes[2].set(func(n *fakeNode) { n.latency = 20 * time.Millisecond })
		_, err := l.TryLock(ctx, "res", time.Minute)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("want the context's error, got %v", err)
		}
		time.Sleep(200 * time.Millisecond)
		for _, node := range w.nodes {
			if node.engine.Exists("res") {
				t.Errorf("%s still has the key", node.name)
			}
			if node.executed("EVALSHA release")+node.executed("EVAL release") == 0 {
				t.Errorf("%s got no release", node.name)
			}
		}
	})
}

func TestLostReplyIsNoFalseTaken(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		warm, err := l.TryLock(t.Context(), "warm", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = warm.Release(t.Context()) }()
		w.nodes[0].set(func(n *fakeNode) { n.cutReplies = 1 })
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatalf("own vote was taken for another's: %v", err)
		}
		if w.nodes[0].executed("SET") != 3 {
			t.Fatalf("expected one repetition, log %v", w.nodes[0].commands)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// An extension that is sent twice does not take what its first sending did for a vote
// (claim MX-8): it sets no key.
func TestLostReplyToAnExtensionIsNoVote(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if err := lease.Extend(t.Context(), time.Minute); err != nil { // loads the script
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		before := lease.Until()
		for _, node := range w.nodes {
			node.engine.Del("res")
			node.set(func(n *fakeNode) { n.cutReplies = 1 })
		}
		err = lease.Extend(t.Context(), time.Minute)
		if !errors.Is(err, redlock.ErrNotHeld) || lease.Until() != before {
			t.Fatalf("every key was gone: %v, the end moved by %v", err, lease.Until()-before)
		}
		if w.nodes[0].executed("EVALSHA extend") != 3 || w.holders("res", lease.Token()) != 0 {
			t.Errorf("%d keys, log %v", w.holders("res", lease.Token()), w.nodes[0].commands)
		}
	})
}

func TestLeaseContextEndsAtTheConfirmedDeadline(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		ctx := lease.Context()
		if err := lease.Extend(t.Context(), 2*time.Second); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if now := w.clock.Now(); now != lease.Until() {
			t.Fatalf("ended at %v, want %v", now, lease.Until())
		}
		if !errors.Is(context.Cause(ctx), redlock.ErrLapsed) || lease.Valid() {
			t.Fatalf("cause %v, valid %v", context.Cause(ctx), lease.Valid())
		}
		if err := lease.Extend(t.Context(), time.Minute); !errors.Is(err, redlock.ErrLapsed) {
			t.Fatalf("a lapsed lease was revived: %v", err)
		}
	})
}

func TestDoRenewsAndStopsWithRelease(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		err := l.Do(t.Context(), "res", time.Second, func(ctx context.Context) error {
			for range 10 {
				w.advance(500 * time.Millisecond)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
			if redlock.LeaseFrom(ctx) == nil {
				t.Error("no lease in the context")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		before := len(w.nodes[0].commands)
		time.Sleep(time.Minute)
		if after := len(w.nodes[0].commands); after != before {
			t.Fatalf("sent after release: %v", w.nodes[0].commands[before:])
		}
		if renewals := w.nodes[0].executed("EVALSHA extend"); renewals < 10 {
			t.Fatalf("%d renewals in five seconds", renewals)
		}
	})
}

// No extension is sent after the lease has ended (claim MX-10), even if it was waiting for a
// slow node's sender.
func TestNoExtensionIsSentAfterALoss(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(200*time.Millisecond))
		defer w.close(l)
		slow := w.nodes[2]
		slow.set(func(n *fakeNode) { n.latency = 800 * time.Millisecond })
		lease, err := l.TryLock(t.Context(), "res", 500*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := lease.Extend(t.Context(), 500*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		<-lease.Context().Done()
		before := slow.executed("EVAL")
		time.Sleep(5 * time.Second)
		if after := slow.executed("EVAL"); after != before {
			t.Errorf("the slow node executed %v", slow.commands)
		}
	})
}

func TestDoReportsALostLease(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		err := l.Do(t.Context(), "res", time.Second, func(ctx context.Context) error {
			for _, node := range w.nodes {
				node.engine.FlushAll()
			}
			<-ctx.Done()
			return nil
		})
		if !errors.Is(err, redlock.ErrNotHeld) {
			t.Fatalf("want ErrNotHeld, got %v", err)
		}
	})
}

// A release reaches every node that a SET was sent to (claim MX-3), even if the idle
// connection was lost and the first dial for another one fails.
func TestReleaseOutlivesALostDial(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		w.nodes[0].cut()
		w.nodes[0].set(func(n *fakeNode) { n.refuseDials = 1 })
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if w.nodes[0].executed("EVAL release") == 0 || w.holders("res", lease.Token()) != 0 {
			t.Errorf("the release never reached n1, which executed %v", w.nodes[0].commands)
		}
	})
}

// An answer that comes late shows that a node is back, and the release that it is owed is
// sent at once.
func TestALateAnswerBringsTheOwedRelease(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		n := w.nodes[0]
		n.set(func(n *fakeNode) { n.refuse = true })
		n.cut()
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		n.set(func(n *fakeNode) { n.refuse, n.latency = false, 70*time.Millisecond })
		if _, err := l.TryLock(t.Context(), "other", time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 0 {
			t.Errorf("%d keys are left after the node answered late: %v", got, n.commands)
		}
	})
}
