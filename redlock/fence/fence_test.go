package fence_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"redlocklab/redlock/fence"
)

// TestLostUpdateIsRefused plays claim RS-3: 33 reads, 34 reads, 33 writes.
func TestLostUpdateIsRefused(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer func() { _ = client.Close() }()
	ctx := t.Context()
	if err := fence.Set(ctx, client, "stock", 32, "10"); err != nil {
		t.Fatal(err)
	}
	for _, token := range []uint64{33, 34} {
		if value, found, err := fence.Get(ctx, client, "stock", token); err != nil || !found || value != "10" {
			t.Fatal(value, found, err)
		}
	}
	if err := fence.Set(ctx, client, "stock", 33, "9"); !errors.Is(err, fence.ErrStale) {
		t.Fatalf("the stale write: %v", err)
	}
	if _, _, err := fence.Get(ctx, client, "stock", 33); !errors.Is(err, fence.ErrStale) {
		t.Fatalf("the stale read: %v", err)
	}
	if err := fence.Set(ctx, client, "stock", 34, "9"); err != nil {
		t.Fatal(err)
	}
	if value, err := server.Get("stock"); err != nil || value != "9" {
		t.Fatal(value, err)
	}
	if _, found, err := fence.Get(ctx, client, "none", 1); found || err != nil {
		t.Fatal("a missing key", found, err)
	}
	for _, err := range []error{
		fence.Set(ctx, client, "stock", 0, "x"),
		func() error { _, _, err := fence.Get(ctx, client, "stock", 0); return err }(),
	} {
		if !errors.Is(err, fence.ErrInvalidToken) {
			t.Errorf("token 0: %v", err)
		}
	}
	server.Close()
	if err := fence.Set(ctx, client, "stock", 35, "x"); err == nil || errors.Is(err, fence.ErrStale) {
		t.Errorf("a dead server: %v", err)
	}
}

// TestTableAdmitsExactlyTheRisingTokens compares Table with the list of all earlier tokens.
func TestTableAdmitsExactlyTheRisingTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table fence.Table
		var seen []uint64
		for _, token := range rapid.SliceOf(rapid.Uint64Range(0, 9)).Draw(t, "tokens") {
			admissible := token > 0
			for _, earlier := range seen {
				admissible = admissible && token >= earlier
			}
			ran := false
			err := table.Access("r", token, func() error { ran = true; return nil })
			if ran != admissible || (err == nil) != admissible {
				t.Fatalf("%d after %v: ran %v, %v", token, seen, ran, err)
			}
			if admissible {
				seen = append(seen, token)
				if table.Mark("r") != token {
					t.Fatalf("mark %d after %d", table.Mark("r"), token)
				}
			}
		}
	})
}

func TestMarkKeySharesTheHashSlot(t *testing.T) {
	for key, want := range map[string]string{
		"plain": "{plain}:mark", "user:{42}:x": "user:{42}:x:mark", "odd{}": "{odd{}}:mark", "open{": "{open{}:mark",
	} {
		if got := fence.MarkKey(key); got != want {
			t.Errorf("MarkKey(%q) = %q, want %q", key, got, want)
		}
	}
	if !strings.HasPrefix(fence.AdmitLua, "-- KEYS[1]") {
		t.Error("the arguments are not on line 1")
	}
}
