package redlock_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/redlock"
)

// chaosFor is how long TestIntegrationChaos runs:
//
//	go test ./redlock -run IntegrationChaos -chaos 5m -timeout 20m -v
var chaosFor = flag.Duration("chaos", 0, "how long TestIntegrationChaos runs (default: one epoch of each setting)")

const (
	chaosTTL     = 600 * time.Millisecond
	chaosEpoch   = 5 * time.Second
	chaosClients = 6
)

// chaosSetting is a kind of cluster and what its runs may and may not show.
type chaosSetting struct {
	name    string
	mode    int // of persistenceModes
	options []redlock.Option
	// safe means that no two beliefs may overlap. Otherwise an overlap is allowed if
	// the ledger explains it.
	safe bool
	// broken are the assumptions that may be broken.
	broken []string
}

var chaosSettings = []chaosSetting{
	{name: "AOF always", mode: 3, safe: true},
	// While a sync runs, a server answers before it writes. Then a kill forgets votes (RP-2-slow-disk).
	{name: "AOF everysec, processes killed", mode: 2, broken: []string{checker.AssumptionVote}},
	{name: "no persistence, guarded", mode: 0, safe: true, broken: []string{checker.AssumptionVote},
		options: []redlock.Option{redlock.WithRestartGuard(chaosTTL)}},
	{name: "snapshots, guarded", mode: 1, safe: true, broken: []string{checker.AssumptionVote},
		options: []redlock.Option{redlock.WithRestartGuard(chaosTTL)}},
	{name: "no persistence", mode: 0, broken: []string{checker.AssumptionVote}},
}

// TestIntegrationChaos kills, stops, starts and cuts off minorities and majorities of real
// servers under load, and lets the simulator's checker judge the history. In safe settings
// no two beliefs overlap; in the others a broken assumption explains every overlap. At the
// end of each epoch everything is healed, and every resource is acquired again.
func TestIntegrationChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: real servers under chaos")
	}
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	var total chaosCount
	var mu sync.Mutex // guards total
	begin := time.Now()
	for round := 1; round == 1 || time.Since(begin) < *chaosFor; round++ {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) { // the settings side by side: they mostly wait
			for i, setting := range chaosSettings {
				t.Run(setting.name, func(t *testing.T) {
					t.Parallel()
					count := playChaos(t, setting, seed+uint64(round*len(chaosSettings)+i))
					t.Logf("%+v", count)
					mu.Lock()
					defer mu.Unlock()
					total.add(count)
				})
			}
		})
	}
	if *chaosFor == 0 {
		t.Log("ONE EPOCH of each setting was played; -chaos 5m plays more")
	}
	t.Logf("%v in all: %+v; first seed %d", time.Since(begin).Round(time.Second), total, seed)
	if total.Acquired == 0 || total.Kills == 0 || total.Stops == 0 || total.Holes == 0 {
		t.Error("some kinds of faults, or every acquisition, never happened")
	}
}

// chaosCount counts what happened.
type chaosCount struct {
	Operations, Acquired    int
	Kills                   int // of servers
	Majorities              int // killed at once
	Stops, Holes, Forgotten int
	Overlaps, Explained     int
}

func (c *chaosCount) add(o chaosCount) {
	c.Operations += o.Operations
	c.Acquired += o.Acquired
	c.Kills += o.Kills
	c.Majorities += o.Majorities
	c.Stops += o.Stops
	c.Holes += o.Holes
	c.Forgotten += o.Forgotten
	c.Overlaps += o.Overlaps
	c.Explained += o.Explained
}

// playChaos plays one epoch on a cluster of its own.
func playChaos(t *testing.T, setting chaosSetting, seed uint64) chaosCount {
	cluster := newRealCluster(t, 5, persistenceModes[setting.mode].arguments, nil)
	if len(setting.options) > 0 { // the guard needs servers that are old enough
		time.Sleep(chaosTTL + 2*time.Second)
	}
	history := newRecording(setting.name, chaosTTL)
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range chaosClients {
		name := string(rune('A' + i))
		options := append([]redlock.Option{redlock.WithNodeTimeout(100 * time.Millisecond)}, setting.options...)
		l, err := redlock.New(cluster.nodes(nil), options...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		clients.Go(func() { history.client(ctx, name, l, random) })
	}
	monkey := &monkey{cluster: cluster, history: history, random: rand.New(rand.NewPCG(seed, 99))}
	for end := time.Now().Add(chaosEpoch); time.Now().Before(end); {
		monkey.act()
	}
	healed := history.now()
	heal := 3 * chaosTTL // without faults
	if len(setting.options) > 0 {
		heal += 2 * time.Second // for the guard's quarantine
	}
	time.Sleep(heal)
	stop()
	clients.Wait()
	verdict := checker.Judge(history.finish(healed), checker.Options{})
	count := monkey.count
	count.Operations, count.Acquired = len(history.history.Operations), len(history.history.Leases)
	count.Overlaps = verdict.Overlap.Found
	judgeChaos(t, setting, &verdict)
	if !verdict.Overlap.Bug { // Bug is set by the first overlap that nothing explains
		count.Explained = count.Overlaps
	}
	return count
}

// judgeChaos checks a verdict against the setting.
func judgeChaos(t *testing.T, setting chaosSetting, verdict *checker.Verdict) {
	t.Helper()
	if len(verdict.Problems) > 0 {
		t.Fatalf("the recording contradicts itself: %v", verdict.Problems)
	}
	for _, id := range verdict.Broken() {
		allowed := false
		for _, b := range setting.broken {
			allowed = allowed || b == id
		}
		if !allowed {
			t.Errorf("%s was broken", id)
		}
	}
	if len(verdict.Answers().Bugs()) > 0 {
		t.Errorf("a violation that nothing explains: overlap %+v, linearizability %+v", verdict.Overlap.Findings, verdict.Linearizability.Findings)
	}
	if setting.safe && (verdict.Overlap.Status != checker.Holds || verdict.Linearizability.Status == checker.Violated) {
		t.Errorf("overlap %s %+v, linearizability %s %+v", verdict.Overlap.Status, verdict.Overlap.Findings,
			verdict.Linearizability.Status, verdict.Linearizability.Findings)
	}
	if verdict.Liveness.Status != checker.Holds {
		t.Errorf("liveness %s: %+v", verdict.Liveness.Status, verdict.Liveness.Goals)
	}
}

// monkey injects faults and heals them, one at a time.
type monkey struct {
	cluster *realCluster
	history *recording
	random  *rand.Rand
	count   chaosCount
}

// act makes one to three of five servers faulty for a while.
func (m *monkey) act() {
	victims := m.random.Perm(len(m.cluster.servers))[:1+m.random.IntN(3)]
	lasting := time.Duration(50+m.random.IntN(500)) * time.Millisecond
	switch m.random.IntN(4) {
	case 0:
		m.count.Stops++
		for _, i := range victims {
			m.cluster.servers[i].freeze()
		}
		time.Sleep(lasting)
		for _, i := range victims {
			m.cluster.servers[i].thaw()
		}
	case 1:
		m.count.Holes++
		for _, i := range victims {
			m.cluster.servers[i].proxy.swallow()
		}
		time.Sleep(lasting)
		for _, i := range victims {
			m.cluster.servers[i].proxy.heal()
		}
	default:
		m.kill(victims, lasting/5)
	}
	time.Sleep(time.Duration(m.random.IntN(200)) * time.Millisecond)
}

// kill kills servers with SIGKILL, all of them before the first is started again. If it
// kills three of five, no majority is up, and the votes may be forgotten. Their proxies
// swallow everything meanwhile, so that what each server had and has lost is known.
func (m *monkey) kill(victims []int, lasting time.Duration) {
	before := make([]map[string]vote, len(victims))
	for _, i := range victims {
		m.cluster.servers[i].proxy.swallow()
	}
	time.Sleep(20 * time.Millisecond) // for what the proxies had already taken in
	for n, i := range victims {
		s := m.cluster.servers[i]
		before[n] = m.history.memory(s)
		s.awaitWritten()
	}
	at := m.history.now()
	for _, i := range victims {
		m.cluster.servers[i].kill()
	}
	time.Sleep(lasting)
	for n, i := range victims {
		s := m.cluster.servers[i]
		s.start()
		s.await()
		m.count.Forgotten += m.history.compare(fmt.Sprintf("n%d", i+1), before[n], m.history.memory(s), at)
		s.proxy.heal()
	}
	m.count.Kills += len(victims)
	if len(victims) > len(m.cluster.servers)/2 {
		m.count.Majorities++
	}
}
