package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/live"
	"redlocklab/scenarios/plan"
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
	jobs, notApplicable, err := selectJobs(chosen, f.subjects, seedRange{Seeds: plan.Seeds{First: f.seed, Last: f.seed}, given: true})
	if err != nil {
		return err
	}
	fmt.Fprint(p.out, notApplicable)
	if f.out != "" {
		if err := saveInto(jobs, f.out); err != nil {
			return err
		}
	}
	line := newProgress(p.err, "played", len(jobs))
	rows, err := live.Compare(ctx, jobs, live.CompareOptions{
		Options:  live.Options{Command: p.player, Slack: f.slack},
		Simulate: p.laboratory, Seed: f.seed, Parallel: f.parallel, Longest: f.longest, Attempts: f.attempts,
	}, line.step)
	line.end()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return bug(err)
	}
	return p.printLive(rows)
}

// player makes the process of one client: this program again.
func (p *program) player() *exec.Cmd {
	command := p.worker()
	command.Args[len(command.Args)-1] = playerCommandName
	return command
}

// verdictText says on one line what a run showed.
func verdictText(r *campaign.Report) string {
	text := r.Answers.String()
	if len(r.Broken) > 0 {
		text += " (" + strings.Join(r.Broken, ", ") + " broken)"
	}
	return text
}

func marginText(r *campaign.Report) string {
	if r.MarginNS == nil {
		return "none"
	}
	return time.Duration(*r.MarginNS).Round(time.Microsecond).String()
}

// printLive prints the two verdicts of every row beside each other, what they
// disagree in, and what was not played.
func (p *program) printLive(rows []*live.Comparison) error {
	table := p.table("SCENARIO", "SUBJECT", "SIMULATED", "REAL SERVERS", "MARGIN SIMULATED", "REAL", "TOOK", "RESULT")
	agree, disagree, left := 0, 0, 0
	worst := exitExpected
	for _, r := range rows {
		if r.Reason != "" {
			left++
			continue
		}
		shown, result := verdictText(&r.Real), "agrees"
		if r.Failure != nil {
			shown = "none"
		}
		if d := r.Differences(); len(d) > 0 {
			disagree++
			result = "DISAGREES"
			for i := range d {
				worst = worse(worst, d[i].Class.ExitCode())
			}
		} else {
			agree++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%.1fs\t%s\n", r.Job.Scenario.Name, r.Job.Subject, verdictText(&r.Simulated), shown,
			marginText(&r.Simulated), marginText(&r.Real), r.Took.Seconds(), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Reason != "" {
			continue
		}
		if differences := r.Differences(); len(differences) > 0 {
			fmt.Fprintf(p.out, "\n%s %s (the longest stall of the machine: %v; played %d times):\n", r.Job.Scenario.Name, r.Job.Subject, r.Stall.Round(time.Millisecond), r.Attempts)
			for _, d := range differences {
				fmt.Fprintf(p.out, "  %s: %s\n", d.Class, d.Text)
			}
			fmt.Fprintf(p.out, "  again: ./simulate live %s --subject '%s' --seed %d --out out/live\n", r.Job.Scenario.Name, r.Job.Subject, r.Plan.Seed)
		}
	}
	p.printLeftOut(rows)
	fmt.Fprintf(p.out, "%d agree, %d not; %d cannot be played here\n", agree, disagree, left)
	if agree+disagree == 0 {
		return &exitError{exitInconclusive, errors.New("nothing was played: no chosen row can be played here")}
	}
	return exit(worst)
}

// printLeftOut lists what was not played, by reason.
func (p *program) printLeftOut(rows []*live.Comparison) {
	byReason := map[string][]string{}
	var reasons []string
	for _, r := range rows {
		if r.Reason == "" {
			continue
		}
		if byReason[r.Reason] == nil {
			reasons = append(reasons, r.Reason)
		}
		if names := byReason[r.Reason]; !slices.Contains(names, r.Job.Scenario.Name) {
			byReason[r.Reason] = append(names, r.Job.Scenario.Name)
		}
	}
	for _, reason := range reasons {
		fmt.Fprintf(p.out, "not played: %s (%s)\n", strings.Join(byReason[reason], ", "), reason)
	}
}
