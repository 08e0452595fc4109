package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

// exploreFlags are what explore was told.
type exploreFlags struct {
	playFlags
	runs    int
	seed    uint64
	subject string
	options []string
	breaks  []string
	expect  string
	out     string
}

const exploreHelp = `Plays runs that are drawn from numbers: how many nodes, which latencies, what the
clients do, and which faults happen. A run breaks only the assumptions that --break
allows, none by default: every violation is then a bug of the lock.

The first violation of each oracle with each set of broken assumptions is made as
small as it goes, told in plain words, and saved as a run that "simulate replay"
reproduces; certificate.json beside it says what became of the run when each
fault was taken away.

Exit codes:
  0    no violation, or none without a broken assumption
  1    a violation although every assumption was kept; with --expect violated: none found at all
  4    some run was inconclusive, and nothing worse
  2    bad usage
  70   a bug of this program
  130  interrupted`

func (p *program) exploreCommand() *cobra.Command {
	f := &exploreFlags{}
	command := &cobra.Command{
		Use:   "explore",
		Short: "look for violations in runs that are drawn from numbers",
		Long:  exploreHelp,
		Example: `  simulate explore --runs 20000
  simulate explore --subject SY-0 --break A-VOTE --runs 2000 --expect violated --out D
  simulate explore --subject SY-0 --option bug=half-quorum`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return p.explore(command.Context(), f) },
	}
	command.Flags().IntVar(&f.runs, "runs", 1000, "how many runs to play")
	command.Flags().Uint64Var(&f.seed, "seed", 1, "number `N` that the first run is drawn from; the others follow")
	command.Flags().StringVar(&f.subject, "subject", "SY-10", "the `SUBJECT` under test")
	command.Flags().StringArrayVar(&f.options, "option", nil, "`NAME=VALUE` of one of the subject's options; may be repeated")
	command.Flags().StringSliceVar(&f.breaks, "break", nil, "`ASSUMPTIONS` that runs may break: "+strings.Join(search.Breakable(), ", "))
	command.Flags().StringVar(&f.expect, "expect", "", "`violated`: it is a failure to find no violation")
	command.Flags().StringVar(&f.out, "out", "", "`DIR` to save what was found into; default: a new folder below out, when something was found")
	f.playFlags.add(command)
	return command
}

// searchOptions checks the flags.
func (f *exploreFlags) searchOptions() (search.Options, error) {
	o := search.Options{Subject: f.subject, Break: f.breaks}
	switch {
	case f.runs < 1 || f.runs > 10_000_000:
		return o, fmt.Errorf("--runs: found %d; allowed: 1 to 10000000", f.runs)
	case f.expect != "" && f.expect != "violated":
		return o, fmt.Errorf("--expect: found %q; allowed: violated", f.expect)
	}
	for _, text := range f.options {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return o, fmt.Errorf("--option: found %q; allowed: NAME=VALUE", text)
		}
		o.Settings = append(o.Settings, scenarios.Option{Name: name, Value: value})
	}
	return o, o.Validate()
}

func (p *program) explore(ctx context.Context, f *exploreFlags) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	options, err := f.searchOptions()
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := startsFresh(f.out); err != nil {
			return err
		}
	}
	e := &exploration{options: options, first: f.seed, runs: f.runs}
	if err := p.playDrawn(ctx, settings, e); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d runs of %s from seed %d, allowed to break: %s\n", e.played, f.subject, f.seed, listed(f.breaks))
	e.writeCounts(p.out)
	if err := p.showFindings(ctx, settings, e, f.out); err != nil {
		return err
	}
	return exit(e.exitCode(f.expect == "violated"))
}

// playDrawn plays an exploration's runs, a part at a time, until it has what it wants.
func (p *program) playDrawn(ctx context.Context, settings campaign.Settings, e *exploration) error {
	line := newProgress(p.err, "played", e.runs)
	defer line.end()
	for e.played < e.runs && (e.enough == nil || !e.enough(e)) {
		jobs, err := e.next()
		if err != nil {
			return err
		}
		bug := ""
		err = campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
			line.step()
			e.take(r)
			if bug == "" {
				bug = r.Panic
			}
		})
		switch {
		case err != nil:
			return &exitError{exitBug, err}
		case bug != "":
			p.bug(bug)
			return exit(exitBug)
		case ctx.Err() != nil:
			return &exitError{exitInterrupted, fmt.Errorf("interrupted after %d runs", e.played)}
		}
	}
	return nil
}

// listed joins names for a sentence.
func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}
