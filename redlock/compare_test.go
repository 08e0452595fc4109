package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	pools "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

const (
	pairs      = 21 // interleaved pairs per line
	compareTTL = 30 * time.Second
)

// side is one of two things that are compared: a job for one worker on one
// resource, which counts what it achieved.
type side struct {
	name string
	job  func(worker int) (done int)
}

// BenchmarkCompare measures the package beside others on five real servers of
// its own. Both sides of a line take turns, pairs times; a line prints the median
// ratio of their times with a 95 % confidence interval (order statistics).
//
//	go test ./redlock/... -bench Compare -run xxx
func BenchmarkCompare(b *testing.B) {
	addresses := realServers(b, 5)
	c := &comparison{addresses: addresses, floor: newFloor(b, addresses), b: b}
	c.ours = c.locker(redlock.New(realNodes(b, addresses, nil)))
	for _, workers := range []int{1, 64} {
		per := 1600 / workers
		c.line(b, fmt.Sprintf("lock+release, lockers=%d, against the floor", workers), workers, c.cycle(per, "f"), c.floorCycle(per))
		c.line(b, fmt.Sprintf("lock+release, lockers=%d, against redsync default", workers), workers, c.cycle(per, "r"), c.redsyncCycle(per, false))
		c.line(b, fmt.Sprintf("lock+release, lockers=%d, against redsync fail-fast", workers), workers, c.cycle(per, "s"), c.redsyncCycle(per, true))
		c.line(b, fmt.Sprintf("lock+release, lockers=%d, against redislock on one node", workers), workers, c.cycle(per, "o"), c.redislockCycle(per))
	}
	c.median(b)
	c.line(b, "extend, lockers=16, against redsync default", 16, c.extend(100), c.redsyncExtend(100))
	c.releases(b)
	c.line(b, "winners on one hot resource, lockers=16, against redsync", 16, c.hot(10), c.redsyncHot(10))
	holed := c.blackHoled()
	c.line(b, "lock+release, lockers=16, one of five black-holed, against healthy", 16, c.cycleOf(holed, 100, "b"), c.cycle(100, "h"))
	c.tail(b, holed)
	c.fairness(b)
	for range b.N { // the lines above are the measurement; b.N has no part in it
	}
}

type comparison struct {
	b         *testing.B
	addresses []string
	floor     *floor
	ours      *redlock.Locker
}

func (c *comparison) locker(l *redlock.Locker, err error) *redlock.Locker {
	if err != nil {
		c.b.Fatal(err)
	}
	c.b.Cleanup(func() { _ = l.Close() })
	return l
}

// line prints one comparison: how long one unit takes on either side.
func (c *comparison) line(b *testing.B, name string, workers int, ours, theirs side) {
	b.Helper()
	measure := func(s side) float64 {
		var wait sync.WaitGroup
		var done atomic.Int64
		begin := time.Now()
		for worker := range workers {
			wait.Go(func() { done.Add(int64(s.job(worker))) })
		}
		wait.Wait()
		return float64(time.Since(begin)) / float64(max(done.Load(), 1))
	}
	measure(ours)
	measure(theirs) // both are warm
	var ratios, first, second []float64
	for pair := range pairs {
		var a, z float64
		if pair%2 == 0 {
			a, z = measure(ours), measure(theirs)
		} else {
			z, a = measure(theirs), measure(ours)
		}
		ratios, first, second = append(ratios, a/z), append(first, a), append(second, z)
	}
	printRatio(b, name, ours.name, theirs.name, ratios, first, second)
}

// printRatio prints one line: the median of the ratios with its confidence
// interval, and the medians of both sides.
func printRatio(b *testing.B, name, ours, theirs string, ratios, first, second []float64) {
	b.Helper()
	slices.Sort(ratios)
	slices.Sort(first)
	slices.Sort(second)
	// For 21 pairs the 6th and the 16th smallest bound the median with 97 %.
	fmt.Printf("ratio %.2f [%.2f, %.2f]  %s: %s %.1f µs, %s %.1f µs\n", ratios[pairs/2], ratios[5], ratios[15],
		name, ours, first[pairs/2]/1000, theirs, second[pairs/2]/1000)
	b.ReportMetric(ratios[pairs/2], strings.NewReplacer(" ", "_", ",", "").Replace(name)+"_ratio")
}

func (c *comparison) cycle(count int, kind string) side { return c.cycleOf(c.ours, count, kind) }

func (c *comparison) cycleOf(l *redlock.Locker, count int, kind string) side {
	return side{"redlock", func(worker int) int {
		resource := fmt.Sprintf("%s-%d", kind, worker)
		for range count {
			lease, err := l.TryLock(context.Background(), resource, compareTTL)
			if err == nil {
				err = lease.Release(context.Background())
			}
			if err != nil {
				c.b.Error(err)
				return 0
			}
		}
		return count
	}}
}

func (c *comparison) floorCycle(count int) side {
	return side{"floor", func(worker int) int {
		resource := fmt.Sprintf("floor-%d", worker)
		for range count {
			c.floor.lock(resource, compareTTL)
			c.floor.unlock(resource)
		}
		return count
	}}
}

func (c *comparison) redsync(adjust func(*redis.Options)) *redsync.Redsync {
	var list []pools.Pool
	for _, node := range realNodes(c.b, c.addresses, adjust) {
		list = append(list, goredis.NewPool(node.Client))
	}
	return redsync.New(list...)
}

func roomy(o *redis.Options) { o.PoolSize = 128 }

func (c *comparison) redsyncCycle(count int, failFast bool) side {
	rs := c.redsync(roomy)
	return side{"redsync", func(worker int) int {
		mutex := rs.NewMutex(fmt.Sprintf("rs-%v-%d", failFast, worker), redsync.WithExpiry(compareTTL),
			redsync.WithTries(3), redsync.WithFailFast(failFast))
		for range count {
			err := mutex.Lock()
			if err == nil {
				_, err = mutex.Unlock()
			}
			if err != nil && !failFast {
				c.b.Error(err)
				return 0
			}
		}
		return count
	}}
}

func (c *comparison) redislockCycle(count int) side {
	client := redislock.New(realNodes(c.b, c.addresses[:1], roomy)[0].Client)
	return side{"redislock", func(worker int) int {
		ctx := context.Background()
		for range count {
			lock, err := client.Obtain(ctx, fmt.Sprintf("rl-%d", worker), compareTTL, nil)
			if err == nil {
				err = lock.Release(ctx)
			}
			if err != nil {
				c.b.Error(err)
				return 0
			}
		}
		return count
	}}
}

func (c *comparison) extend(count int) side {
	return side{"redlock", func(worker int) int {
		ctx := context.Background()
		lease, err := c.ours.Lock(ctx, fmt.Sprintf("x-%d", worker), compareTTL)
		for range count {
			if err == nil {
				err = lease.Extend(ctx, compareTTL)
			}
		}
		if err == nil {
			err = lease.Release(ctx)
		}
		if err != nil {
			c.b.Error(err)
		}
		return count
	}}
}

func (c *comparison) redsyncExtend(count int) side {
	rs := c.redsync(roomy)
	return side{"redsync", func(worker int) int {
		mutex := rs.NewMutex(fmt.Sprintf("rsx-%d", worker), redsync.WithExpiry(compareTTL))
		err := mutex.Lock()
		for range count {
			if err == nil {
				_, err = mutex.Extend()
			}
		}
		if err == nil {
			_, err = mutex.Unlock()
		}
		if err != nil {
			c.b.Error(err)
		}
		return count
	}}
}

const hotDelay = 2 * time.Millisecond

func (c *comparison) hot(count int) side {
	return side{"redlock", func(int) int {
		for range count {
			lease, err := c.ours.Lock(context.Background(), "hot", compareTTL,
				redlock.WithBackoff(redlock.RandomBackoff(hotDelay, hotDelay)))
			if err == nil {
				err = lease.Release(context.Background())
			}
			if err != nil {
				c.b.Error(err)
				return 0
			}
		}
		return count
	}}
}

func (c *comparison) redsyncHot(count int) side {
	rs := c.redsync(roomy)
	random := &seededRandom{seed: 7}
	return side{"redsync", func(int) int {
		mutex := rs.NewMutex("rs-hot", redsync.WithExpiry(compareTTL), redsync.WithTries(1_000_000),
			redsync.WithRetryDelayFunc(func(int) time.Duration {
				var raw [1]byte
				_, _ = random.Read(raw[:])
				return redlock.RandomBackoff(hotDelay, hotDelay)(1, float64(raw[0])/256)
			}))
		for range count {
			err := mutex.Lock()
			if err == nil {
				_, err = mutex.Unlock()
			}
			if err != nil && !errors.Is(err, redsync.ErrFailed) {
				c.b.Error(err)
				return 0
			}
		}
		return count
	}}
}

// blackHoled is a Locker whose fifth node swallows everything.
func (c *comparison) blackHoled() *redlock.Locker {
	hole := newBlackHole(c.b)
	addresses := append(slices.Clone(c.addresses[:4]), hole.listener.Addr().String())
	return c.locker(redlock.New(realNodes(c.b, addresses, nil)))
}
