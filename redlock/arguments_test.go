package redlock_test

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

func TestArgumentsOutOfBounds(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = client.Close() }()
	cluster := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
	defer func() { _ = cluster.Close() }()
	good := []redlock.Node{{Name: "n1", Client: client}}
	many := make([]redlock.Node, 65)
	constructors := map[string]func() (*redlock.Locker, error){
		"no nodes":       func() (*redlock.Locker, error) { return redlock.New(nil) },
		"too many nodes": func() (*redlock.Locker, error) { return redlock.New(many) },
		"no name":        func() (*redlock.Locker, error) { return redlock.New([]redlock.Node{{Client: client}}) },
		"no client":      func() (*redlock.Locker, error) { return redlock.New([]redlock.Node{{Name: "n"}}) },
		"name twice": func() (*redlock.Locker, error) {
			return redlock.New([]redlock.Node{good[0], {Name: "n1", Client: cluster}})
		},
		"client twice": func() (*redlock.Locker, error) {
			return redlock.New([]redlock.Node{good[0], {Name: "n2", Client: client}})
		},
		"guard on a cluster": func() (*redlock.Locker, error) {
			return redlock.New([]redlock.Node{{Name: "n", Client: cluster}}, redlock.WithRestartGuard(time.Minute))
		},
		"open": func() (*redlock.Locker, error) { return redlock.Open(context.Background(), nil) },
	}
	for name, construct := range constructors {
		if l, err := construct(); l != nil || !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	options := map[string]redlock.Option{
		"nil": nil, "clock": redlock.WithClock(nil), "random": redlock.WithRandom(nil),
		"timeout": redlock.WithNodeTimeout(0), "rate": redlock.WithClockRateBound(-1),
		"rate too large": redlock.WithClockRateBound(redlock.MaximumClockRateError + 1),
		"backoff":        redlock.WithBackoff(nil),
		"extensions":     redlock.WithMaximumExtensions(-1),
		"guard":          redlock.WithRestartGuard(time.Millisecond),
		"observer":       redlock.WithObserver(nil),
		"prefix":         redlock.WithKeyPrefix(strings.Repeat("x", redlock.MaximumResourceBytes+1)),
		"default":        redlock.WithDefaultTTL(time.Millisecond), "default with a fraction": redlock.WithDefaultTTL(time.Second + 1),
		"retention too short": redlock.WithFenceRetention(time.Hour), "retention with a fraction": redlock.WithFenceRetention(48*time.Hour + 1),
	}
	for name, option := range options {
		if _, err := redlock.New(good, option); !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("option %s: %v", name, err)
		}
	}
	l, err := redlock.New(good)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	long := strings.Repeat("x", redlock.MaximumResourceBytes+1)
	calls := map[string]func() error{
		"ttl zero":      func() error { _, err := l.TryLock(t.Context(), "r", 0); return err },
		"ttl negative":  func() error { _, err := l.TryLock(t.Context(), "r", -time.Second); return err },
		"ttl too short": func() error { _, err := l.TryLock(t.Context(), "r", 9*time.Millisecond); return err },
		"ttl fraction":  func() error { _, err := l.TryLock(t.Context(), "r", time.Second+time.Microsecond); return err },
		"ttl too long":  func() error { _, err := l.TryLock(t.Context(), "r", 2*redlock.MaximumTTL); return err },
		"empty name":    func() error { _, err := l.Lock(t.Context(), "", time.Second); return err },
		"long name":     func() error { _, err := l.TryLock(t.Context(), long, time.Second); return err },
		"no names":      func() error { _, err := l.LockAll(t.Context(), nil, time.Second); return err },
		"nil option":    func() error { _, err := l.TryLock(t.Context(), "r", time.Second, nil); return err },
		"bad option": func() error {
			_, err := l.TryLock(t.Context(), "r", time.Second, redlock.WithMaximumExtensions(-1))
			return err
		},
		"retention shorter than the lease": func() error {
			_, err := l.TryLock(t.Context(), "r", 72*time.Hour, redlock.WithFencing(),
				redlock.WithFenceRetention(48*time.Hour))
			return err
		},
		"no work": func() error { return l.Do(t.Context(), "r", time.Second, nil) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.TryLock(cancelled, "r", time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestNamesOfAnyBytes(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		for _, name := range []string{"\x00\r\n\xff", "ключ", "{tag}:x", strings.Repeat("k", redlock.MaximumResourceBytes)} {
			lease, err := l.TryLock(t.Context(), name, time.Minute, redlock.WithFencing())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := w.nodes[0].engine.Get(name); err != nil || got != lease.Token() {
				t.Fatalf("%q: %q, %v", name, got, err)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestBackoffStaysInItsWindow(t *testing.T) {
	b := redlock.RandomBackoff(10*time.Millisecond, 80*time.Millisecond)
	for retry, window := range map[int]time.Duration{1: 10, 2: 20, 3: 40, 4: 80, 5: 80, 1000: 80} {
		window *= time.Millisecond
		if low, high := b(retry, 0), b(retry, 0.999999); low != window/4 || high > window || high < window*99/100 {
			t.Errorf("retry %d: %v to %v of %v", retry, low, high, window)
		}
	}
	if d := redlock.RandomBackoff(0, 0)(1, 0.5); d < 0 || d > time.Nanosecond {
		t.Error(d)
	}
}

// The package imports only go-redis, golang.org/x/sys, the standard library and its own
// package round.
func TestImports(t *testing.T) {
	allowed := []string{"github.com/redis/go-redis/v9", "golang.org/x/sys/unix", "redlocklab/redlock/round"}
	for _, folder := range []string{".", "round"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), folder+"/"+entry.Name(), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imported := range file.Imports {
				path, _ := strconv.Unquote(imported.Path.Value)
				first, _, _ := strings.Cut(path, "/")
				if !slices.Contains(allowed, path) && strings.ContainsAny(first, ".") || path == "math/rand" || path == "math/rand/v2" ||
					(first == "redlocklab" && !slices.Contains(allowed, path)) {
					t.Errorf("%s/%s imports %s", folder, entry.Name(), path)
				}
			}
		}
	}
}
