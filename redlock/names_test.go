package redlock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// A resource whose key is the fencing counter of another cannot be locked: one would take the
// other's key for a holder's token, or for a number.
func TestCountersKeysAreNoResources(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		for _, c := range []struct {
			prefix, name string
			refused      bool
		}{
			{"", "{x}:fence", true},
			{"", "a{x}b:fence", true},
			{"", "{x:fence", false},
			{"", "x:fence", false},
			{"", "{}:fence", false},
			{"", "{}}:fence", true}, // the counter of "}"
			{"", ":fence", false},
			{"{x}", ":fence", true}, // a prefix makes the key
			{"lock:", "{x}:fence", true},
			{"lock:", "x:fence", false},
		} {
			l := w.locker(1, redlock.WithKeyPrefix(c.prefix))
			lease, err := l.TryLock(t.Context(), c.name, time.Second)
			if errors.Is(err, redlock.ErrInvalidArgument) != c.refused {
				t.Errorf("%q with prefix %q: %v", c.name, c.prefix, err)
			}
			if err == nil {
				_ = lease.Release(context.Background())
			}
			_ = l.Close()
		}
		w.close()
	})
}

// What FenceKey gives is refused as a name, for every name that can be locked with fencing.
func FuzzCountersKeysAreRefused(f *testing.F) {
	for _, name := range []string{"x", "{x}", "a{x}b", "}", "{", "{}", "}{", ":fence", "{x}:fence", "{{x}}"} {
		f.Add(name)
	}
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"}) // nothing is sent
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || len(name) > 400 {
			t.Skip()
		}
		l, err := redlock.New([]redlock.Node{{Name: "n1", Client: client}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = l.TryLock(ended, redlock.FenceKey(name), time.Second)
		if !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("the counter of %q can be locked: %v", name, err)
		}
	})
}

// After Close no lease is valid, as its context says, and nothing can release it: its keys
// expire.
func TestLeasesOfAClosedLocker(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		ended := lease.Context()
		if !lease.Valid() {
			t.Fatal("not valid before")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		<-ended.Done()
		if lease.Valid() || lease.Remaining() != 0 || !errors.Is(context.Cause(ended), redlock.ErrClosed) {
			t.Errorf("valid for %v, context ended by %v", lease.Remaining(), context.Cause(ended))
		}
		if err := lease.Release(t.Context()); !errors.Is(err, redlock.ErrClosed) {
			t.Errorf("release: %v", err)
		}
		if err := lease.Extend(t.Context(), time.Minute); !errors.Is(err, redlock.ErrClosed) {
			t.Errorf("extend: %v", err)
		}
		if carrying := w.holders("res", lease.Token()); carrying != 3 {
			t.Errorf("%d nodes carry the token", carrying)
		}
		w.advance(time.Minute)
		if carrying := w.holders("res", lease.Token()); carrying != 0 {
			t.Errorf("%d nodes carry the token after its time to live", carrying)
		}
		w.close()
	})
}
