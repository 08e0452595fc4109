package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// exploreFlags are what explore was told.
type exploreFlags struct {
	playFlags
	runs     int
	seed     uint64
	strategy string
	subject  string
	options  []string
	breaks   []string
	expect   string
	out      string
	resume   string
}

func exploreHelp() string {
	text := `Plays runs that are drawn from numbers: how many nodes, which latencies, what the
clients do, and which faults happen. A run breaks only the assumptions that --break
allows, none by default: every violation is then a bug of the lock.

The first violation of each oracle with each set of broken assumptions is made as
small as it goes, told in plain words, and saved as a run that "simulate replay"
reproduces; certificate.json beside it says what became of the run when each
fault was taken away. Of a single run (--runs 1) all that was drawn for it is
printed, whatever it shows.

Strategies:
`
	for _, s := range search.Strategies() {
		text += fmt.Sprintf("  %-12s %s\n", s.Name, s.Doc)
	}
	return text + `
Ctrl-C finishes the runs in flight, keeps what is done, and prints the command
that goes on.

Exit codes:
  0    no violation, or none without a broken assumption
  1    a violation although every assumption was kept; with --expect violated: none
       found, or with --break one that breaks nothing
  4    some run was inconclusive, no run came to one of the telling moments that a
       search must come to, or runs are left of an enumeration; and nothing worse
  2    bad usage
  70   a bug of this program
  130  interrupted`
}

func (p *program) exploreCommand() *cobra.Command {
	f := &exploreFlags{}
	command := &cobra.Command{
		Use:   "explore",
		Short: "look for violations in runs that are drawn from numbers",
		Long:  exploreHelp(),
		Example: `  simulate explore --runs 20000
  simulate explore --subject SY-0 --break A-VOTE --runs 2000 --expect violated --out D
  simulate explore --subject half-quorum --strategy random  a planted bug
  simulate explore --subject redlock:quorum-off-by-one      … in package redlock itself`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if f.resume == "" {
				return p.explore(command.Context(), f)
			}
			for _, other := range []string{"runs", "seed", "strategy", "subject", "option", "break", "expect", "out", "scripts"} {
				if command.Flags().Changed(other) {
					return fmt.Errorf("found --%s beside --resume; allowed: --workers and --run-limit, for the rest is what the interrupted exploration was told", other)
				}
			}
			return p.resumeExplore(command.Context(), f)
		},
	}
	flags := command.Flags()
	flags.IntVar(&f.runs, "runs", 1000, "how many runs to play, at most")
	flags.Uint64Var(&f.seed, "seed", 1, "number `N` that the search is drawn from; where each run is drawn by itself it is the first one's, and the others follow")
	flags.StringVar(&f.strategy, "strategy", search.StrategyNames()[0], "`NAME` of the strategy that chooses the runs")
	flags.StringVar(&f.subject, "subject", "SY-10", "the `SUBJECT` under test: a lock, or a planted bug that mutants lists")
	flags.StringArrayVar(&f.options, "option", nil, "`NAME=VALUE` of one of the subject's options; may be repeated")
	flags.StringSliceVar(&f.breaks, "break", nil, "`ASSUMPTIONS` that runs may break: "+strings.Join(search.Breakable(), ", "))
	flags.StringVar(&f.expect, "expect", "", "`violated`: it is a failure to find no violation")
	flags.StringVar(&f.out, "out", "", "`DIR` to save what was found into; default: a new folder below out, when something was found")
	flags.StringVar(&f.resume, "resume", "", "go on with the interrupted exploration whose state is in `DIR`")
	f.playFlags.add(command)
	return command
}

// told checks the flags.
func (f *exploreFlags) told() (told, error) {
	for i := range f.breaks {
		f.breaks[i] = strings.TrimSpace(f.breaks[i])
	}
	t := told{
		Version: explorationVersion, Strategy: f.strategy, Seed: f.seed, Runs: f.runs, Expect: f.expect, Scripts: f.scripts,
		Options: search.Options{Subject: f.subject, Break: f.breaks},
	}
	if m, planted := search.FindMutant(f.subject); planted {
		t.Options = m.Options()
		for _, id := range f.breaks {
			if !slices.Contains(m.Break, id) {
				t.Options.Break = append(t.Options.Break, id)
			}
		}
	} else {
		suite, err := scenarios.Suite()
		if err != nil {
			return t, err
		}
		d, options, err := plan.OneSubject(f.subject, suite)
		if err != nil {
			return t, fmt.Errorf("--subject: %w; or a planted bug that mutants lists", err)
		}
		t.Options.Subject, t.Options.Settings = d.Name, options
	}
	switch {
	case f.runs < 1 || f.runs > 10_000_000:
		return t, fmt.Errorf("--runs: found %d; allowed: 1 to 10000000", f.runs)
	case f.expect != "" && f.expect != "violated":
		return t, fmt.Errorf("--expect: found %q; allowed: violated", f.expect)
	}
	for _, text := range f.options {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return t, fmt.Errorf("--option: found %q; allowed: NAME=VALUE", text)
		}
		same := func(o plan.Option) bool { return o.Name == name }
		if slices.ContainsFunc(t.Options.Settings, same) {
			return t, fmt.Errorf("--option: found %s, which --subject or another --option sets already; allowed: once", name)
		}
		t.Options.Settings = append(t.Options.Settings, plan.Option{Name: name, Value: value})
	}
	return t, nil
}

// explore begins an exploration.
func (p *program) explore(ctx context.Context, f *exploreFlags) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	state := &explorationState{}
	if state.told, err = f.told(); err != nil {
		return err
	}
	strategy, err := search.Start(state.told.Strategy, state.told.Seed, state.told.Options)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := startsFresh(f.out); err != nil {
			return err
		}
		if err := state.keep(f.out); err != nil {
			return err
		}
	}
	return p.exploreOn(ctx, settings, state, strategy)
}

// resumeExplore goes on with an interrupted exploration.
func (p *program) resumeExplore(ctx context.Context, f *exploreFlags) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	state, err := resumeExploration(f.resume)
	if err != nil {
		return err
	}
	settings.Options.Scripts = state.told.Scripts
	strategy, err := search.Start(state.told.Strategy, state.told.Seed, state.told.Options)
	if err != nil {
		return err
	}
	return p.exploreOn(ctx, settings, state, strategy)
}

// exploreOn plays what is left of an exploration and prints what became of all of it.
func (p *program) exploreOn(ctx context.Context, settings campaign.Settings, state *explorationState, strategy search.Strategy) error {
	told := &state.told
	settings, err := p.carrying(ctx, settings, told.Options.Patch())
	if err != nil {
		return errors.Join(err, state.close())
	}
	e := &exploration{strategy: strategy, runs: told.Runs, known: map[int]explored{}, keep: state.add}
	for _, x := range state.done {
		e.known[x.Run] = x
	}
	line := newProgress(p.err, "played", e.runs)
	err = p.playDrawn(ctx, settings, e, line)
	line.end()
	switch {
	case err != nil && ctx.Err() != nil:
		return explorationInterrupted(state)
	case err != nil:
		return errors.Join(err, state.close())
	}
	if err := state.close(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d runs of %s, strategy %s from seed %d, allowed to break: %s\n",
		e.played, told.Options.Subject, told.Strategy, told.Seed, listed(told.Options.Break))
	e.writeCounts(p.out)
	e.writeMoments(p.out)
	if e.played == 1 {
		fmt.Fprintf(p.out, "\n%s\n", search.Knobs(e.last))
	}
	missing := 0
	if finite, ok := strategy.(search.Finite); ok {
		missing = finite.Total() - e.played
		fmt.Fprintf(p.out, "%d of the %d runs that there are, up to what commutes\n", e.played, finite.Total())
	}
	if search.Covers(told.Strategy) {
		for _, m := range coverage.Missing(e.moments, told.Options.Break) {
			missing++
			fmt.Fprintf(p.out, "missed: %s: %s\n", m.Name, m.Doc)
		}
	}
	if err := p.showFindings(ctx, settings, e, state.dir); err != nil {
		return err
	}
	return exit(e.exitCode(told.Expect == "violated", len(told.Options.Break) > 0, missing))
}

// explorationInterrupted keeps what is done and says how to go on.
func explorationInterrupted(state *explorationState) error {
	var err error
	if state.dir == "" {
		var dir string
		if dir, err = newFolder("out", "interrupted-"); err == nil {
			err = state.keep(dir)
		}
	}
	if err = errors.Join(err, state.close()); err != nil {
		return &exitError{exitInterrupted, fmt.Errorf("interrupted, and what is done could not be kept: %w", err)}
	}
	return &exitError{exitInterrupted, fmt.Errorf("interrupted; %d runs are kept. Go on with:\n  ./simulate explore --resume %s", len(state.done), state.dir)}
}

// playDrawn plays an exploration's runs, a batch at a time, until it has what it wants.
func (p *program) playDrawn(ctx context.Context, settings campaign.Settings, e *exploration, line *progress) error {
	for {
		b, err := e.next()
		if err != nil || b == nil {
			return err
		}
		begun := e.played
		if err := p.playing(ctx, settings, b.jobs, func(r campaign.Report) {
			x := newExplored(&r)
			b.results[x.Run-begun-1] = x
			if e.keep != nil {
				e.keep(x)
			}
			line.step()
		}); err != nil {
			return err
		}
		line.skip(len(b.plans) - len(b.jobs))
		e.take(b)
	}
}

// listed joins names for a sentence.
func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}
