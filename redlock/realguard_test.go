package redlock_test

import (
	"errors"
	"net"
	"os/exec"
	"testing"
	"time"

	"redlocklab/redlock"
)

// TestIntegrationGuardOverARestart kills a real server and starts it again, empty. The guard
// must see the new run id over the new connection.
func TestIntegrationGuardOverARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: waits for real servers to become old enough")
	}
	t.Parallel()
	addresses := realServers(t, 1)
	start := func() (stop func()) {
		t.Helper()
		_, port, err := net.SplitHostPort(addresses[0])
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
			"--appendonly", "no", "--dir", t.TempDir(), "--loglevel", "warning")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = command.Process.Kill()
			_ = command.Wait()
		}
	}
	if err := administrator(t, addresses[0]).Do(t.Context(), "SHUTDOWN", "NOSAVE").Err(); err == nil {
		t.Fatal("SHUTDOWN was answered")
	}
	stop := start()
	nodes := realNodes(t, addresses, nil)
	l, err := redlock.New(nodes, redlock.WithRestartGuard(time.Second), redlock.WithNodeTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	locks := func() bool {
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		return err == nil && lease.Release(t.Context()) == nil
	}
	eventually(t, "the server is old enough", locks)

	stop()
	stop = start()
	defer func() { stop() }()
	// Until the server is up again, calls fail. Its first answer is guarded.
	eventually(t, "the new server answers", func() bool {
		_, err := l.TryLock(t.Context(), "res", time.Second)
		if err == nil {
			t.Fatal("a vote of a server that has just forgotten everything counted")
		}
		var report *redlock.RoundError
		return errors.As(err, &report) && report.Nodes[0].Outcome == redlock.OutcomeGuarded
	})
	begin := time.Now()
	eventually(t, "the quarantine ends", locks)
	if waited := time.Since(begin); waited < 500*time.Millisecond {
		t.Fatalf("the quarantine ended after %v", waited)
	}
}
