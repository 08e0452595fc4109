package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/overlay"
)

// playFlags are the flags of every command that plays runs.
type playFlags struct {
	scripts  string
	workers  int
	runLimit time.Duration
}

// killAfter is how much longer than its limit a run may take before its worker
// ends: a run that is not stuck ends by itself at the limit.
const killAfter = 2 * time.Second

func (f *playFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&f.scripts, "scripts", "native", "`KIND` of the locks' scripts on the nodes: native (fast) or lua (interpreted); the traces are the same")
	command.Flags().IntVar(&f.workers, "workers", runtime.NumCPU(), "worker processes at a time")
	command.Flags().DurationVar(&f.runLimit, "run-limit", 20*time.Second, "processor `TIME` that one run may take before it is stopped and counts as inconclusive")
}

// settings checks the flags.
func (f *playFlags) settings(p *program) (campaign.Settings, error) {
	switch {
	case f.scripts != "native" && f.scripts != "lua":
		return campaign.Settings{}, fmt.Errorf("--scripts: found %q; allowed: native, lua", f.scripts)
	case f.workers < 1 || f.workers > 1024:
		return campaign.Settings{}, fmt.Errorf("--workers: found %d; allowed: 1 to 1024", f.workers)
	case f.runLimit < 10*time.Millisecond || f.runLimit > time.Hour:
		return campaign.Settings{}, fmt.Errorf("--run-limit: found %v; allowed: 10ms to 1h", f.runLimit)
	}
	debug.SetGCPercent(playersGarbage)
	settings := campaign.Settings{
		Workers: f.workers, Limit: f.runLimit + killAfter,
		Options: campaign.Options{Scripts: f.scripts, Processor: f.runLimit},
		Command: func(ctx context.Context, patch string) (*exec.Cmd, error) {
			if patch == overlay.Carried {
				return p.worker(), nil
			}
			path, err := p.patched.Path(ctx, patch)
			return exec.Command(path, workerCommand), err
		},
	}
	return settings.WithEnvironment(workerEnvironment...), nil
}

// playersGarbage is GOGC while workers play: a small heap that stays as large as
// it is, however long the campaign, for a hundredth of the work.
const playersGarbage = 25

// workerEnvironment is what worker processes are started with. Runs are short and
// leave nothing behind: collecting less often is a fifth faster, and so is starting
// goroutines with the stack that most of them come to need.
var workerEnvironment = []string{"GOMAXPROCS=1", "GOGC=400", "GODEBUG=adaptivestackstart=1"}
