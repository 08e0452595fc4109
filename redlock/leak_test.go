package redlock_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// blackHole accepts connections, reads everything and answers nothing. It counts the open
// connections.
type blackHole struct {
	listener net.Listener
	open     atomic.Int64
}

func newBlackHole(t testing.TB) *blackHole {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hole := &blackHole{listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			hole.open.Add(1)
			go func() {
				_, _ = io.Copy(io.Discard, connection)
				_ = connection.Close()
				hole.open.Add(-1)
			}()
		}
	}()
	return hole
}

// packageGoroutines counts goroutines that run code of the package.
func packageGoroutines() int {
	var stacks bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	count := 0
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if strings.Contains(stack, "redlock.(*nodeQueue)") || strings.Contains(stack, "redlock.(*Lease)") {
			count++
		}
	}
	return count
}

// connections counts the connections in the clients' pools.
func connections(nodes []redlock.Node) uint32 {
	total := uint32(0)
	for _, node := range nodes {
		stats := node.Client.PoolStats()
		total += stats.TotalConns
		if stats.PipelineStats != nil {
			total += stats.PipelineStats.TotalConns
		}
	}
	return total
}

// TestNoLeakWithABlackHole makes 3,000 acquisitions while one of five nodes answers nothing.
// Goroutines and connections stay bounded, and at the end there are as many as at the start.
func TestNoLeakWithABlackHole(t *testing.T) {
	acquisitions := 3_000
	if testing.Short() {
		acquisitions = 1_000
	}
	c := newCluster(t, 4)
	hole := newBlackHole(t)
	client := redis.NewClient(&redis.Options{
		Addr: hole.listener.Addr().String(), Protocol: 2, DisableIdentity: true, MaxRetries: -1,
		DialerRetries: 1, ReadTimeout: 100 * time.Millisecond,
	})
	t.Cleanup(func() { _ = client.Close() })
	nodes := append(slices.Clone(c.nodes), redlock.Node{Name: "hole", Client: client})
	goroutinesBefore, connectionsBefore := packageGoroutines(), connections(nodes)

	l, err := redlock.New(nodes, redlock.WithNodeTimeout(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	const bound = 5 * 8 // five nodes, each with one sender and seven spare ones
	for i := range acquisitions {
		lease, err := l.Lock(t.Context(), "res", 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			_ = lease.Context() // starts a goroutine that watches the expiry
		}
		if err := lease.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		if i%500 == 499 {
			// None at all would mean that packageGoroutines looks for the wrong names.
			if n := packageGoroutines(); n == 0 || n > bound+1 {
				t.Fatalf("%d goroutines after %d acquisitions; want 1 to %d", n, i+1, bound+1)
			}
			if n := connections(nodes); n > bound {
				t.Fatalf("%d connections after %d acquisitions", n, i+1)
			}
		}
	}
	if err := l.Close(); err != nil && !strings.Contains(err.Error(), "releases") {
		t.Fatal(err)
	}
	for _, node := range nodes {
		_ = node.Client.Close()
	}
	eventually(t, "as many goroutines as before", func() bool { return packageGoroutines() == goroutinesBefore })
	eventually(t, "as many connections as before", func() bool {
		return connections(nodes) == connectionsBefore && hole.open.Load() == 0
	})
}
