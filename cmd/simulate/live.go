package main

import (
	"context"
	"fmt"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/live"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
)

// liveFlags are what live was told.
type liveFlags struct {
	seed     uint64
	subjects []string
	parallel int
	longest  time.Duration
	attempts int
	slack    time.Duration
	out      string
}

const liveHelp = `Plays the scenarios' plans on real redis-server processes and with real client
processes, in real time, and puts the verdict beside the simulator's of the same
plan. The same faults happen (kill -9, SIGTERM, restarts, SIGSTOP, OOM; partitions,
losses and delays in a proxy), the same checker judges. Rows whose faults a real
cluster on one machine cannot suffer are listed with their reasons.

A row agrees when both runs differ from the file's expectation in the same way:
in no way at all, for a suite that is right. Time is real: a row takes as long as
its story, and rows of a guarded lock wait first for the servers to grow old.

A run in which the machine stalled for longer than a message takes, or than half a
per-node timeout, proves little: a row that disagrees in such a run is played again,
alone, when the others are done.
`

const liveExitCodes = `Exit codes:
  0    all rows that can be played agree
  1    a safety verdict, or the set of broken assumptions, is not the simulator's
  3    a liveness verdict is not the simulator's
  4    inconclusive: a bound was hit, a fault never fired, the machine stalled; or no row can be played
  2    bad usage or input
  6    redis-server is missing
  70   a bug of this program
  130  interrupted
Where several apply: 1 before 3 before 4.`

func (p *program) liveCommand() *cobra.Command {
	f := &liveFlags{}
	command := &cobra.Command{
		Use:   "live [NAME|CLAIM|FILE|FOLDER…]",
		Short: "play scenarios on real redis-servers, and compare the verdicts with the simulator's",
		Long:  liveHelp + "\n" + liveExitCodes,
		Example: `  simulate live BA-2                          real servers, restarted empty
  simulate live MX-1 --subject SY-10 --seed 3 --out D`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case f.parallel < 1 || f.parallel > 64:
				return fmt.Errorf("--parallel: found %d; allowed: 1 to 64", f.parallel)
			case f.attempts < 1 || f.attempts > 20:
				return fmt.Errorf("--attempts: found %d; allowed: 1 to 20", f.attempts)
			case f.longest < time.Second:
				return fmt.Errorf("--longest: found %v; allowed: 1s or more", f.longest)
			}
			if f.slack < 0 || f.slack > time.Minute {
				return fmt.Errorf("--slack: found %v; allowed: 0s to 1m", f.slack)
			}
			return p.live(command.Context(), f, args)
		},
	}
	command.Flags().Uint64Var(&f.seed, "seed", 1, "play the plan of this seed `N`")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only this `SUBJECT`: SY-10 (all its rows), or 'SY-10 guarded' (one); may be repeated")
	command.Flags().IntVar(&f.parallel, "parallel", 4, "rows at a time, each with servers of its own")
	command.Flags().DurationVar(&f.longest, "longest", 2*time.Minute, "leave out rows that take the simulator more than this `TIME` of its own")
	command.Flags().IntVar(&f.attempts, "attempts", 3, "play a row that disagrees while the machine stalls up to so many times")
	command.Flags().DurationVar(&f.slack, "slack", 100*time.Millisecond, "`TIME` that is added to every liveness bound: real processes also wait for their turn")
	command.Flags().StringVar(&f.out, "out", "", "`DIR` to save the runs into, for explain; replay plays their plans in the simulator")
	return command
}

// playerCommandName is the hidden command that makes this program a client.
const playerCommandName = "player"

func (p *program) playerCommand() *cobra.Command {
	return &cobra.Command{
		Use: playerCommandName, Hidden: true, Args: cobra.NoArgs,
		Short: "play one client of a live run for another simulate (JSON lines on standard input and output)",
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
			if err := live.Serve(p.in, p.out); err != nil {
				return &exitError{exitBug, err}
			}
			return nil
		},
	}
}

// live plays every chosen row twice and prints what became of it.
func (p *program) live(ctx context.Context, f *liveFlags, args []string) error {
	if _, err := live.FindServer(); err != nil {
		return &exitError{exitToolMissing, fmt.Errorf("NOT CHECKED: %w", err)}
	}
	chosen, err := selectScenarios(args)
	if err != nil {
		return err
	}
	selected, err := selectJobs(chosen, f.subjects, seedRange{first: f.seed, last: f.seed, given: true})
	if err != nil {
		return err
	}
	if err := selected.nothingPlayed(); err != nil {
		return err
	}
	jobs := selected.jobs
	writeNotApplicable(p.out, selected.notApplicable)
	if f.out != "" {
		if err := saveInto(jobs, f.out); err != nil {
			return err
		}
	}
	rows := make([]*liveRow, len(jobs))
	for i := range jobs {
		if rows[i], err = p.simulated(f, &jobs[i]); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	line := newProgress(p.err, "played", len(rows))
	var playing sync.WaitGroup
	places := make(chan struct{}, f.parallel)
	for _, row := range rows {
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if row.reason == "" && ctx.Err() == nil {
				p.playLive(ctx, f, row)
			}
			line.step()
		})
	}
	playing.Wait()
	line.end()
	for _, row := range rows { // one at a time, while the machine has nothing else to do
		for row.doubtful() && row.attempts < f.attempts && ctx.Err() == nil {
			p.playLive(ctx, f, row)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.printLive(rows)
}

// simulated plays a row in the simulator, and says whether it can be played here.
func (p *program) simulated(f *liveFlags, job *campaign.Job) (*liveRow, error) {
	plan, err := job.Scenario.Plan(job.Subject, f.seed)
	if err != nil {
		return nil, err
	}
	row := &liveRow{job: job, plan: plan}
	if reasons := live.Unplayable(plan); len(reasons) > 0 {
		row.reason = joinReasons(reasons)
		return row, nil
	}
	run, err := p.laboratory(plan, campaign.Options{Scripts: "native", Processor: time.Minute})
	if err != nil {
		return nil, &exitError{exitBug, err}
	}
	if end := run.History.Header.EndNS; time.Duration(end) > f.longest {
		row.reason = fmt.Sprintf("it takes %v of time; allowed by --longest: %v", time.Duration(end).Round(time.Second), f.longest)
	}
	row.simulated = campaign.NewReport(run)
	return row, nil
}

// playLive plays a row on real servers once.
func (p *program) playLive(ctx context.Context, f *liveFlags, row *liveRow) {
	row.attempts++
	begin := time.Now()
	result, err := live.Play(ctx, row.plan, live.Options{Command: p.player, Slack: f.slack})
	row.took, row.failure = time.Since(begin), err
	if err != nil {
		return
	}
	run := &play.Result{
		// Without the plan's hash: this trace is not the one that a replay must make.
		Plan: row.plan, Outcome: result.Outcome, Events: result.Events, History: result.History, Verdict: result.Verdict, Fired: result.Fired,
	}
	row.live, row.stall = campaign.NewReport(run), result.Stall
	if row.job.Save != "" {
		row.failure = saved.Write(run, filepath.Clean(row.job.Save))
	}
}

// player makes the process of one client: this program again.
func (p *program) player() *exec.Cmd {
	command := p.worker()
	command.Args[len(command.Args)-1] = playerCommandName
	return command
}
