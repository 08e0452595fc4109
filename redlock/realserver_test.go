package redlock_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"redlocklab/redlock"
)

// realServers starts n redis-server processes without persistence on the loopback interface.
// They end with the test. Without redis-server on PATH the test is skipped, or fails if
// CI=true.
func realServers(t testing.TB, n int) []string {
	t.Helper()
	program := needRedis(t)
	addresses := make([]string, n)
	for i := range addresses {
		port := freePort(t)
		addresses[i] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		command := exec.Command(program, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
			"--dir", t.TempDir(), "--loglevel", "warning")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = command.Process.Kill()
			_ = command.Wait()
		})
	}
	for _, address := range addresses {
		eventually(t, "redis-server listens on "+address, func() bool {
			connection, err := net.DialTimeout("tcp", address, time.Second)
			if err != nil {
				return false
			}
			return connection.Close() == nil
		})
	}
	return addresses
}

// needRedis returns the path of redis-server.
func needRedis(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("NOT CHECKED: redis-server is not on PATH, and CI=true")
		}
		t.Skip("NOT CHECKED: redis-server is not on PATH")
	}
	return program
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
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
