package redlock_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/redlock"
)

// emulate makes a node behave like a server of another version. Old ones refuse SET with NX
// and GET; new ones have DELEX and SET … IFEQ, emulated from their documentation.
func (n *fakeNode) emulate(version string) {
	inner := n.before
	recent := strings.HasPrefix(version, "8.4")
	n.engine.Server().SetPreHook(func(peer *server.Peer, command string, arguments ...string) bool {
		words := strings.ToUpper(strings.Join(arguments, " "))
		switch {
		case command == "INFO":
			n.set(func(n *fakeNode) { n.commands = append(n.commands, command) })
			peer.WriteBulk(fmt.Sprintf("redis_version:%s\r\nrun_id:%s\r\nuptime_in_seconds:99999\r\n", version, n.runID))
			return true
		case command == "SET" && !recent && strings.Contains(words, "NX GET"):
			peer.WriteError("ERR syntax error")
			return true
		case command == "SET" && recent && strings.Contains(words, "IFEQ"):
			n.set(func(n *fakeNode) { n.commands = append(n.commands, "SET IFEQ") })
			n.conditionalSet(peer, arguments)
			return true
		case command == "DELEX" && recent:
			n.set(func(n *fakeNode) { n.commands = append(n.commands, "DELEX") })
			if value, err := n.engine.Get(arguments[0]); err == nil && value == arguments[2] {
				n.engine.Del(arguments[0])
				peer.WriteInt(1)
			} else {
				peer.WriteInt(0)
			}
			return true
		}
		return inner(peer, command, arguments...)
	})
}

// conditionalSet executes SET key value IFEQ old GET PX ms.
func (n *fakeNode) conditionalSet(peer *server.Peer, arguments []string) {
	value, err := n.engine.Get(arguments[0])
	if err != nil {
		peer.WriteNull()
		return
	}
	if value == arguments[3] {
		milliseconds, _ := strconv.Atoi(arguments[6])
		_ = n.engine.Set(arguments[0], arguments[1])
		n.engine.SetTTL(arguments[0], time.Duration(milliseconds)*time.Millisecond)
	}
	peer.WriteBulk(value)
}

func TestServersOfEveryAge(t *testing.T) {
	for _, version := range []string{"6.2.0", "8.4.0"} {
		inBubble(t, 3, func(t *testing.T, w *world) {
			l := w.locker(1)
			defer w.close(l)
			for _, node := range w.nodes {
				node.emulate(version)
			}
			if err := l.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			lease, err := l.TryLock(t.Context(), "res", time.Minute)
			if err != nil {
				t.Fatalf("%s: %v", version, err)
			}
			time.Sleep(10 * time.Millisecond)
			if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrContended) {
				t.Fatalf("%s: %v", version, err)
			}
			w.nodes[0].engine.Del("res")
			if err := lease.Extend(t.Context(), time.Minute); err != nil {
				t.Fatalf("%s: extend: %v", version, err)
			}
			time.Sleep(10 * time.Millisecond)
			if got := w.holders("res", lease.Token()); got != 3 {
				t.Fatalf("%s: %d keys after the extension", version, got)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Fatalf("%s: release: %v", version, err)
			}
			time.Sleep(10 * time.Millisecond)
			if got := w.holders("res", lease.Token()); got != 0 {
				t.Fatalf("%s: %d keys after the release", version, got)
			}
			native := w.nodes[1].executed("DELEX") > 0
			if native != (version == "8.4.0") || w.nodes[1].executed("SET IFEQ") > 0 {
				t.Fatalf("%s: %v", version, w.nodes[1].commands)
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
				t.Fatalf("%s: extend a lost lease: %v", version, err)
			}
			if err := lost.Release(t.Context()); err == nil || w.holders("lost", "another") != 3 {
				t.Fatalf("%s: release of a lost lease: %v", version, err)
			}
		})
	}
}

// A delayed extension does not shorten what a later one extended, even on servers with a
// plain command for extensions (claim MX-1).
func TestDelayedExtensionDoesNotUndoALongerOne(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		holder, other := w.locker(1), w.locker(2)
		defer w.close(holder, other)
		for _, node := range w.nodes {
			node.emulate("8.4.0")
		}
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
		first, _, _ := strings.Cut(script.Source, "\n")
		if !strings.HasPrefix(first, "-- KEYS: ") || !strings.Contains(first, "ARGV[1]: ") || !strings.Contains(first, "Returns ") {
			t.Errorf("%s: %q", script.Name, first)
		}
		if len(script.SHA1) != 40 || names[script.Name] {
			t.Errorf("%s: digest %q or name twice", script.Name, script.SHA1)
		}
		names[script.Name] = true
	}
}
