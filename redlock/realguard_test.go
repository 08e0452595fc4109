package redlock_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

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

// TestIntegrationGuardOverPromotions promotes real servers that lack a vote: the holder's own
// master, which was a replica meanwhile, in the same process; and its replica, for a Locker that
// meets it only then.
func TestIntegrationGuardOverPromotions(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: waits for real servers to become old enough")
	}
	t.Parallel()
	const guard = 3 * time.Second
	addresses := realServers(t, 2)
	master, replica := administrator(t, addresses[0]), administrator(t, addresses[1])
	lead := func(follower *redis.Client, words ...any) {
		t.Helper()
		if err := follower.Do(t.Context(), append([]any{"REPLICAOF"}, words...)...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	follow := func(follower *redis.Client, leader string) {
		t.Helper()
		host, port, _ := net.SplitHostPort(leader)
		lead(follower, host, port)
		eventually(t, "the replica has all", func() bool {
			return strings.Contains(follower.Info(t.Context(), "replication").Val(), "master_link_status:up")
		})
	}
	for _, client := range []*redis.Client{master, replica} {
		if err := client.ConfigSet(t.Context(), "repl-diskless-sync-delay", "0").Err(); err != nil {
			t.Fatal(err)
		}
	}
	locker := func(address string) *redlock.Locker {
		l, err := redlock.New(realNodes(t, []string{address}, nil), redlock.WithRestartGuard(guard),
			redlock.WithNodeTimeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	follow(replica, addresses[0])
	holder, other := locker(addresses[0]), locker(addresses[0])
	eventually(t, "the other knows the master", func() bool {
		lease, err := other.TryLock(t.Context(), "warm", guard)
		return err == nil && lease.Release(t.Context()) == nil
	})
	lead(replica, "127.0.0.1", 1) // it hears of nothing more
	lease, err := holder.TryLock(t.Context(), "res", guard)
	if err != nil {
		t.Fatal(err)
	}
	lead(replica, "NO", "ONE")
	stolen := func(who string, l *redlock.Locker, server *redis.Client) {
		t.Helper()
		_, err := l.TryLock(t.Context(), "res", guard)
		var report *redlock.RoundError
		if !errors.As(err, &report) || report.Nodes[0].Outcome != redlock.OutcomeGuarded {
			t.Errorf("%s, while the lease has %v left: %v", who, lease.Remaining(), err)
		}
		eventually(t, "the refused attempt has released its key", func() bool {
			return server.Exists(t.Context(), "res").Val() == 0
		})
	}
	stolen("who meets the promoted replica first", locker(addresses[1]), replica)
	follow(master, addresses[1])
	lead(master, "NO", "ONE")
	stolen("who knows the master", other, master)
	stolen("who meets the master first", locker(addresses[0]), master)
	if !lease.Valid() {
		t.Fatal("the machine is too slow: the lease ended before the last attempt")
	}
	eventually(t, "the quarantine ends", func() bool {
		lease, err := other.TryLock(t.Context(), "res", guard)
		return err == nil && lease.Release(t.Context()) == nil
	})
}
