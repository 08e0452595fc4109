package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/live"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
)

type liveFlags struct {
	live.CompareOptions
	subjects []string
	out      string
}

func (p *program) liveCommand() *cobra.Command {
	f := &liveFlags{}
	command := &cobra.Command{
		Use:   "live [NAME|CLAIM|FILE|FOLDER…]",
		Short: "play scenarios on real redis-servers, and compare the verdicts with the simulator's",
		Long: `Plays the scenarios' plans on real redis-server processes with real client processes, in
real time, and compares each verdict with the simulator's of the same plan. The same
faults happen: kill -9, SIGTERM, restarts, SIGSTOP, OOM; partitions, losses and delays in
a proxy. The same checker judges. Rows that one machine cannot play are listed with
their reasons.

A row agrees when both runs differ from the file's expectation in the same way; in a
correct suite neither differs. A row takes as long as its scenario does in real time. Rows
of a guarded lock first wait until the servers are old enough.

A run proves little if the machine stalled for longer than a message's latency, or than
half a per-node timeout. If a row disagrees in such a run, it is played again, alone.
` + exitCodes(`
  0    all rows that can be played agree
  1    a safety verdict, or the set of broken assumptions, differs from the simulator's
  3    a liveness verdict differs from the simulator's
  4    a bound was hit, a fault never fired, or no row can be played
  6    redis-server is missing`) + `
The first of 1, 3, 4 that applies is returned.`,
		Example: `  simulate live BA-2                          # real servers, restarted empty
  simulate live MX-1 --subject SY-10 --seed 3 --out D`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			slip := cmp.Or(within("parallel", f.Parallel, 1, 64), within("attempts", f.Attempts, 1, 20),
				within("longest", f.Longest, time.Second, 24*time.Hour), within("slack", f.Slack, 0, time.Minute))
			if slip != nil {
				return slip
			}
			return p.live(command.Context(), f, args)
		},
	}
	flags := command.Flags()
	flags.Uint64Var(&f.Seed, "seed", 1, "play the plan of this seed `N`")
	flags.StringSliceVar(&f.subjects, "subject", nil,
		"play only this `SUBJECT`: SY-10 (all its rows), or 'SY-10 guarded' (one); may be repeated")
	flags.IntVar(&f.Parallel, "parallel", 4, "rows at a time, each with servers of its own")
	flags.DurationVar(&f.Longest, "longest", 2*time.Minute, "leave out rows that take more than this `TIME` in the simulator")
	flags.IntVar(&f.Attempts, "attempts", 3, "how often to play a row that disagrees while the machine stalls, at most")
	flags.DurationVar(&f.Slack, "slack", 100*time.Millisecond,
		"`TIME` to add to every liveness bound, because real processes wait for a processor")
	flags.StringVar(&f.out, "out", "", "`DIR` for the runs; explain tells them, replay plays their plans in the simulator")
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
			return bug(live.Serve(p.in, p.out))
		},
	}
}

// live plays every chosen row in the simulator and on real servers, and prints both verdicts.
func (p *program) live(ctx context.Context, f *liveFlags, args []string) error {
	if _, err := live.FindServer(); err != nil {
		return &exitError{exitToolMissing, fmt.Errorf("NOT CHECKED: %w", err)}
	}
	jobs, notApplicable, err := chooseJobs(args, nil, f.subjects, oneSeed(f.Seed))
	if err != nil {
		return err
	}
	fmt.Fprint(p.out, notApplicable)
	if f.out != "" {
		if err := saveInto(jobs, f.out); err != nil {
			return err
		}
	}
	line := tables.NewProgress(p.err, "played", len(jobs))
	f.Command, f.Simulate = p.player, p.laboratory
	rows, err := live.Compare(ctx, jobs, f.CompareOptions, line.Step)
	line.End()
	if err = cmp.Or(ctx.Err(), bug(err)); err != nil {
		return err
	}
	return p.printLive(rows)
}

// player makes the process of one client: this program again.
func (p *program) player() *exec.Cmd {
	command := p.worker()
	command.Args[len(command.Args)-1] = playerCommandName
	return command
}

// verdictText is the verdict of a run on one line.
func verdictText(r *campaign.Summary) string {
	text := r.Answers.String()
	if len(r.Broken) > 0 {
		text += " (" + strings.Join(r.Broken, ", ") + " broken)"
	}
	return text
}

func marginText(r *campaign.Summary) string {
	if r.MarginNS == nil {
		return "none"
	}
	return time.Duration(*r.MarginNS).Round(time.Microsecond).String()
}

// printLive prints the two verdicts of every row beside each other, then the
// differences, then what was not played.
func (p *program) printLive(rows []*live.Comparison) error {
	table := tables.New(p.out, "SCENARIO", "SUBJECT", "SIMULATED", "REAL SERVERS", "MARGIN SIMULATED", "REAL", "TOOK", "RESULT")
	var differences strings.Builder
	var notPlayed reasons
	agree, disagree, worst := 0, 0, exitExpected
	for _, r := range rows {
		scenario := r.Job.Scenario.Name
		if r.Reason != "" {
			notPlayed.add(r.Reason, scenario)
			continue
		}
		shown, result, found := verdictText(&r.Real), "agrees", r.Differences()
		if r.Failure != nil {
			shown = "none"
		}
		if len(found) == 0 {
			agree++
		} else {
			disagree++
			result = "DISAGREES"
			fmt.Fprintf(&differences, "\n%s %s (the machine stalled for up to %v; played %d times):\n",
				scenario, r.Job.Subject, r.Stall.Round(time.Millisecond), r.Attempts)
			for _, d := range found {
				worst = worse(worst, d.Class.ExitCode())
				fmt.Fprintf(&differences, "  %s: %s\n", d.Class, d.Text)
			}
			fmt.Fprintf(&differences, "  again: ./simulate live %s --subject '%s' --seed %d --out out/live\n",
				scenario, r.Job.Subject, r.Plan.Seed)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%.1fs\t%s\n", scenario, r.Job.Subject,
			verdictText(&r.Simulated), shown, marginText(&r.Simulated), marginText(&r.Real), r.Took.Seconds(), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprint(p.out, &differences)
	for _, r := range notPlayed {
		fmt.Fprintf(p.out, "not played: %s (%s)\n", strings.Join(r.scenarios, ", "), r.why)
	}
	fmt.Fprintf(p.out, "%d agree, %d not; %d cannot be played here\n", agree, disagree, len(rows)-agree-disagree)
	if agree+disagree == 0 {
		return &exitError{exitInconclusive, errors.New("nothing was played: no chosen row can be played here")}
	}
	return exit(worst)
}
