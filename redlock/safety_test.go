package redlock_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"redlocklab/redlock"
)

// belief is an interval of true time in which a client may act as the holder.
type belief struct {
	from, until time.Duration
	who         int
}

// ledger records beliefs.
type ledger struct {
	mu      sync.Mutex
	beliefs []belief
}

func (l *ledger) add(b belief) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.until > b.from {
		l.beliefs = append(l.beliefs, b)
	}
}

// overlap returns two beliefs that overlap, if there are any.
func (l *ledger) overlap() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortFunc(l.beliefs, func(a, b belief) int { return int(a.from - b.from) })
	latest := belief{until: -1}
	for _, b := range l.beliefs {
		if b.from < latest.until {
			return fmt.Sprintf("%+v overlaps %+v", latest, b), true
		}
		if b.until > latest.until {
			latest = b
		}
	}
	return "", false
}

// followTime makes keys expire in virtual time.
func (w *world) followTime() {
	for _, node := range w.nodes {
		node.engine.SetTime(time.Now())
		node.engine.ClockTTL(true)
		node.set(func(n *fakeNode) { n.follows = true })
	}
}

// contend locks, works, extends and releases at random until stop.
func contend(w *world, l *redlock.Locker, who int, random *rand.Rand, stop time.Duration, record *ledger) {
	chance := func(upTo time.Duration) time.Duration { return time.Duration(random.Int64N(int64(upTo))) }
	for w.clock.Now() < stop {
		lease, err := l.TryLock(context.Background(), "res", 300*time.Millisecond)
		from := w.clock.Now()
		if err != nil {
			time.Sleep(chance(40 * time.Millisecond))
			continue
		}
		until := lease.Until()
		for range random.IntN(3) {
			time.Sleep(chance(200 * time.Millisecond))
			if lease.Extend(context.Background(), 300*time.Millisecond) == nil {
				until = lease.Until()
			}
		}
		if random.IntN(4) > 0 {
			time.Sleep(chance(150 * time.Millisecond))
			record.add(belief{from, min(until, w.clock.Now()), who})
			_ = lease.Release(context.Background())
		} else {
			record.add(belief{from, until, who}) // never released
			time.Sleep(chance(150 * time.Millisecond))
		}
	}
}

// disturb sets random faults, on any number of nodes, until stop.
func disturb(w *world, random *rand.Rand, restarts bool, stop time.Duration) {
	for w.clock.Now() < stop {
		time.Sleep(time.Duration(random.Int64N(int64(60 * time.Millisecond))))
		node := w.nodes[random.IntN(len(w.nodes))]
		switch random.IntN(9) {
		case 0:
			node.set(func(n *fakeNode) { n.latency = time.Duration(random.Int64N(int64(80 * time.Millisecond))) })
		case 1:
			node.set(func(n *fakeNode) { n.muteReplies = 1 + random.IntN(2) })
		case 2:
			node.set(func(n *fakeNode) { n.cutReplies = 1 })
		case 3:
			node.set(func(n *fakeNode) { n.swallow = true })
		case 4:
			node.set(func(n *fakeNode) { n.refuse = true })
			node.cut()
		case 5:
			if restarts {
				node.restart()
			}
		default: // heals the node
			node.set(func(n *fakeNode) {
				n.latency, n.swallow, n.refuse = time.Duration(1+random.IntN(5_000_000)), false, false
			})
		}
	}
}

// runContention runs three contenders under random faults drawn from a seed.
func runContention(
	t *testing.T, seed uint64, restarts bool, options ...redlock.Option,
) (acquired int, overlap string, violated bool) {
	inBubble(t, 5, func(t *testing.T, w *world) {
		w.followTime()
		record := &ledger{}
		const stop = 10 * time.Second
		var lockers []*redlock.Locker
		var working sync.WaitGroup
		for who := range 3 {
			l := w.locker(seed*10+uint64(who), options...)
			lockers = append(lockers, l)
			random := rand.New(rand.NewPCG(seed, uint64(who)))
			working.Go(func() { contend(w, l, who, random, stop, record) })
		}
		working.Go(func() { disturb(w, rand.New(rand.NewPCG(seed, 99)), restarts, stop) })
		working.Wait()
		w.close(lockers...)
		overlap, violated = record.overlap()
		acquired = len(record.beliefs)
	})
	return acquired, overlap, violated
}

// TestMutualExclusionUnderRandomFaults checks claim MX-1: latencies, lost requests and
// replies, resets, partitions and slow nodes at random, and never two holders. Restarts that
// forget votes break it (BA-2), which shows that the test can see a violation. With the
// restart guard it holds again (RP-4).
func TestMutualExclusionUnderRandomFaults(t *testing.T) {
	runs := 4
	if testing.Short() {
		runs = 1
	}
	guard := redlock.WithRestartGuard(300 * time.Millisecond)
	for _, test := range []struct {
		name     string
		restarts bool
		options  []redlock.Option
		violated bool
	}{
		{name: "assumptions kept"},
		{name: "fenced", options: []redlock.Option{redlock.WithFencing()}},
		{name: "restarts", restarts: true, violated: true},
		{name: "restarts, guarded", restarts: true, options: []redlock.Option{guard}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			total, violations := 0, 0
			// Not every restart causes a violation: repeat until one does.
			enough := func(done int) bool {
				if test.violated {
					return violations > 0 || done == 60
				}
				return done == runs
			}
			done := 0
			for ; !enough(done); done++ {
				acquired, overlap, violated := runContention(t, uint64(done)+1, test.restarts, test.options...)
				total += acquired
				if violated {
					violations++
					if !test.violated {
						t.Errorf("seed %d: %s", done+1, overlap)
					}
				}
			}
			if total < 2*done {
				t.Errorf("only %d acquisitions in %d runs", total, done)
			}
			if test.violated && violations == 0 {
				t.Errorf("no violation in %d runs with %d acquisitions: the test sees nothing", done, total)
			}
			t.Logf("%d acquisitions in %d runs, %d with a violation", total, done, violations)
		})
	}
}
