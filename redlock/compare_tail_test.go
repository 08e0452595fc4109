package redlock_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"

	"redlocklab/redlock"
)

// unit is one piece of a worker's work. It returns how long its measured part took.
type unit func(worker int) (time.Duration, error)

// timed returns a unit that is measured as a whole.
func timed(f func(worker int) error) unit {
	return func(worker int) (time.Duration, error) {
		begin := time.Now()
		err := f(worker)
		return time.Since(begin), err
	}
}

// percentile returns a percentile of the times of single units of work, in nanoseconds.
func percentile(b *testing.B, percent, workers, count int, work unit) float64 {
	b.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			own := make([]time.Duration, 0, count)
			for range count {
				took, err := work(worker)
				if err != nil {
					b.Error(err)
					return
				}
				own = append(own, took)
			}
			mu.Lock()
			all = append(all, own...)
			mu.Unlock()
		})
	}
	wait.Wait()
	if b.Failed() {
		b.FailNow()
	}
	slices.Sort(all)
	return float64(all[len(all)*percent/100])
}

func (c *comparison) unit(l *redlock.Locker, kind string) unit {
	return timed(func(worker int) error {
		// A quorum decided the last release: the other nodes may still have the key.
		lease, err := l.Lock(context.Background(), fmt.Sprintf("%s-%d", kind, worker), compareTTL,
			redlock.WithBackoff(redlock.RandomBackoff(hotDelay, hotDelay)))
		if err != nil {
			return err
		}
		return lease.Release(context.Background())
	})
}

// units compares a percentile of the times of single units of work. Each worker does count
// units.
func (c *comparison) units(b *testing.B, r row, percent, count int, ours, theirs unit) {
	b.Helper()
	measure := func(work unit) func() float64 {
		return func() float64 { return percentile(b, percent, r.lockers, count, work) }
	}
	c.compare(b, r, measure(ours), measure(theirs))
}

// median compares the medians of single lock+release pairs of one locker with
// the floor's.
func (c *comparison) median(b *testing.B) {
	b.Helper()
	c.units(b, row{lockAndRelease + ", median of single ones", 1, theFloor}, 50, 1000, c.unit(c.ours, "p50"), timed(func(int) error {
		c.floor.lock("floor-p50", compareTTL)
		c.floor.unlock("floor-p50")
		return nil
	}))
}

// releases compares the medians of single releases with redsync's.
func (c *comparison) releases(b *testing.B) {
	b.Helper()
	rs := c.redsync(roomy)
	c.units(b, row{"release, median of single ones", 16, "redsync"}, 50, 100, func(worker int) (time.Duration, error) {
		// A quorum decided the last release: the other nodes may still have the key.
		lease, err := c.ours.Lock(context.Background(), fmt.Sprintf("release-%d", worker), compareTTL)
		if err != nil {
			return 0, err
		}
		begin := time.Now()
		err = lease.Release(context.Background())
		return time.Since(begin), err
	}, func(worker int) (time.Duration, error) {
		mutex := rs.NewMutex(fmt.Sprintf("rs-release-%d", worker), redsync.WithExpiry(compareTTL))
		if err := mutex.Lock(); err != nil {
			return 0, err
		}
		begin := time.Now()
		_, err := mutex.Unlock()
		return time.Since(begin), err
	})
}

// tail compares the 99th percentile of lock+release with one of five nodes black-holed to
// the one with all nodes healthy.
func (c *comparison) tail(b *testing.B, holed *redlock.Locker) {
	b.Helper()
	c.units(b, row{lockAndRelease + ", 99th percentile, one of five nodes black-holed", 16, "itself, all nodes healthy"}, 99, 200,
		c.unit(holed, "holed-tail"), c.unit(c.ours, "tail"))
}

// fairness returns a sentence with Jain's index of the wins of 16 lockers on one hot
// resource. The index is 1 if all win equally often and 1/16 if one always wins.
func (c *comparison) fairness(b *testing.B) string {
	b.Helper()
	const workers, lasting = 16, 2 * time.Second
	index := func(win func() error) float64 {
		var wait sync.WaitGroup
		wins := make([]float64, workers)
		end := time.Now().Add(lasting)
		for worker := range workers {
			wait.Go(func() {
				for time.Now().Before(end) {
					if err := win(); err != nil {
						b.Error(err)
						return
					}
					wins[worker]++
				}
			})
		}
		wait.Wait()
		var sum, squares float64
		for _, n := range wins {
			sum += n
			squares += n * n
		}
		return sum * sum / (workers * squares)
	}
	ours := index(func() error {
		lease, err := c.ours.Lock(context.Background(), "fair", compareTTL,
			redlock.WithBackoff(redlock.RandomBackoff(hotDelay, hotDelay)))
		if err != nil {
			return err
		}
		return lease.Release(context.Background())
	})
	rs := c.redsync(roomy)
	theirs := index(func() error {
		mutex := rs.NewMutex("rs-fair", redsync.WithExpiry(compareTTL), redsync.WithTries(1_000_000),
			redsync.WithRetryDelay(hotDelay*5/8)) // the mean of the other's random delay
		if err := mutex.Lock(); err != nil {
			return err
		}
		_, err := mutex.Unlock()
		return err
	})
	return fmt.Sprintf("Fairness of 16 lockers on one hot resource (Jain's index, 1 is best): %.3f, redsync's %.3f.", ours, theirs)
}
