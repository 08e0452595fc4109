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

// tail prints the ratio of the 99th percentiles of lock+release with one of five
// nodes black-holed and with all healthy, 16 lockers, in interleaved pairs.
func (c *comparison) tail(b *testing.B, holed *redlock.Locker) {
	b.Helper()
	const workers, count = 16, 200
	percentile := func(l *redlock.Locker) float64 {
		var mu sync.Mutex
		var all []time.Duration
		var wait sync.WaitGroup
		for worker := range workers {
			wait.Go(func() {
				own := make([]time.Duration, 0, count)
				for range count {
					begin := time.Now()
					lease, err := l.TryLock(context.Background(), fmt.Sprintf("tail-%d", worker), compareTTL)
					if err == nil {
						err = lease.Release(context.Background())
					}
					if err != nil {
						b.Error(err)
						return
					}
					own = append(own, time.Since(begin))
				}
				mu.Lock()
				all = append(all, own...)
				mu.Unlock()
			})
		}
		wait.Wait()
		slices.Sort(all)
		return float64(all[len(all)*99/100])
	}
	percentile(c.ours)
	percentile(holed)
	var ratios []float64
	for range pairs {
		healthy := percentile(c.ours)
		ratios = append(ratios, percentile(holed)/healthy)
	}
	slices.Sort(ratios)
	fmt.Printf("ratio %.2f [%.2f, %.2f]  99th percentile of lock+release, lockers=16, one of five black-holed, against healthy\n",
		ratios[pairs/2], ratios[5], ratios[15])
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
