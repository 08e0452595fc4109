package redlock_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"redlocklab/redlock"
)

func TestHolderTellsWhoHolds(t *testing.T) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithKeyPrefix("lock:"))
		other := w.locker(2, redlock.WithKeyPrefix("lock:"))
		defer w.close(l, other)
		if h, err := l.Holder(t.Context(), "res"); h != nil || err != nil {
			t.Fatalf("nobody holds: %+v, %v", h, err)
		}
		owner := strings.Repeat("b", redlock.MaximumOwnerBytes-2) + " 7"
		before := time.Now()
		lease, err := other.TryLock(t.Context(), "res", time.Minute, redlock.WithOwner(owner))
		if err != nil {
			t.Fatal(err)
		}
		w.advance(10 * time.Second)
		// Two nodes live longer: the quorum-th of the longest lives counts.
		for _, node := range w.nodes[:2] {
			node.engine.SetTTL("lock:res", time.Hour)
		}
		h, err := l.Holder(t.Context(), "res")
		if err != nil || h == nil {
			t.Fatalf("%+v, %v", h, err)
		}
		if h.Owner != owner || h.Since.UnixMilli() != before.UnixMilli() || h.Remaining != 50*time.Second {
			t.Errorf("%+v, want %q since %v for 50 s", h, owner, before)
		}
		if !strings.HasPrefix(lease.Token(), strings.TrimSuffix(h.TokenPrefix, "…")) || len(h.TokenPrefix) > 10 {
			t.Errorf("prefix %q of token %q", h.TokenPrefix, lease.Token())
		}
		w.nodes[2].engine.SetTTL("lock:res", 2*time.Hour)
		if h, _ := l.Holder(t.Context(), "res"); h == nil || h.Remaining != time.Hour {
			t.Errorf("with three that live longer: %+v", h)
		}
		// It cannot be told while the silent ones could make the difference.
		var report *redlock.RoundError
		for _, node := range w.nodes[:3] {
			node.set(func(n *fakeNode) { n.refuse = true })
			node.cut()
		}
		h, err = l.Holder(t.Context(), "res")
		if !errors.Is(err, redlock.ErrNoQuorum) || !errors.As(err, &report) || h != nil {
			t.Errorf("with three nodes down: %+v, %v", h, err)
		}
		for _, node := range w.nodes[:3] {
			node.set(func(n *fakeNode) { n.refuse = false })
		}
		if err := lease.Extend(t.Context(), time.Minute); err != nil {
			t.Errorf("extending a lease with an owner: %v", err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if h, err := l.Holder(t.Context(), "res"); h != nil || err != nil {
			t.Errorf("after the release: %+v, %v", h, err)
		}
	})
}

// Values of others: of a library that writes only a token, for ever; one that is too long to
// read; a minority's; and one that is no text.
func TestHolderOfOthers(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		set := func(values ...string) {
			for i, node := range w.nodes {
				node.engine.Del("res")
				if values[i] != "" {
					_ = node.engine.Set("res", values[i])
				}
			}
		}
		set("another library's", "", "another library's")
		h, err := l.Holder(t.Context(), "res")
		if err != nil || h == nil || h.Owner != "" || !h.Since.IsZero() || h.Remaining >= 0 {
			t.Errorf("a key for ever: %+v, %v", h, err)
		}
		set("one", "two", "")
		if h, err := l.Holder(t.Context(), "res"); h != nil || err != nil {
			t.Errorf("no quorum for one: %+v, %v", h, err)
		}
		long := strings.Repeat("x", 400)
		set(long+"1", long+"2", "")
		if h, err := l.Holder(t.Context(), "res"); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Errorf("values too long to read: %+v, %v", h, err)
		}
		set("", "", "")
		for _, node := range w.nodes[:2] {
			_, _ = node.engine.Push("res", "x")
		}
		if h, err := l.Holder(t.Context(), "res"); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Errorf("lists: %+v, %v", h, err)
		}
		for _, owner := range []string{"", strings.Repeat("b", redlock.MaximumOwnerBytes+1)} {
			_, err := l.TryLock(t.Context(), "res", time.Second, redlock.WithOwner(owner))
			if !errors.Is(err, redlock.ErrInvalidArgument) {
				t.Errorf("an owner of %d bytes: %v", len(owner), err)
			}
		}
		if _, err := l.Holder(t.Context(), ""); !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("no name: %v", err)
		}
	})
}
