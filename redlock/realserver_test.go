package redlock_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"redlocklab/redlock"
)

// realServers starts n redis-server processes without persistence on the loopback interface.
// They end with the test. Without redis-server on PATH the test is skipped, or fails if
// CI=true.
func realServers(t testing.TB, n int) []string {
	t.Helper()
	cluster := newRealCluster(t, n, persistenceModes[0].arguments, nil)
	addresses := make([]string, n)
	for i, s := range cluster.servers {
		addresses[i] = s.listen("port")
	}
	return addresses
}

// needRedis skips a test without redis-server, or lets it fail if CI=true.
func needRedis(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("NOT CHECKED: redis-server is not on PATH, and CI=true")
		}
		t.Skip("NOT CHECKED: redis-server is not on PATH")
	}
}

// realNodes connects ordinary clients that are closed with the test.
func realNodes(t testing.TB, addresses []string, adjust func(*redis.Options)) []redlock.Node {
	t.Helper()
	nodes := make([]redlock.Node, len(addresses))
	for i, address := range addresses {
		options := &redis.Options{Addr: address, MaintNotificationsConfig: noMaintenance()}
		if adjust != nil {
			adjust(options)
		}
		client := redis.NewClient(options)
		t.Cleanup(func() { _ = client.Close() })
		nodes[i] = redlock.Node{Name: fmt.Sprintf("n%d", i+1), Client: client}
	}
	return nodes
}

// noMaintenance keeps go-redis from asking whether the server announces maintenance. In
// go-redis 9.23 the first connections race for the answer.
func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// administrator returns a client that configures a server.
func administrator(t testing.TB, address string) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: address, MaintNotificationsConfig: noMaintenance()})
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Ping(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	return client
}
