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

// job is the work of one worker on a resource of its own. It returns how many units of work
// it completed.
type job func(worker int) (done int)

// BenchmarkCompare compares the package with others on five real servers of its own. The two
// sides of a line take turns, pairs times. A line prints the median ratio of their times
// with a confidence interval of at least 95 %. At the end it prints the lines as the table
// for README.
//
//	go test ./redlock/... -bench Compare -run xxx
func BenchmarkCompare(b *testing.B) {
	addresses := realServers(b, 5)
	c := &comparison{addresses: addresses, floor: newFloor(b, addresses), b: b}
	c.ours = c.locker(redlock.New(realNodes(b, addresses, nil)))
	for _, workers := range []int{1, 64} {
		per := 1600 / workers
		c.line(b, row{lockAndRelease, workers, theFloor}, c.cycle(per, "f"), c.floorCycle(per))
		if workers == 1 {
			c.median(b)
		}
		c.line(b, row{lockAndRelease, workers, "redsync"}, c.cycle(per, "r"), c.redsyncCycle(per, false))
		c.line(b, row{lockAndRelease, workers, "redsync, fail-fast"}, c.cycle(per, "s"), c.redsyncCycle(per, true))
		c.line(b, row{lockAndRelease, workers, "redislock, on one node instead of five"}, c.cycle(per, "o"), c.redislockCycle(per))
	}
	c.line(b, row{"extend", 16, "redsync"}, c.extend(100), c.redsyncExtend(100))
	c.releases(b)
	c.line(b, row{"lock and release one hot resource", 16, "redsync"}, c.hot(10), c.redsyncHot(10))
	holed := c.blackHoled()
	c.line(b, row{lockAndRelease + ", one of five nodes black-holed", 16, "itself, all nodes healthy"}, c.cycleOf(holed, 100, "b"), c.cycle(100, "h"))
	c.tail(b, holed)
	fairness := c.fairness(b)
	c.print(fairness)
	for range b.N { // the lines above are the measurement; it does not depend on b.N
	}
}

type comparison struct {
	b         *testing.B
	addresses []string
	floor     *floor
	ours      *redlock.Locker
	table     []string
}

// row names what one comparison compares.
type row struct {
	what    string
	lockers int
	against string
}

const (
	lockAndRelease = "lock + release"
	theFloor       = "the floor"
)

func (r row) String() string {
	return fmt.Sprintf("%s, lockers=%d, against %s", r.what, r.lockers, r.against)
}

// print prints the table for README.
func (c *comparison) print(fairness string) {
	fmt.Println("\n| what | lockers | against | ratio |\n|---|---|---|---|")
	for _, line := range c.table {
		fmt.Println(line)
	}
	fmt.Printf("\n%s\n", fairness)
}

func (c *comparison) locker(l *redlock.Locker, err error) *redlock.Locker {
	if err != nil {
		c.b.Fatal(err)
	}
	c.b.Cleanup(func() { _ = l.Close() })
	return l
}

// line compares the mean times of one unit of work.
func (c *comparison) line(b *testing.B, r row, ours, theirs job) {
	b.Helper()
	measure := func(work job) func() float64 {
		return func() float64 {
			var wait sync.WaitGroup
			var done atomic.Int64
			begin := time.Now()
			for worker := range r.lockers {
				wait.Go(func() { done.Add(int64(work(worker))) })
			}
			wait.Wait()
			return float64(time.Since(begin)) / float64(max(done.Load(), 1))
		}
	}
	c.compare(b, r, measure(ours), measure(theirs))
}

// compare measures two sides in interleaved pairs. It prints the median of their ratios and
// keeps it for the table.
func (c *comparison) compare(b *testing.B, r row, ours, theirs func() float64) {
	b.Helper()
	ours()
	theirs() // warms both up
	var ratios, first, second []float64
	for pair := range pairs {
		var x, y float64
		if pair%2 == 0 {
			x, y = ours(), theirs()
		} else {
			y, x = theirs(), ours()
		}
		ratios, first, second = append(ratios, x/y), append(first, x), append(second, y)
	}
	if b.Failed() {
		b.FailNow()
	}
	slices.Sort(ratios)
	slices.Sort(first)
	slices.Sort(second)
	// The 6th and the 16th smallest of 21 ratios bound the median with a confidence
	// of 97 %.
	ratio := fmt.Sprintf("%.2f [%.2f, %.2f]", ratios[pairs/2], ratios[5], ratios[15])
	fmt.Printf("ratio %s  %s: %.1f µs to %.1f µs\n", ratio, r, first[pairs/2]/1000, second[pairs/2]/1000)
	c.table = append(c.table, fmt.Sprintf("| %s | %d | %s | %s |", r.what, r.lockers, r.against, ratio))
	b.ReportMetric(ratios[pairs/2], strings.NewReplacer(" ", "_", ",", "").Replace(r.String())+"_ratio")
}

func (c *comparison) cycle(count int, kind string) job { return c.cycleOf(c.ours, count, kind) }

func (c *comparison) cycleOf(l *redlock.Locker, count int, kind string) job {
	return func(worker int) int {
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
	}
}

func (c *comparison) floorCycle(count int) job {
	return func(worker int) int {
		resource := fmt.Sprintf("floor-%d", worker)
		for range count {
			c.floor.lock(resource, compareTTL)
			c.floor.unlock(resource)
		}
		return count
	}
}

func (c *comparison) redsync(adjust func(*redis.Options)) *redsync.Redsync {
	var list []pools.Pool
	for _, node := range realNodes(c.b, c.addresses, adjust) {
		list = append(list, goredis.NewPool(node.Client))
	}
	return redsync.New(list...)
}

func roomy(o *redis.Options) { o.PoolSize = 128 }

func (c *comparison) redsyncCycle(count int, failFast bool) job {
	rs := c.redsync(roomy)
	return func(worker int) int {
		mutex := rs.NewMutex(fmt.Sprintf("rs-%v-%d", failFast, worker), redsync.WithExpiry(compareTTL),
			redsync.WithTries(3), redsync.WithFailFast(failFast))
		done := 0
		for range count {
			err := mutex.Lock()
			if err == nil {
				_, err = mutex.Unlock()
			}
			switch {
			case err == nil:
				done++
			case !failFast: // with fail-fast, a lock can find its own release still under way
				c.b.Error(err)
				return 0
			}
		}
		return done
	}
}

func (c *comparison) redislockCycle(count int) job {
	client := redislock.New(realNodes(c.b, c.addresses[:1], roomy)[0].Client)
	return func(worker int) int {
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
	}
}

func (c *comparison) extend(count int) job {
	return func(worker int) int {
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
	}
}

func (c *comparison) redsyncExtend(count int) job {
	rs := c.redsync(roomy)
	return func(worker int) int {
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
	}
}

const hotDelay = 2 * time.Millisecond

func (c *comparison) hot(count int) job {
	return func(int) int {
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
	}
}

func (c *comparison) redsyncHot(count int) job {
	rs := c.redsync(roomy)
	random := &seededRandom{seed: 7}
	return func(int) int {
		mutex := rs.NewMutex("rs-hot", redsync.WithExpiry(compareTTL), redsync.WithTries(1_000_000),
			redsync.WithRetryDelayFunc(func(int) time.Duration {
				var raw [1]byte
				_, _ = random.Read(raw[:])
				return redlock.RandomBackoff(hotDelay, hotDelay)(1, float64(raw[0])/256)
			}))
		done := 0
		for range count {
			err := mutex.Lock()
			if err == nil {
				_, err = mutex.Unlock()
			}
			switch {
			case err == nil:
				done++
			case !errors.Is(err, redsync.ErrFailed):
				c.b.Error(err)
				return 0
			}
		}
		return done
	}
}

// blackHoled returns a Locker whose fifth node answers nothing.
func (c *comparison) blackHoled() *redlock.Locker {
	hole := newBlackHole(c.b)
	addresses := append(slices.Clone(c.addresses[:4]), hole.listener.Addr().String())
	return c.locker(redlock.New(realNodes(c.b, addresses, nil)))
}
