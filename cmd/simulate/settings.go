package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
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
	flags := command.Flags()
	flags.StringVar(&f.scripts, "scripts", "native",
		"`KIND` of the locks' scripts on the nodes: native (fast) or lua (interpreted), with the same traces")
	flags.IntVar(&f.workers, "workers", runtime.NumCPU(), "worker processes at a time")
	flags.DurationVar(&f.runLimit, "run-limit", 20*time.Second, "processor `TIME` after which a run is stopped and inconclusive")
}

// apply checks the flags, and makes the settings of the program of them.
func (f *playFlags) apply(p *program) error {
	if f.scripts != "native" && f.scripts != "lua" {
		return fmt.Errorf("--scripts: found %q; allowed: native, lua", f.scripts)
	}
	slip := cmp.Or(within("workers", f.workers, 1, 1024), within("run-limit", f.runLimit, 10*time.Millisecond, time.Hour))
	if slip != nil {
		return slip
	}
	debug.SetGCPercent(playersGarbage)
	p.settings = campaign.Settings{
		Workers: f.workers, Limit: f.runLimit + killAfter,
		Options: play.RunOptions{Scripts: f.scripts, Processor: f.runLimit},
		Command: func(ctx context.Context, patch string) (*exec.Cmd, error) {
			if patch == overlay.Carried {
				return p.worker(), nil
			}
			path, err := p.patched.Path(ctx, patch)
			return exec.Command(path, workerCommand), err
		},
	}
	p.settings = p.settings.WithEnvironment(workerEnvironment...)
	return nil
}

// within checks the number of a flag.
func within[T cmp.Ordered](flag string, found, low, high T) error {
	if found < low || found > high {
		return fmt.Errorf("--%s: found %v; allowed: %v to %v", flag, found, low, high)
	}
	return nil
}

// playersGarbage is GOGC while workers play: a small heap that stays as large as
// it is, however long the campaign, for a hundredth of the work.
const playersGarbage = 25

// workerEnvironment is what worker processes are started with. Runs are short and
// leave nothing behind: collecting less often is a fifth faster, and so is starting
// goroutines with the stack that most of them come to need.
var workerEnvironment = []string{"GOMAXPROCS=1", "GOGC=400", "GODEBUG=adaptivestackstart=1"}

// play plays jobs and shows how many of the runs are done.
func (p *program) play(
	ctx context.Context, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Summary),
) error {
	return p.playAs(ctx, "played", settings, jobs, report)
}

// playAs is play with another verb for what is done with a run.
func (p *program) playAs(
	ctx context.Context, verb string, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Summary),
) error {
	line := tables.NewProgress(p.err, verb, campaign.Runs(jobs))
	defer line.End()
	return campaign.Play(ctx, settings, jobs, func(r campaign.Summary) {
		report(r)
		line.Step()
	})
}

// playPlan plays a plan in a worker, and saves its run in a folder; "" is none.
func (p *program) playPlan(ctx context.Context, played *plan.Plan, dir string) (campaign.Summary, error) {
	job := campaign.PlanJob(played)
	job.Save = dir
	return campaign.PlayOne(ctx, p.settings, job)
}

// progress shows how many of so many things are done.
func (p *program) progress(verb, unit string, total int) (step, end func()) {
	line := tables.NewProgress(p.err, verb, total)
	line.Unit = unit
	return line.Step, line.End
}

// again is a command line with an argument, unless that is empty, and those of the flags that were given.
func again(command *cobra.Command, argument string, flags ...string) string {
	text := "./simulate " + command.Name()
	if argument != "" {
		text += " " + campaign.Quote(argument)
	}
	for _, name := range flags {
		flag := command.Flags().Lookup(name)
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			if values = several.GetSlice(); flag.Value.Type() == "stringSlice" {
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, value := range values {
			if flag.Changed && value != "" {
				text += " --" + name + " " + campaign.Quote(value)
			}
		}
	}
	return text
}

func (p *program) printJSON(value any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
