package play_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/file"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// greedy is a lock that sends four commands at a time to each node, and never acquires.
type greedy struct {
	number      int
	used        *[]int
	environment lock.Environment
}

func (g greedy) TryLock(ctx context.Context, _ string) (lock.Lease, error) {
	*g.used = append(*g.used, g.number)
	var all sync.WaitGroup
	for _, node := range g.environment.Redis {
		for i := range 4 {
			all.Go(func() { _ = node.Set(ctx, strconv.Itoa(i), "v", 0).Err() })
		}
	}
	all.Wait()
	return nil, lock.ErrContended
}

func (g greedy) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return g.TryLock(ctx, resource)
}

// TestLockers: the locks of one process are used in turn and share its clients, but no
// random numbers; a client opens no more connections than its pool has, and runs that exhaust
// a pool can be played one after another.
func TestLockers(t *testing.T) {
	for _, test := range []struct {
		lockers, pool string
		used          []int
		most          int // connections to one node
	}{
		{"", "", []int{0, 0, 0, 0, 0}, 4},
		{"lockers: 1, ", "pool: 1, ", []int{0, 0, 0, 0, 0}, 1},
		{"lockers: 3, ", "pool: 2, ", []int{0, 1, 2, 0, 1}, 2},
		{"lockers: 7, ", "pool: 3, ", []int{0, 1, 2, 3, 4}, 3},
	} {
		s, err := file.Parse("LV-1.yaml", fmt.Appendf(nil, `claim: LV-1
title: several locks
story: several locks
nodes: 2
lock: { ttl: 1s, %snode_timeout: 50ms }
clients:
  A: { %ssteps: [ { repeat: { times: 5, steps: [ { trylock: r }, { wait: 10ms } ] } } ] }
seeds: 1
subjects: { SY-0: { expect: { overlap: holds }, broken: [], runs: all } }
`, test.pool, test.lockers))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan("SY-0", 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		var used []int
		var made []lock.Environment
		subject := lock.Implementation{New: func(e lock.Environment) (lock.Locker, error) {
			made = append(made, e)
			return greedy{len(made) - 1, &used, e}, nil
		}}
		result, err := play.RunLock(p, play.RunOptions{}, subject, plan.Abilities{})
		if err != nil || result.Outcome != string(sim.Finished) {
			t.Fatal(result, err)
		}
		open := map[string]int{}
		for _, e := range result.Events {
			if e.Kind == sim.Dial {
				open[e.Node]++
			}
		}
		if !slices.Equal(used, test.used) || open["n1"] != test.most || open["n2"] != test.most {
			t.Errorf("%s%s: used %v, connections %v; want %v, %d", test.lockers, test.pool, used, open, test.used, test.most)
		}
		drawn := map[uint64]bool{}
		for _, e := range made {
			drawn[e.Uint64()] = true
			if e.Redis[0] != made[0].Redis[0] {
				t.Errorf("%s: two clients", test.lockers)
			}
		}
		if len(drawn) != len(made) {
			t.Errorf("%s: %d locks drew %d numbers", test.lockers, len(made), len(drawn))
		}
	}
}

// TestFailedDials: with a small pool every command dials, also after many failures in a row,
// and has its own error. What failed is no connection, even if nobody waits for it any more.
func TestFailedDials(t *testing.T) {
	dials, down := 0, true
	server, client := net.Pipe()
	defer func() { _ = server.Close() }()
	options := sim.DriverOptions("n1:1", play.WithoutBreaker(func(context.Context, string, string) (net.Conn, error) {
		if dials++; down {
			return nil, &net.OpError{Op: "dial", Err: fmt.Errorf("dial %d", dials)}
		}
		return client, nil
	}), sim.Timeouts{Dial: time.Second, Read: 50 * time.Millisecond, Write: time.Second})
	options.PoolSize, options.PipelinePoolSize = 2, -1
	c := redis.NewClient(options)
	defer func() { _ = c.Close() }()
	for n := 1; n <= 7; n++ {
		err := c.Ping(t.Context()).Err()
		var dial *net.OpError
		if !errors.As(err, &dial) || dial.Op != "dial" || dial.Err.Error() != fmt.Sprintf("dial %d", n) || dials != n {
			t.Errorf("command %d: %v after %d dials", n, err, dials)
		}
	}
	down = false
	go func() { _ = c.Ping(t.Context()).Err() }()
	words := make([]byte, 64)
	if n, err := server.Read(words); err != nil || n == 0 || dials != 8 {
		t.Errorf("the server reads %d bytes, %v, after %d dials", n, err, dials)
	}
}
