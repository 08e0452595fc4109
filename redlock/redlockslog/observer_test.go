package redlockslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
	"redlocklab/redlock/redlockslog"
)

func TestLogsRoundsWithoutTokens(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer func() { _ = client.Close() }()
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	locker, err := redlock.New([]redlock.Node{{Name: "n1", Client: client}},
		redlock.WithObserver(redlockslog.New(logger)))
	if err != nil {
		t.Fatal(err)
	}
	lease, err := locker.TryLock(t.Context(), "res", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locker.TryLock(t.Context(), "res", time.Minute); err == nil {
		t.Fatal("held twice")
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := locker.Close(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, lease.Token()) {
		t.Fatal("the token is in the log")
	}
	var operations []string
	for line := range strings.Lines(text) {
		var entry struct {
			Operation, Level string
			Waited, Held     *time.Duration
			Nodes            map[string]string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		switch {
		case entry.Waited != nil:
			operations = append(operations, "waited "+entry.Level)
		case entry.Held != nil:
			operations = append(operations, "held "+entry.Level)
		default:
			operations = append(operations, entry.Operation+" "+entry.Nodes["n1"]+" "+entry.Level)
		}
	}
	want := "acquire granted DEBUG, waited DEBUG, acquire held by other DEBUG, waited DEBUG, held DEBUG, release granted DEBUG"
	if got := strings.Join(operations, ", "); got != want {
		t.Fatalf("got %s\nwant %s", got, want)
	}
}

func TestLevels(t *testing.T) {
	tests := []struct {
		event redlock.Event
		level string
	}{
		{redlock.Event{Kind: redlock.EventQuarantine, Node: "n1", Validity: time.Second}, "WARN"},
		{redlock.Event{Kind: redlock.EventLeaseEnded, Err: redlock.ErrLapsed}, "WARN"},
		{redlock.Event{Kind: redlock.EventLeaseEnded, Err: redlock.ErrReleased}, ""},
		{redlock.Event{Kind: redlock.EventAcquired, Err: redlock.ErrNoQuorum}, "WARN"},
		{redlock.Event{Kind: redlock.EventRound, Err: redlock.ErrNoQuorum}, "WARN"},
		{redlock.Event{Kind: redlock.EventRound}, ""},
	}
	for _, test := range tests {
		var out bytes.Buffer
		redlockslog.New(slog.New(slog.NewTextHandler(&out, nil))).Observe(context.Background(), test.event)
		if test.level == "" {
			if out.Len() > 0 {
				t.Errorf("%v was logged above debug", test.event.Kind)
			}
			continue
		}
		if !strings.Contains(out.String(), "level="+test.level+" ") {
			t.Errorf("%v: %s", test.event.Kind, out.String())
		}
	}
	redlockslog.New(nil).Observe(context.Background(), redlock.Event{Kind: redlock.EventRound})
}
