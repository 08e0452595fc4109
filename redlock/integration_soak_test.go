package redlock_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/checker"
	"redlocklab/redlock"
)

// soakFor is how long TestIntegrationSoak makes trouble:
//
//	go test ./redlock -run IntegrationSoak -soak 10m -timeout 20m -v
var soakFor = flag.Duration("soak", 30*time.Second, "how long TestIntegrationSoak makes trouble")

// TestIntegrationSoak gives real servers the troubles that a year brings and a crash is not:
// promotion in both directions, BUSY, LOADING, OOM, other users' rights, a password, CLIENT PAUSE,
// SCRIPT FLUSH, a Limiter, and a client that is closed under its Locker. No two beliefs overlap,
// every resource is acquired again, no goroutine stays, and what was released leaves no key.
func TestIntegrationSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: real servers in trouble")
	}
	t.Parallel()
	soak(t)
	eventually(t, "all goroutines of the Lockers and their callers have ended", func() bool {
		return labelled(t.Name()) == 0
	})
}

// label runs f so that the goroutines that begin in it, and in those, have the test's name.
func label(t *testing.T, f func()) {
	pprof.Do(t.Context(), pprof.Labels("test", t.Name()), func(context.Context) { f() })
}

// labelled counts the goroutines that have a test's name.
func labelled(name string) int {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1)
	count := 0
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(group, `"test":"`+name+`"`) {
			var goroutines int
			_, _ = fmt.Sscanf(strings.TrimSpace(group), "%d @", &goroutines)
			count += goroutines
		}
	}
	return count
}

// troubled is a cluster in trouble. The first node's server has a replica, the last server; its
// proxy leads to the one that is the master.
type troubled struct {
	*realCluster
	t         *testing.T
	random    *rand.Rand
	limited   atomic.Bool
	addresses []string
	master    int // of the first node: its own server, or the replica
}

func soak(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	arguments := append(persistenceModes[0].arguments, "--enable-debug-command", "yes",
		"--busy-reply-threshold", "10", "--repl-diskless-sync-delay", "0")
	cluster := newRealCluster(t, 6, arguments, nil)
	c := &troubled{realCluster: cluster, t: t, random: rand.New(rand.NewPCG(seed, 0))}
	for _, s := range cluster.servers {
		c.addresses = append(c.addresses, s.listen("port"))
	}
	time.Sleep(chaosTTL + 2*time.Second) // the guard needs servers that are old enough
	history := newRecording("soak", chaosTTL)
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var lockers []*redlock.Locker
	var connections []redis.UniversalClient
	locker := func(skip int, options ...redlock.Option) (l *redlock.Locker) {
		nodes := cluster.nodes(func(o *redis.Options) { o.Limiter = c })[skip:5]
		options = append(options, redlock.WithNodeTimeout(100*time.Millisecond))
		label(t, func() {
			var err error
			if l, err = redlock.New(nodes, options...); err != nil {
				t.Fatal(err)
			}
		})
		lockers = append(lockers, l)
		for _, node := range nodes {
			connections = append(connections, node.Client)
		}
		return l
	}
	for i := range chaosClients {
		l := locker(0, redlock.WithRestartGuard(chaosTTL))
		random := rand.New(rand.NewPCG(seed, uint64(1+i)))
		label(t, func() { clients.Go(func() { history.client(ctx, string(rune('A'+i)), l, random) }) })
	}
	_ = connections[4].Close() // under the first client's Locker
	var released atomic.Int64
	owner := locker(1) // a replica that is promoted may have missed a release; see BA-5
	label(t, func() {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if lease, err := owner.TryLock(ctx, fmt.Sprint("left", n), time.Hour); err == nil {
					_ = lease.Release(context.Background())
					released.Add(1)
				}
				time.Sleep(time.Millisecond)
			}
		})
	})
	eventually(t, "the goroutines are counted", func() bool { return labelled(t.Name()) > chaosClients })
	made := map[string]int{}
	for begin := time.Now(); time.Since(begin) < *soakFor; {
		for _, i := range c.random.Perm(len(troubles)) {
			troubles[i].make(c, c.servers[1+c.random.IntN(4)])
			made[troubles[i].name]++
			time.Sleep(time.Duration(c.random.IntN(200)) * time.Millisecond)
		}
	}
	healed := history.now()
	time.Sleep(3*chaosTTL + 2*time.Second) // with the guard's quarantine
	stop()
	clients.Wait()
	verdict := checker.Judge(history.finish(healed), checker.Options{})
	judgeChaos(t, chaosSetting{name: "soak", safe: true}, &verdict)
	for i, s := range c.servers[1:5] {
		eventually(t, fmt.Sprintf("n%d has no key of a lease that was released", i+2), func() bool {
			return len(s.console().Keys(context.Background(), "left*").Val()) == 0
		})
	}
	for _, l := range lockers {
		if err := l.Close(); err != nil && !errors.Is(err, redlock.ErrReleasesDropped) {
			t.Error(err)
		}
	}
	for _, client := range connections {
		_ = client.Close()
	}
	acquired := len(history.history.Leases)
	t.Logf("%d leases, %d more that left no key; troubles %v; seed %d", acquired, released.Load(), made, seed)
	if acquired == 0 || released.Load() == 0 {
		t.Error("nobody acquired anything")
	}
}

// Allow implements redis.Limiter.
func (c *troubled) Allow() error {
	if c.limited.Load() {
		return errors.New("limited")
	}
	return nil
}

// ReportResult implements redis.Limiter.
func (c *troubled) ReportResult(error) {}

// must tells a server something.
func (c *troubled) must(s *realServer, words ...any) {
	c.t.Helper()
	if err := s.console().Do(context.Background(), words...).Err(); err != nil {
		c.t.Errorf("%v: %v", words, err)
	}
}

// lasts is how long a trouble lasts.
func (c *troubled) lasts() { time.Sleep(time.Duration(50+c.random.IntN(500)) * time.Millisecond) }

// troubles are what can happen to a server. Each ends as it began.
var troubles = []struct {
	name string
	make func(c *troubled, s *realServer)
}{
	{"promotion", func(c *troubled, _ *realServer) { c.promote() }},
	{"BUSY", func(c *troubled, s *realServer) {
		console := s.console()
		go func() { _ = console.Eval(context.Background(), "while true do end", nil).Err() }()
		c.lasts()
		eventually(c.t, "the script has ended", func() bool {
			_ = s.console().ScriptKill(context.Background()).Err()
			return s.console().Ping(context.Background()).Err() == nil
		})
	}},
	{"LOADING", func(c *troubled, s *realServer) {
		for i := range 50 {
			c.must(s, "SET", fmt.Sprint("ballast", i), "x")
		}
		c.must(s, "CONFIG", "SET", "key-load-delay", "10000") // µs for each key
		c.must(s, "DEBUG", "RELOAD")
		c.must(s, "CONFIG", "SET", "key-load-delay", "0")
	}},
	{"OOM", func(c *troubled, s *realServer) {
		c.must(s, "CONFIG", "SET", "maxmemory", "1")
		c.lasts()
		c.must(s, "CONFIG", "SET", "maxmemory", "0")
	}},
	{"rights", func(c *troubled, s *realServer) {
		lacks := []string{"eval", "evalsha", "set", "get", "del", "info"}[c.random.IntN(6)]
		c.must(s, "ACL", "SETUSER", "default", "-"+lacks)
		c.lasts()
		c.must(s, "ACL", "SETUSER", "default", "+@all")
	}},
	{"password", func(c *troubled, s *realServer) {
		knows := s.console().Conn() // without a new greeting, which would need the password
		defer func() { _ = knows.Close() }()
		for _, words := range [][]any{
			{"CONFIG", "SET", "requirepass", "secret"},
			{"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"},
			{"CONFIG", "SET", "requirepass", ""},
		} {
			if err := knows.Do(context.Background(), words...).Err(); err != nil {
				c.t.Errorf("%v: %v", words, err)
			}
			if words[0] == "CLIENT" {
				c.lasts()
			}
		}
	}},
	{"CLIENT PAUSE", func(c *troubled, s *realServer) {
		c.must(s, "CLIENT", "PAUSE", 50+c.random.IntN(300), []string{"ALL", "WRITE"}[c.random.IntN(2)])
		c.lasts()
	}},
	{"SCRIPT FLUSH", func(c *troubled, s *realServer) { c.must(s, "SCRIPT", "FLUSH") }},
	{"Limiter", func(c *troubled, _ *realServer) {
		c.limited.Store(true)
		c.lasts()
		c.limited.Store(false)
	}},
}

// promote makes the other server of the first node follow its master, promotes it, and leads the
// node's address there. Then the old master follows the new one.
func (c *troubled) promote() {
	both := []*realServer{c.servers[0], c.servers[5]}
	old, next := both[c.master], both[1-c.master]
	from := []string{c.addresses[0], c.addresses[5]}[c.master]
	host, port, _ := net.SplitHostPort(from)
	c.must(next, "REPLICAOF", host, port)
	eventually(c.t, "the replica has all", func() bool {
		return strings.Contains(next.console().Info(context.Background(), "replication").Val(), "master_link_status:up")
	})
	c.lasts()
	c.must(next, "REPLICAOF", "NO", "ONE")
	c.master = 1 - c.master
	c.servers[0].proxy.lead(next.socket)
	c.lasts()
	host, port, _ = net.SplitHostPort([]string{c.addresses[0], c.addresses[5]}[c.master])
	c.must(old, "REPLICAOF", host, port)
}
