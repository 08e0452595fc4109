package redlock_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"redlocklab/redlock"
)

// A name that moves to the server of another node is found by the next check.
func TestCheckAsksEachTimeWhoAnswers(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.nodes[2].set(func(n *fakeNode) { n.runID = w.nodes[1].runID })
		if err := l.Check(t.Context()); !errors.Is(err, redlock.ErrSameServer) {
			t.Errorf("n3 answers as n2: %v", err)
		}
	})
}

// Two nodes that answer as one server for a while end no renewal.
func TestRenewalOutlivesAClash(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", 3*time.Second, redlock.WithRenewal())
		if err != nil {
			t.Fatal(err)
		}
		own := w.nodes[2].runID
		w.nodes[2].set(func(n *fakeNode) { n.runID = w.nodes[1].runID })
		if err := l.Check(t.Context()); !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("n3 answers as n2: %v", err)
		}
		if err := lease.Extend(t.Context(), 3*time.Second); !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("an extension meanwhile: %v", err)
		}
		w.advance(1500 * time.Millisecond) // a renewal is due after a second
		w.nodes[2].set(func(n *fakeNode) { n.runID = own })
		for range 6 {
			w.advance(time.Second)
		}
		if !lease.Valid() {
			t.Error("the renewal ended with the clash")
		}
	})
}

// What a failed extension left on a node is released when the lease ends, although nobody
// looks at the lease any more (claim LV-11).
func TestFailedExtensionOfAForgottenLeaseIsReleased(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range w.nodes[1:] {
			node.set(func(n *fakeNode) { n.swallow = true })
		}
		if err := lease.Extend(t.Context(), time.Hour); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatalf("one of three: %v", err)
		}
		if left := w.nodes[0].engine.TTL("res"); left < time.Minute {
			t.Fatalf("n1 keeps the key for %v more: nothing is tested", left)
		}
		w.advance(3 * time.Second)
		if value, err := w.nodes[0].engine.Get("res"); err == nil {
			t.Errorf("n1 still has %q", value)
		}
	})
}

// An error shows a token's first characters only, also where a server repeats the command.
func TestErrorsHideTokens(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		w.nodes[0].set(func(n *fakeNode) { n.repeats = true })
		// The text of an error is cut after 96 bytes: within the token of the long name.
		for _, name := range []string{"r", strings.Repeat("r", 60)} {
			_, err := l.TryLock(t.Context(), name, time.Minute)
			if err == nil || !strings.Contains(err.Error(), "not here: "+name+" ") || !strings.Contains(err.Error(), "…") {
				t.Fatalf("want the server's error with a shortened token, got %v", err)
			}
			if shown := regexp.MustCompile(`[0-9a-f]{7,}`).FindString(err.Error()); shown != "" {
				t.Errorf("the error shows %s of a token: %v", shown, err)
			}
		}
	})
}
