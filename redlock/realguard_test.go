package redlock_test

import (
	"errors"
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
	cluster := newRealCluster(t, 1, persistenceModes[0].arguments, nil)
	l, err := redlock.New(cluster.nodes(nil), redlock.WithRestartGuard(time.Second),
		redlock.WithNodeTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	locks := func() bool {
		lease, err := l.TryLock(t.Context(), "res", time.Second)
		return err == nil && lease.Release(t.Context()) == nil
	}
	eventually(t, "the server is old enough", locks)

	cluster.servers[0].kill()
	cluster.servers[0].start()
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
