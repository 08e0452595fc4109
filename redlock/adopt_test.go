package redlock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"redlocklab/redlock"
)

// A lease goes from one process to another without a moment in which others can take it.
func TestHandOverAndAdopt(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		from, to, third := w.locker(1), w.locker(2), w.locker(3)
		defer w.close(from, to, third)
		var token string
		err := from.DoAll(t.Context(), []string{"a", "b"}, time.Second, func(ctx context.Context) error {
			var err error
			lease := redlock.LeaseFrom(ctx)
			if token, err = lease.HandOver(); err != nil {
				t.Error(err)
			}
			if lease.Valid() || !errors.Is(context.Cause(lease.Context()), redlock.ErrHandedOver) {
				t.Errorf("after the hand-over: valid for %v, %v", lease.Remaining(), context.Cause(lease.Context()))
			}
			for name, err := range map[string]error{
				"Release": lease.Release(t.Context()), "Extend": lease.Extend(t.Context(), time.Second),
			} {
				if !errors.Is(err, redlock.ErrHandedOver) {
					t.Errorf("%s after the hand-over: %v", name, err)
				}
			}
			if _, err := lease.HandOver(); err != nil {
				t.Errorf("handed over again: %v", err)
			}
			return nil
		}, redlock.WithOwner("the first"))
		if err != nil {
			t.Fatal(err)
		}
		w.advance(500 * time.Millisecond)
		w.nodes[4].engine.Del("a") // a minority may have lost it
		begin := w.clock.Now()
		lease, err := to.Adopt(t.Context(), []string{"b", "a"}, token, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		want := begin + 2*time.Second - to.Allowance(2*time.Second)
		if lease.Until() != want || lease.Token() != token {
			t.Errorf("valid until %v, want %v", lease.Until(), want)
		}
		w.advance(time.Second)
		if _, err := third.TryLock(t.Context(), "a", time.Second); !errors.Is(err, redlock.ErrContended) {
			t.Errorf("a third: %v", err)
		}
		for _, key := range []string{"a", "b"} {
			if carrying := w.holders(key, token); carrying != 5 {
				t.Errorf("%d nodes carry %s", carrying, key)
			}
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if carrying := w.holders("a", token) + w.holders("b", token); carrying != 0 {
			t.Errorf("%d keys after the release", carrying)
		}
	})
}

// What was under way when a lease was handed over takes no vote from the adopter: its straggling
// SET gets no release.
func TestHandOverReleasesNothingLater(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		from, to := w.locker(1), w.locker(2)
		defer w.close(from, to)
		for _, l := range []*redlock.Locker{from, to} { // connections and scripts are known
			warm, err := l.TryLock(t.Context(), "another", time.Minute)
			if err == nil {
				err = errors.Join(warm.Extend(t.Context(), time.Minute), warm.Release(t.Context()))
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		w.nodes[2].set(func(n *fakeNode) { n.latency = 30 * time.Millisecond })
		lease, err := from.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		token, err := lease.HandOver() // before the third node has answered
		if err != nil {
			t.Fatal(err)
		}
		adopted, err := to.Adopt(t.Context(), []string{"res"}, token, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if carrying := w.holders("res", token); carrying != 3 || !adopted.Valid() {
			t.Errorf("%d nodes carry the token", carrying)
		}
	})
}

func TestAdoptWhatIsNotThere(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		from, to := w.locker(1), w.locker(2)
		defer w.close(from, to)
		lease, err := from.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		adopt := func(token string) error {
			_, err := to.Adopt(t.Context(), []string{"res"}, token, time.Second)
			return err
		}
		for name, token := range map[string]string{"none": "", "too long": strings.Repeat("x", 1<<20)} {
			if err := adopt(token); !errors.Is(err, redlock.ErrInvalidArgument) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := adopt("another"); !errors.Is(err, redlock.ErrNotHeld) {
			t.Errorf("another token: %v", err)
		}
		// A failed adoption takes nothing away.
		time.Sleep(10 * time.Millisecond)
		if carrying := w.holders("res", lease.Token()); carrying != 3 || !lease.Valid() {
			t.Fatalf("%d nodes carry the token", carrying)
		}
		for _, node := range w.nodes[:2] {
			node.set(func(n *fakeNode) { n.swallow = true })
		}
		if err := adopt(lease.Token()); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Errorf("without a quorum: %v", err)
		}
		for _, node := range w.nodes[:2] {
			node.set(func(n *fakeNode) { n.swallow = false })
			node.cut()
		}
		w.advance(time.Second)
		if _, err := lease.HandOver(); !errors.Is(err, redlock.ErrLapsed) {
			t.Errorf("a lapsed lease: %v", err)
		}
		if err := adopt(lease.Token()); !errors.Is(err, redlock.ErrNotHeld) {
			t.Errorf("expired keys: %v", err)
		}
	})
}

// An adopter whose deciding answer comes after the validity has no lease.
func TestLateAdoption(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		from, to := w.locker(1), w.locker(2, redlock.WithNodeTimeout(10*time.Second))
		defer w.close(from, to)
		lease, err := from.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		token, err := lease.HandOver()
		if err != nil {
			t.Fatal(err)
		}
		w.setLatency(1010 * time.Millisecond)
		if _, err := to.Adopt(t.Context(), []string{"res"}, token, time.Second); err == nil {
			t.Error("adopted after the validity had ended")
		}
		time.Sleep(5 * time.Second)
		if carrying := w.holders("res", token); carrying != 3 {
			t.Errorf("%d nodes carry the token", carrying)
		}
	})
}
