package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// ErrNoServer says that redis-server is not on PATH.
var ErrNoServer = errors.New("redis-server is not on PATH (Debian: apt-get install redis-server)")

// Result is a run on real servers, judged.
type Result struct {
	*play.Result
	// Stall is by how much the machine was ever late in waking a goroutine of the
	// laboratory: what is much longer than a per-node timeout can change a run.
	Stall time.Duration
}

// FindServer returns where redis-server is.
func FindServer() (string, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return "", ErrNoServer
	}
	return path, nil
}

// Options say how a plan is played.
type Options struct {
	// Command makes the process of one client, which must call [Serve] on its
	// standard input and output.
	Command func() *exec.Cmd
	// Slack is added to every liveness bound: bounds count messages and timeouts
	// only, and a real process also waits for its turn.
	Slack time.Duration
}

// Play plays a plan once, in real time. Errors are failures of the laboratory, and
// ctx's; whatever the lock does is in the result.
func Play(ctx context.Context, plan *plan.Plan, options Options) (*Result, error) {
	if reasons := Unplayable(plan); len(reasons) > 0 {
		return nil, fmt.Errorf("%s cannot be played on real servers: %s", plan.Scenario, strings.Join(reasons, "; "))
	}
	if _, err := FindServer(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "redlocklab-live-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	plan = withSlack(plan, options.Slack)
	g := newGround(plan)
	defer g.end()
	if err := g.startServers(ctx, folder); err != nil {
		return nil, err
	}
	stall, watched := watchStalls(g.over)
	if g.referee, err = play.NewReferee(plan, g); err != nil {
		return nil, err
	}
	if err := g.startClients(options.Command); err != nil {
		return nil, err
	}
	outcome, err := g.loop(ctx)
	if err != nil {
		return nil, err
	}
	end := max(g.Now(), g.last+1)
	watched.Wait()
	return &Result{g.referee.Judge(string(outcome), end, g.notation.Events()), time.Duration(stall.Load())}, nil
}

// withSlack returns the plan with later liveness bounds.
func withSlack(p *plan.Plan, slack time.Duration) *plan.Plan {
	own := *p
	own.Liveness = slices.Clone(p.Liveness)
	for i := range own.Liveness {
		if g := &own.Liveness[i]; g.Each != plan.EachNever {
			g.Within = plan.Bound{Text: g.Within.Text + " + slack", Value: g.Within.Value + slack}
		}
	}
	return &own
}

// startServers starts the plan's servers and, for a lock that asks for it, lets
// them grow old enough.
func (g *ground) startServers(ctx context.Context, folder string) error {
	for _, n := range g.plan.World.Nodes {
		s, err := newServer(g, n, folder)
		if err != nil {
			return err
		}
		g.servers = append(g.servers, s)
	}
	var starting sync.WaitGroup
	errs := make([]error, len(g.servers))
	for i, s := range g.servers {
		starting.Go(func() { errs[i] = s.start() })
	}
	starting.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, s := range g.servers {
		s.up = true
	}
	if !lock.Guarded(g.plan) {
		return nil
	}
	// Redis tells its age in whole seconds; the guard asks for the largest TTL, the clock error and one second.
	age := g.plan.Lock.TTL + g.plan.Lock.TTL/20 + 3*time.Second
	select {
	case <-time.After(age):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startClients starts the clients' processes. The loop lets them begin together,
// when the last of them is ready: true time counts from then.
func (g *ground) startClients(command func() *exec.Cmd) error {
	for _, plan := range g.plan.Clients {
		g.clients = append(g.clients, &client{ground: g, name: plan.Name, follows: plan.Follows})
	}
	for _, c := range g.clients {
		var addresses []string
		for _, s := range g.servers {
			address, err := g.listen(c, s)
			if err != nil {
				return err
			}
			addresses = append(addresses, address)
		}
		if err := c.start(command(), addresses); err != nil {
			return err
		}
	}
	return g.awaitClients()
}

// readyLimit is how long clients' processes may take to be ready.
const readyLimit = 30 * time.Second

func (g *ground) awaitClients() error {
	limit := time.After(readyLimit)
	for _, c := range g.clients {
		for !c.ready {
			select {
			case c := <-g.calls:
				g.take(c)
			case <-limit:
				return fmt.Errorf("client %s was not ready after %v", c.name, readyLimit)
			}
			if g.failure != nil {
				return g.failure
			}
		}
	}
	g.origin = clock.Now()
	for _, s := range g.servers {
		if s.mode == sim.RDB {
			for _, n := range g.plan.World.Nodes {
				if n.Name == s.name && n.SnapshotEvery > 0 {
					s.snapshots(n.SnapshotEvery)
				}
			}
		}
	}
	for _, c := range g.clients {
		if c.follows == "" {
			c.begin()
		}
	}
	return nil
}

// end ends every process of the run.
func (g *ground) end() {
	select {
	case <-g.over:
	default: // the loop never began
		close(g.over)
	}
	g.starts.Wait() // no server outlives the run
	for _, c := range g.clients {
		c.end()
	}
	for _, s := range g.servers {
		for _, c := range s.connections {
			_ = c.back.Close()
		}
		if s.process != nil {
			_ = s.process.Process.Kill()
			<-s.ended
		}
		s.console.close()
	}
}

// watchStalls measures how late the machine wakes a goroutine, until over closes.
func watchStalls(over <-chan struct{}) (*atomic.Int64, *sync.WaitGroup) {
	const every = 2 * time.Millisecond
	var worst atomic.Int64
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			before := time.Now()
			select {
			case <-time.After(every):
			case <-over:
				return
			}
			worst.Store(max(worst.Load(), int64(time.Since(before)-every)))
		}
	})
	return &worst, &watching
}
