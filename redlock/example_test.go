package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// exampleNodes starts five servers and returns them as nodes.
func exampleNodes() (nodes []redlock.Node, stop func()) {
	var servers []*miniredis.Miniredis
	for i := range 5 {
		server, err := miniredis.Run()
		if err != nil {
			log.Fatal(err)
		}
		servers = append(servers, server)
		nodes = append(nodes, redlock.Node{
			Name:   fmt.Sprintf("redis-%d", i+1),
			Client: redis.NewClient(&redis.Options{Addr: server.Addr()}),
		})
	}
	return nodes, func() {
		for i, node := range nodes {
			_ = node.Client.Close()
			servers[i].Close()
		}
	}
}

func Example() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()

	locker, err := redlock.Open(ctx, nodes)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	err = locker.Do(ctx, "invoice:42", 10*time.Second, func(ctx context.Context) error {
		fmt.Println("alone with invoice 42")
		return ctx.Err() // ends when the lease does
	})
	fmt.Println("error:", err)
	// Output:
	// alone with invoice 42
	// error: <nil>
}

func ExampleLocker_TryLock() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()
	locker, err := redlock.New(nodes)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	lease, err := locker.TryLock(ctx, "invoice:42", 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = lease.Release(ctx) }()
	fmt.Println("valid:", lease.Valid())

	_, err = locker.TryLock(ctx, "invoice:42", 10*time.Second)
	fmt.Println("contended:", errors.Is(err, redlock.ErrContended))
	// Output:
	// valid: true
	// contended: true
}

func ExampleLocker_Lock() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()
	backoff := redlock.RandomBackoff(5*time.Millisecond, 50*time.Millisecond)
	locker, err := redlock.New(nodes, redlock.WithBackoff(backoff))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	first, err := locker.Lock(ctx, "invoice:42", 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = locker.Lock(limited, "invoice:42", 10*time.Second)
	fmt.Println("gave up:", errors.Is(err, context.DeadlineExceeded))
	fmt.Println("released:", first.Release(ctx))
	// Output:
	// gave up: true
	// released: <nil>
}

func ExampleLocker_LockAll() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()
	locker, err := redlock.New(nodes)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	lease, err := locker.LockAll(ctx, []string{"account:{bank}:to", "account:{bank}:from"}, 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lease.Resources())
	fmt.Println(lease.Release(ctx))
	// Output:
	// [account:{bank}:from account:{bank}:to]
	// <nil>
}

func ExampleLease_Extend() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()
	locker, err := redlock.New(nodes)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	lease, err := locker.TryLock(ctx, "invoice:42", 10*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	before := lease.Until()
	err = lease.Extend(ctx, time.Minute)
	fmt.Println(err, lease.Until() > before+40*time.Second)
	fmt.Println(lease.Release(ctx))
	// Output:
	// <nil> true
	// <nil>
}

func ExampleWithFencing() {
	nodes, stop := exampleNodes()
	defer stop()
	ctx := context.Background()
	locker, err := redlock.New(nodes, redlock.WithFencing())
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	var last uint64
	for range 3 {
		lease, err := locker.Lock(ctx, "invoice:42", 10*time.Second)
		if err != nil {
			log.Fatal(err)
		}
		// Send this number with every access. It grows, and may skip numbers.
		fmt.Println("larger than the last:", lease.Fence() > last)
		last = lease.Fence()
		if err := lease.Release(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// larger than the last: true
	// larger than the last: true
	// larger than the last: true
}

func ExampleRoundError() {
	nodes, stop := exampleNodes()
	stop() // all servers are gone
	locker, err := redlock.New(nodes, redlock.WithNodeTimeout(time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = locker.Close() }()

	_, err = locker.TryLock(context.Background(), "invoice:42", 10*time.Second)
	var report *redlock.RoundError
	if errors.As(err, &report) {
		fmt.Println(report.Operation, report.Resources, len(report.Nodes), "nodes")
	}
	fmt.Println("no quorum:", errors.Is(err, redlock.ErrNoQuorum))
	// Output:
	// acquire [invoice:42] 5 nodes
	// no quorum: true
}

func ExampleAllowanceFor() {
	ttl := 10 * time.Second
	fmt.Println("customary:", redlock.CustomaryAllowance(ttl))
	fmt.Println("for clocks within 500 ppm:", redlock.AllowanceFor(ttl, 500))
	// Output:
	// customary: 102ms
	// for clocks within 500 ppm: 11.995003ms
}
