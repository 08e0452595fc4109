package redlock_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redlocklab/redlock"
)

// cluster is a set of miniredis servers with ordinary clients.
type cluster struct {
	servers []*miniredis.Miniredis
	nodes   []redlock.Node
}

// newCluster starts n servers on the loopback interface.
func newCluster(t testing.TB, n int) *cluster {
	t.Helper()
	c := &cluster{}
	for i := range n {
		server := miniredis.RunT(t)
		client := redis.NewClient(&redis.Options{
			Addr: server.Addr(), Protocol: 2, DisableIdentity: true, MaxRetries: -1,
			DialTimeout: 200 * time.Millisecond, DialerRetries: 1,
		})
		t.Cleanup(func() { _ = client.Close() })
		c.servers = append(c.servers, server)
		c.nodes = append(c.nodes, redlock.Node{Name: fmt.Sprintf("n%d", i+1), Client: client})
	}
	return c
}

// locker returns a Locker over the cluster that is closed with the test.
func (c *cluster) locker(t testing.TB) *redlock.Locker {
	t.Helper()
	l, err := redlock.New(c.nodes, redlock.WithNodeTimeout(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// holders counts the servers on which the key carries the token.
func (c *cluster) holders(key, token string) int {
	count := 0
	for _, server := range c.servers {
		if value, err := server.Get(key); err == nil && value == token {
			count++
		}
	}
	return count
}

// eventually waits until background work makes the condition true.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
