package sim

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// log is a memory whose image is the number of writes that it has seen.
type log struct {
	file   *durableFile[int]
	writes int
}

func (l *log) write(at time.Duration) {
	l.file.change(at, l.memory)
	l.writes++
}

func (l *log) memory(time.Duration) int { return l.writes }

// TestWhatIsKept follows the writes, the syncs and the two ends by the clock. There is
// a write each 100 ms, from 0 s on.
func TestWhatIsKept(t *testing.T) {
	for _, test := range []struct {
		name              string
		takes, at         time.Duration
		killed, powerless int // how many writes are kept
	}{
		{"nothing is synced in the first second", 0, 950 * time.Millisecond, 10, 0},
		{"a sync takes no time", 0, 1050 * time.Millisecond, 11, 10},
		{"an hour's syncs", 0, time.Hour + 50*time.Millisecond, 36001, 36000},
		{"the sync of 1 s runs: its writes wait", 500 * time.Millisecond, 1450 * time.Millisecond, 10, 0},
		{"it has ended: they are written", 500 * time.Millisecond, 1550 * time.Millisecond, 16, 10},
		{"a sync of 1.5 s is followed by that of 3 s", 1500 * time.Millisecond, 2950 * time.Millisecond, 30, 10},
		{"which begins with all that was written", 1500 * time.Millisecond, 3050 * time.Millisecond, 30, 10},
		{"and ends", 1500 * time.Millisecond, 4550 * time.Millisecond, 46, 30},
		{"writes wait for at most two seconds", 9 * time.Second, 2950 * time.Millisecond, 10, 0},
		{"then they are written, and the next ones wait", 9 * time.Second, 3250 * time.Millisecond, 30, 0},
		{"again", 9 * time.Second, 5150 * time.Millisecond, 50, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			play := func(end func(*durableFile[int], time.Duration, func(time.Duration) int) int) int {
				l := &log{file: &durableFile[int]{every: time.Second, busy: true}}
				l.file.slow(0, test.takes, l.memory)
				for at := time.Duration(0); at < test.at; at += 100 * time.Millisecond {
					l.write(at)
				}
				return end(l.file, test.at, l.memory)
			}
			if got := play((*durableFile[int]).afterKill); got != test.killed {
				t.Errorf("the end of the process keeps %d writes, want %d", got, test.killed)
			}
			if got := play((*durableFile[int]).afterPowerLoss); got != test.powerless {
				t.Errorf("the loss of power keeps %d writes, want %d", got, test.powerless)
			}
		})
	}
}

// TestPromises draws writes and syncs: a kill keeps no less than a loss of power, which
// forgets nothing that is older than two syncs and a second; a kill forgets nothing that
// is older than two seconds, and nothing at all when syncs take no time.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		takes := time.Duration(rapid.Int64Range(0, int64(4*time.Second)).Draw(t, "a sync takes"))
		l := &log{file: &durableFile[int]{every: time.Second, busy: true}}
		l.file.slow(0, takes, l.memory)
		var at []time.Duration
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 60).Draw(t, "writes") {
			now += time.Duration(rapid.Int64Range(1, int64(time.Second)).Draw(t, fmt.Sprint("after ", i)))
			l.write(now)
			at = append(at, now)
		}
		now += time.Duration(rapid.Int64Range(1, int64(3*time.Second)).Draw(t, "end"))
		other := *l.file
		killed, powerless := l.file.afterKill(now, l.memory), other.afterPowerLoss(now, l.memory)
		if killed < powerless {
			t.Fatalf("killed keeps %d, powerless %d of %d", killed, powerless, len(at))
		}
		if takes == 0 && killed < len(at) {
			t.Fatalf("killed keeps %d of %d though no sync takes time", killed, len(at))
		}
		for i, written := range at {
			if age := now - written; i >= killed && age > holdBack {
				t.Fatalf("killed: write %d of %v before is gone", i+1, age)
			} else if i >= powerless && age > 2*takes+2*time.Second {
				t.Fatalf("powerless: write %d of %v before is gone", i+1, age)
			}
		}
	})
}
