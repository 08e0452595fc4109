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

// unit is one piece of a worker's work. It returns how long the part took that counts.
type unit func(worker int) (time.Duration, error)

// timed is a unit all of which counts.
func timed(f func(worker int) error) unit {
	return func(worker int) (time.Duration, error) {
		begin := time.Now()
		err := f(worker)
		return time.Since(begin), err
	}
}

// percentile is that of the times of single units of work.
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

// compareUnits prints the ratio of a percentile of two kinds of work, in
// interleaved pairs.
func compareUnits(b *testing.B, name string, percent, workers, count int, ours, theirs unit) {
	b.Helper()
	percentile(b, percent, workers, count, ours)
	percentile(b, percent, workers, count, theirs) // both are warm
	var ratios, first, second []float64
	for pair := range pairs {
		var a, z float64
		if pair%2 == 0 {
			a = percentile(b, percent, workers, count, ours)
			z = percentile(b, percent, workers, count, theirs)
		} else {
			z = percentile(b, percent, workers, count, theirs)
			a = percentile(b, percent, workers, count, ours)
		}
		ratios, first, second = append(ratios, a/z), append(first, a), append(second, z)
	}
	printRatio(b, name, "redlock", "the other", ratios, first, second)
}

func (c *comparison) unit(l *redlock.Locker, kind string) unit {
	return timed(func(worker int) error {
		lease, err := l.TryLock(context.Background(), fmt.Sprintf("%s-%d", kind, worker), compareTTL)
		if err != nil {
			return err
		}
		return lease.Release(context.Background())
	})
}

// median prints the ratio of the medians of single lock+release pairs of one
// locker to the floor's.
func (c *comparison) median(b *testing.B) {
	b.Helper()
	compareUnits(b, "median of single lock+release, lockers=1, against the floor", 50, 1, 1000, c.unit(c.ours, "p50"), timed(func(int) error {
		c.floor.lock("floor-p50", compareTTL)
		c.floor.unlock("floor-p50")
		return nil
	}))
}

// releases prints the ratio of the medians of single releases to redsync's.
func (c *comparison) releases(b *testing.B) {
	b.Helper()
	rs := c.redsync(roomy)
	compareUnits(b, "median of single releases, lockers=16, against redsync default", 50, 16, 100, func(worker int) (time.Duration, error) {
		// The release before is decided by a quorum: the others may still have the key.
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

// tail prints the ratio of the 99th percentiles of lock+release with one of five
// nodes black-holed and with all healthy, 16 lockers.
func (c *comparison) tail(b *testing.B, holed *redlock.Locker) {
	b.Helper()
	compareUnits(b, "99th percentile of lock+release, lockers=16, one of five black-holed, against healthy", 99, 16, 200,
		c.unit(holed, "tail"), c.unit(c.ours, "tail"))
}

// fairness prints Jain's index of the wins of 16 lockers on one hot resource: 1
// when all won equally often, 1/16 when one won always.
func (c *comparison) fairness(b *testing.B) {
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
		lease, err := c.ours.Lock(context.Background(), "fair", compareTTL, redlock.WithBackoff(redlock.RandomBackoff(hotDelay, hotDelay)))
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
	fmt.Printf("fairness of 16 lockers on one hot resource (Jain's index): redlock %.3f, redsync %.3f\n", ours, theirs)
}
