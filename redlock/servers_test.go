package redlock_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/redlock"
)

// emulateOld makes a node behave like a server before Redis 7.0, which refuses SET with NX
// and GET.
func (n *fakeNode) emulateOld() {
	inner := n.before
	n.engine.Server().SetPreHook(func(peer *server.Peer, command string, arguments ...string) bool {
		words := strings.ToUpper(strings.Join(arguments, " "))
		switch {
		case command == "INFO":
			n.set(func(n *fakeNode) { n.commands = append(n.commands, command) })
			peer.WriteBulk(fmt.Sprintf("run_id:%s\r\nuptime_in_seconds:99999\r\n", n.runID))
			return true
		case command == "SET" && strings.Contains(words, "NX GET"):
			peer.WriteError("ERR syntax error")
			return true
		}
		return inner(peer, command, arguments...)
	})
}

func TestOldServers(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		for _, node := range w.nodes {
			node.emulateOld()
		}
		if err := l.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease, err := l.TryLock(t.Context(), "res", time.Minute)
		if err != nil {
			t.Fatalf("%v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrContended) {
			t.Fatalf("%v", err)
		}
		w.nodes[0].engine.Del("res")
		if err := lease.Extend(t.Context(), time.Minute); err != nil {
			t.Fatalf("extend: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 3 {
			t.Fatalf("%d keys after the extension", got)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatalf("release: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if got := w.holders("res", lease.Token()); got != 0 {
			t.Fatalf("%d keys after the release", got)
		}
		lost, err := l.TryLock(t.Context(), "lost", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		for _, node := range w.nodes {
			node.engine.FlushAll()
			_ = node.engine.Set("lost", "another")
		}
		if err := lost.Extend(t.Context(), time.Minute); !errors.Is(err, redlock.ErrNotHeld) {
			t.Fatalf("extend a lost lease: %v", err)
		}
		if err := lost.Release(t.Context()); err == nil || w.holders("lost", "another") != 3 {
			t.Fatalf("release of a lost lease: %v", err)
		}
	})
}

// A delayed extension does not shorten what a later one extended (claim MX-1).
func TestDelayedExtensionDoesNotUndoALongerOne(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		holder, other := w.locker(1), w.locker(2)
		defer w.close(holder, other)
		if err := holder.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease, err := holder.TryLock(t.Context(), "res", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		for _, node := range w.nodes[:2] {
			node.set(func(n *fakeNode) { n.latency = 400 * time.Millisecond })
		}
		if err := lease.Extend(t.Context(), time.Second); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatalf("delayed on two of three: %v", err)
		}
		time.Sleep(time.Millisecond) // its senders are overdue: others take over
		for _, node := range w.nodes[:2] {
			node.set(func(n *fakeNode) { n.latency = time.Millisecond })
		}
		if err := lease.Extend(t.Context(), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		w.advance(500 * time.Millisecond)
		w.advance(1500 * time.Millisecond)
		if _, err := other.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrContended) {
			t.Errorf("the first lease has %v left, and another asked: %v", lease.Remaining(), err)
		}
	})
}

func TestServerErrorsAreNoVotes(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		l := w.locker(1)
		defer w.close(l)
		for _, node := range w.nodes[:2] {
			if _, err := node.engine.Lpush("res", "not a lock"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := l.TryLock(t.Context(), "res", time.Minute)
		var report *redlock.RoundError
		if !errors.Is(err, redlock.ErrNoQuorum) || !errors.As(err, &report) {
			t.Fatal(err)
		}
		if report.Nodes[0].Outcome != redlock.OutcomeServer || !strings.Contains(report.Error(), "WRONGTYPE") {
			t.Fatalf("report %v", report)
		}
	})
}

func TestScriptsCarryTheirArgumentsOnLineOne(t *testing.T) {
	names := map[string]bool{}
	for _, script := range redlock.Scripts() {
		first, body, _ := strings.Cut(script.Source, "\n")
		arguments := "No ARGV. "
		if strings.Contains(body, "ARGV[") {
			arguments = "ARGV[1]: "
		}
		if !strings.HasPrefix(first, "-- KEYS: ") || !strings.Contains(first, arguments) || !strings.Contains(first, "Returns ") {
			t.Errorf("%s: %q", script.Name, first)
		}
		if len(script.SHA1) != 40 || names[script.Name] {
			t.Errorf("%s: digest %q or name twice", script.Name, script.SHA1)
		}
		names[script.Name] = true
	}
}
