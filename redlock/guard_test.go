package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"redlocklab/redlock"
)

// A holds nodes 1, 2 and 3; 3 forgets; B asks 3, 4 and 5. Without the guard B acquires too
// (claim BA-2), with it B does not (claim RP-4).
func TestGuardKeepsForgottenVotesFromCounting(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		inBubble(t, 5, func(t *testing.T, w *world) {
			var options []redlock.Option
			if guarded {
				options = append(options, redlock.WithRestartGuard(10*time.Second))
			}
			a, b := w.locker(1, options...), w.locker(2, options...)
			defer w.close(a, b)
			// Both have reached all nodes.
			for _, l := range []*redlock.Locker{a, b} {
				if err := l.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for _, node := range w.nodes[3:] {
				node.set(func(n *fakeNode) { n.refuse = true })
				node.cut()
			}
			if _, err := a.TryLock(t.Context(), "res", 10*time.Second); err != nil {
				t.Fatal(err)
			}
			w.nodes[2].restart()
			for _, node := range w.nodes[3:] {
				node.set(func(n *fakeNode) { n.refuse = false })
			}
			for _, node := range w.nodes[:2] {
				node.set(func(n *fakeNode) { n.refuse = true })
				node.cut()
			}
			_, err := b.TryLock(t.Context(), "res", 10*time.Second)
			if !guarded {
				if err != nil {
					t.Fatalf("without the guard the forgotten vote counts: %v", err)
				}
				return
			}
			var report *redlock.RoundError
			if !errors.As(err, &report) || report.Nodes[2].Outcome != redlock.OutcomeGuarded {
				t.Fatalf("with the guard node 3 must not count: %v", err)
			}
			// The quarantine ends on the client's own clock.
			w.advance(10*time.Second + a.Allowance(10*time.Second))
			if _, err := b.TryLock(t.Context(), "res", 10*time.Second); err != nil {
				t.Fatalf("after the quarantine: %v", err)
			}
		})
	}
}

func TestGuardReadsTheAgeAtFirstContact(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(5*time.Second))
		defer w.close(l)
		w.nodes[0].set(func(n *fakeNode) { n.started = time.Now() })
		if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrNoQuorum) {
			t.Fatalf("a young node counted: %v", err)
		}
		time.Sleep(7 * time.Second)
		if _, err := l.TryLock(t.Context(), "res", time.Second); err != nil {
			t.Fatal(err)
		}
	})
}

// A promotion counts as a restart, also of the same process, and for a Locker that meets the
// server only then. A replica does not vote. Only the replication id tells.
func TestGuardCountsAPromotionAsARestart(t *testing.T) {
	const guard = 5 * time.Second
	for name, change := range map[string]func(n *fakeNode){
		"promoted again": func(n *fakeNode) { n.era++ },
		"a replica":      func(n *fakeNode) { n.replica = true },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 1, func(t *testing.T, w *world) {
				known := w.locker(1, redlock.WithRestartGuard(guard))
				late := w.locker(2, redlock.WithRestartGuard(guard))
				defer w.close(known, late)
				attempt := func(l *redlock.Locker) redlock.NodeOutcome {
					lease, err := l.TryLock(t.Context(), "res", time.Second)
					var report *redlock.RoundError
					if errors.As(err, &report) {
						return report.Nodes[0].Outcome
					}
					if err != nil {
						t.Fatal(err)
					}
					_ = lease.Release(t.Context())
					return redlock.OutcomeGranted
				}
				if got := attempt(known); got != redlock.OutcomeGranted {
					t.Fatalf("before: %v", got)
				}
				// The connection is still in use: INFO server is not asked again.
				w.nodes[0].set(change)
				for _, l := range []*redlock.Locker{known, late} {
					if got := attempt(l); got != redlock.OutcomeGuarded {
						t.Errorf("at once: %v", got)
					}
				}
				w.nodes[0].set(func(n *fakeNode) { n.replica = false })
				w.advance(guard + known.Allowance(guard) - 500*time.Millisecond)
				if got := attempt(known); name == "promoted again" && got != redlock.OutcomeGuarded {
					t.Errorf("at the end of the quarantine: %v", got)
				}
				w.advance(time.Second)
				for _, l := range []*redlock.Locker{known, late} {
					if got := attempt(l); got != redlock.OutcomeGranted {
						t.Errorf("after the quarantine: %v", got)
					}
				}
			})
		})
	}
}

// A server that is promoted after the vote, but before the answer to INFO, does not vote:
// INFO replication comes last.
func TestGuardAsksAfterTheVotes(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(time.Minute))
		defer w.close(l)
		for range 3 {
			if lease, err := l.TryLock(t.Context(), "res", time.Second); err != nil || lease.Release(t.Context()) != nil {
				t.Fatal(err)
			}
		}
		w.nodes[0].set(func(n *fakeNode) {
			for i, command := range n.commands {
				if command == "SET" && (i+1 == len(n.commands) || n.commands[i+1] != "INFO replication") {
					t.Errorf("no INFO after a vote: %v", n.commands)
				}
			}
		})
	})
}

// The guard asks for the run id once for each connection that a sender takes from the pool. A
// busy sender keeps its connection. It asks for the replication id once per batch.
func TestGuardAsksABusyNodeSeldom(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(time.Minute))
		defer w.close(l)
		var workers sync.WaitGroup
		for i := range 10 {
			workers.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Microsecond)
				for range 40 {
					lease, err := l.TryLock(t.Context(), fmt.Sprint("res", i), time.Second)
					if err != nil {
						t.Error(err)
						return
					}
					if err := lease.Release(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		if asked := w.nodes[0].executed("INFO server"); asked == 0 || asked > 10 {
			t.Fatalf("INFO server %d times with %d commands", asked, len(w.nodes[0].commands))
		}
		if asked, votes := w.nodes[0].executed("INFO replication"), w.nodes[0].executed("SET"); asked == 0 || asked >= votes {
			t.Fatalf("INFO replication %d times with %d votes", asked, votes)
		}
	})
}

func TestGuardRefusesServersThatDoNotTell(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithRestartGuard(time.Minute))
		defer w.close(l)
		w.nodes[0].set(func(n *fakeNode) { n.runID = "" })
		_, err := l.TryLock(t.Context(), "res", time.Second)
		var report *redlock.RoundError
		if !errors.As(err, &report) || report.Nodes[0].Outcome != redlock.OutcomeGuarded {
			t.Fatalf("want guarded, got %v", err)
		}
		if _, err := l.TryLock(t.Context(), "res", 2*time.Minute); !errors.Is(err, redlock.ErrInvalidArgument) {
			t.Fatalf("a time to live beyond the guard's: %v", err)
		}
	})
}

func TestTwoNodesThatAreOneServerAreRefused(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		w.nodes[2].set(func(n *fakeNode) { n.runID = w.nodes[1].runID })
		_, err := redlock.Open(t.Context(), w.list, redlock.WithClock(w.clock))
		if !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("at start: %v", err)
		}
		l := w.locker(1)
		defer w.close(l)
		if _, err := l.TryLock(t.Context(), "res", time.Second); err != nil && !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("first contact: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if _, err := l.TryLock(t.Context(), "res", time.Second); !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("after the first contact: %v", err)
		}
	})
}

// Check returns the context's error even if another node fails by itself.
func TestCheckTellsThatTheContextEnded(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, w *world) {
		l := w.locker(1, redlock.WithNodeTimeout(2*time.Second))
		defer w.close(l)
		w.nodes[0].set(func(n *fakeNode) { n.swallow = true })
		w.nodes[1].set(func(n *fakeNode) { n.refuse = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Check(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want the context's error, got %v", err)
		}
	})
}

// One server never votes twice, even in the first round of a Locker that was not opened
// with a check. n2 and n3 are one server, and answer before n1.
func TestOneServerNeverVotesTwice(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		w.nodes[2].set(func(n *fakeNode) { n.runID = w.nodes[1].runID })
		w.nodes[0].set(func(n *fakeNode) { n.latency = 30 * time.Millisecond })
		l := w.locker(1)
		defer w.close(l)
		if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrSameServer) {
			t.Fatalf("first contact: %v", err)
		}
	})
}

// A server that answers INFO with an error at first, and grants, does not vote until it has told
// which server it is. So it never votes as two nodes. One that refuses INFO for good does vote:
// without the permission servers cannot be told apart.
func TestAnOpenIdentityDoesNotVote(t *testing.T) {
	for text, outcome := range map[string]redlock.NodeOutcome{
		"BUSY Redis is busy running a script.":          redlock.OutcomeGuarded,
		"LOADING Redis is loading the dataset":          redlock.OutcomeGuarded,
		"ERR max number of clients reached":             redlock.OutcomeGuarded,
		"NOPERM this user has no permissions to run it": redlock.OutcomeGranted,
		"ERR section (server) is not supported":         redlock.OutcomeGranted,
		"section (server) is not supported":             redlock.OutcomeGranted,
	} {
		inBubble(t, 3, func(t *testing.T, w *world) {
			for _, node := range w.nodes {
				node.set(func(n *fakeNode) { n.infoError, n.runID = text, w.nodes[0].runID })
			}
			l := w.locker(1)
			defer w.close(l)
			lease, err := l.TryLock(t.Context(), "res", time.Minute)
			var report *redlock.RoundError
			switch {
			case outcome == redlock.OutcomeGranted:
				if err != nil || lease.Release(t.Context()) != nil {
					t.Errorf("%s: %v", text, err)
				}
				return
			case !errors.As(err, &report) || report.Nodes[0].Outcome != outcome:
				t.Errorf("%s: %v", text, err)
			}
			time.Sleep(100 * time.Millisecond)
			for _, node := range w.nodes {
				if node.engine.Exists("res") {
					t.Errorf("%s: %s keeps the key", text, node.name)
				}
				node.set(func(n *fakeNode) { n.infoError = "" })
			}
			if _, err := l.TryLock(t.Context(), "res", time.Minute); !errors.Is(err, redlock.ErrSameServer) {
				t.Errorf("%s: once it tells: %v", text, err)
			}
		})
	}
}

func TestOpenToleratesNodesThatAreDown(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, w *world) {
		w.nodes[2].set(func(n *fakeNode) { n.refuse = true })
		l, err := redlock.Open(t.Context(), w.list, redlock.WithClock(w.clock))
		if err != nil {
			t.Fatal(err)
		}
		defer w.close(l)
		var report *redlock.RoundError
		if err := l.Check(t.Context()); !errors.Is(err, redlock.ErrNoQuorum) || !errors.As(err, &report) ||
			len(report.Nodes) != 3 {
			t.Fatalf("check with a node down: %v", err)
		}
	})
}
