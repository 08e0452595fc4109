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

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// ErrNoServer says that redis-server is not on PATH.
var ErrNoServer = errors.New("redis-server is not on PATH (Debian: apt-get install redis-server)")

// FindServer returns the path of redis-server, or ErrNoServer.
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
	// only, and a real process also waits for a processor.
	Slack time.Duration
}

// Result is a run on real servers, with its verdict.
type Result struct {
	*play.Result
	// Stall is the longest time by which the machine was late to wake a goroutine.
	// One much longer than a per-node timeout can change a run.
	Stall time.Duration
}

// Play plays a plan once, in real time. Errors are failures of the laboratory, and
// ctx's; whatever the lock does is in the result.
func Play(ctx context.Context, p *plan.Plan, options Options) (*Result, error) {
	if reasons := Unplayable(p); len(reasons) > 0 {
		return nil, fmt.Errorf("%s cannot be played on real servers: %s", p.Scenario, strings.Join(reasons, "; "))
	}
	if _, err := FindServer(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "redlocklab-live-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cl := newCluster(withSlack(p, options.Slack))
	defer cl.end()
	if err := cl.startServers(ctx, folder); err != nil {
		return nil, err
	}
	stall, watching := watchStalls(cl.over)
	if cl.referee, err = play.NewReferee(cl.plan, cl); err != nil {
		return nil, err
	}
	if err := cl.startClients(options.Command); err != nil {
		return nil, err
	}
	outcome, err := cl.loop(ctx)
	if err != nil {
		return nil, err
	}
	end := max(cl.Now(), cl.last+1)
	watching.Wait()
	return &Result{cl.referee.Judge(string(outcome), end, cl.notation.Events()), time.Duration(stall.Load())}, nil
}

// withSlack returns the plan with later liveness bounds.
func withSlack(p *plan.Plan, slack time.Duration) *plan.Plan {
	own := *p
	own.Liveness = slices.Clone(p.Liveness)
	for i := range own.Liveness {
		if goal := &own.Liveness[i]; goal.Each != plan.EachNever {
			goal.Within = plan.Bound{Text: goal.Within.Text + " + slack", Value: goal.Within.Value + slack}
		}
	}
	return &own
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
