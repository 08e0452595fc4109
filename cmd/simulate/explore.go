package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/findings"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

type exploreFlags struct {
	playFlags
	journalFlags
	explorationSpec
	subject         string
	options, breaks []string
	state           string
}

// explorationSpec is all that the runs of an exploration depend on.
type explorationSpec struct {
	Strategy string       `json:"strategy"`
	Seed     uint64       `json:"seed"`
	Runs     int          `json:"runs"`
	Options  search.Trial `json:"options"`
	Expect   string       `json:"expect,omitempty"`
	Scripts  string       `json:"scripts"`
}

func exploreHelp() string {
	text := `Plays drawn runs: one number decides the nodes, the latencies, the clients'
operations and the faults of a run. A run breaks only the assumptions that --break allows,
none by default: every violation is then a bug of the lock.

It finds the causes of a violation by healing breaks; see "simulate why". For each oracle and
each set of broken assumptions, it shrinks, explains and saves the first violation; see
"simulate shrink". It does the same with the first violation that no broken assumption causes:
the lock's own bug. For a single run (--runs 1) it prints the whole drawn plan.

Strategies:
`
	for _, s := range search.Strategies() {
		text += fmt.Sprintf("  %-12s %s\n", s.Name, s.Doc)
	}
	return text + "\n" + interruptHelp + summaryHelp + exitCodes(`
  0    no violation, or only violations with a broken assumption as their cause
  1    a violation that is the lock's own bug; with --expect violated: no
violation, or with --break a violation without a broken assumption
  4    some run was inconclusive, or no run reached one of the coverage points;
and nothing worse`)
}

func (p *program) exploreCommand() *cobra.Command {
	f := &exploreFlags{}
	command := &cobra.Command{
		Use:   "explore",
		Short: "look for violations in drawn runs",
		Long:  exploreHelp(),
		Example: `  simulate explore --runs 20000
  simulate explore --subject SY-0 --break A-VOTE --runs 2000 --expect violated --out D
  simulate explore --subject half-quorum --strategy random    # a planted bug
  simulate explore --subject redlock:quorum-off-by-one        # in package redlock itself`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			resumed, err := f.resumed(command, nil, "runs", "seed", "strategy", "subject", "option", "break", "expect")
			if err != nil {
				return err
			}
			if !resumed {
				if err := f.choose(); err != nil {
					return err
				}
			}
			return p.summarized("explore", false, func() error { return p.explore(command.Context(), f) })
		},
	}
	flags := command.Flags()
	flags.IntVar(&f.Runs, "runs", 1000, "how many runs to play, at most")
	flags.Uint64Var(&f.Seed, "seed", 1, "number `N` of the first run; the others follow")
	flags.StringVar(&f.Strategy, "strategy", search.StrategyNames()[0], "`NAME` of the strategy that draws the runs")
	flags.StringVar(&f.subject, "subject", "SY-10", "the `SUBJECT` under test: a lock, or a planted bug that mutants lists")
	flags.StringArrayVar(&f.options, "option", nil, "`NAME=VALUE` of one of the subject's options; may be repeated")
	flags.StringSliceVar(&f.breaks, "break", nil, "`ASSUMPTIONS` that runs may break: "+strings.Join(checker.Assumptions(), ", "))
	flags.StringVar(&f.Expect, "expect", "", "`violated`: finding no violation is a failure")
	stateFlag(command, &f.state)
	f.journalFlags.addShard(command, "the journal and the findings; default a new folder below out, when there is a finding")
	f.playFlags.add(command)
	return command
}

// again is the command that plays one run again.
func (t *explorationSpec) again(run int) string {
	words := fmt.Sprintf("./simulate explore --subject %s --strategy %s --seed %d --runs 1", t.Options.Subject, t.Strategy, t.Seed+uint64(run)-1)
	for _, o := range t.Options.Settings {
		words += " --option " + o.Name + "=" + o.Value
	}
	if len(t.Options.Break) > 0 {
		words += " --break " + strings.Join(t.Options.Break, ",")
	}
	return words
}

// choose checks the flags, and makes the options of the runs of them.
func (f *exploreFlags) choose() error {
	f.explorationSpec.Scripts = f.playFlags.scripts
	o := &f.Options
	if m, planted := search.FindMutant(f.subject); planted {
		*o = m.Trial()
	} else {
		suite, err := scenarios.Suite()
		if err != nil {
			return bug(err)
		}
		d, options, err := plan.OneSubject(f.subject, suite)
		if err != nil {
			return fmt.Errorf("--subject: %w; or a planted bug that mutants lists", err)
		}
		*o = search.Trial{Subject: d.Name, Settings: options}
	}
	own := o.Break
	for _, id := range f.breaks {
		if id = strings.TrimSpace(id); !slices.Contains(own, id) {
			o.Break = append(o.Break, id)
		}
	}
	if f.Expect != "" && f.Expect != "violated" {
		return fmt.Errorf("--expect: found %q; allowed: violated", f.Expect)
	}
	for _, text := range f.options {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--option: found %q; allowed: NAME=VALUE", text)
		}
		if slices.ContainsFunc(o.Settings, func(o plan.Option) bool { return o.Name == name }) {
			return fmt.Errorf("--option: found %s, which --subject or another --option sets already; allowed: once", name)
		}
		o.Settings = append(o.Settings, plan.Option{Name: name, Value: value})
	}
	return within("runs", f.Runs, 1, 10_000_000)
}

// explore plays an exploration, or what is left of an interrupted one, and prints
// what became of all of it.
func (p *program) explore(ctx context.Context, f *exploreFlags) error {
	spec := &f.explorationSpec
	err := f.apply(p)
	if err == nil {
		err = checkState(f.state)
	}
	if err != nil {
		return err
	}
	kept, err := f.open("explore", spec)
	if err != nil {
		return err
	}
	defer kept.Close()
	known := map[int]search.Explored{}
	err = journal.Read(kept, func(x search.Explored) error {
		if x.Failure == "" { // a run that failed is played again
			known[x.Run] = x
		}
		return nil
	})
	if err != nil {
		return err
	}
	draw, err := search.Start(spec.Strategy, spec.Options)
	if err == nil {
		err = f.keep(kept, spec.Runs, fmt.Sprintf("%d-%d", spec.Seed, spec.Seed+uint64(spec.Runs)-1))
	}
	if err != nil {
		return err
	}
	p.settings.Options.Scripts, p.settings.Causes = spec.Scripts, campaign.CausesDecide
	e := &search.Exploration{
		Draw: draw, First: spec.Seed, Runs: spec.Runs, Known: known,
		Keep: func(x search.Explored) {
			kept.Add(x)
			known[x.Run] = x
		},
	}
	if !f.shard.Whole() {
		e.Select = func(run int) bool { return f.shard.Has(run - 1) }
	}
	line := tables.NewProgress(p.err, "played", f.shard.Count(e.Runs))
	return p.playKept(ctx, &f.journalFlags, longCommand{
		name: "explore", kept: kept, runs: func() int { return len(known) },
		play: func(ctx context.Context) error {
			err := e.Play(ctx, p.settings, line.Step)
			line.End()
			if err == nil {
				err = journal.Settle(kept, func(x search.Explored) int { return x.Run })
			}
			return err
		},
		stopped: func() error {
			_, err := tables.WriteExploration(p.out, e, spec.Strategy, spec.Seed, spec.Options)
			return err
		},
		failed: func() int { return e.Inconclusive },
		show:   func() error { return p.showExploration(ctx, f, e, kept) },
	})
}

// showExploration prints what became of a whole exploration.
func (p *program) showExploration(
	ctx context.Context, f *exploreFlags, e *search.Exploration, kept *journal.Journal,
) error {
	spec := &f.explorationSpec
	missing, err := tables.WriteExploration(p.out, e, spec.Strategy, spec.Seed, spec.Options)
	if err != nil {
		return err
	}
	shown := p.showFindings(ctx, e.Findings(), kept.Dir())
	if shown == nil && f.state != "" {
		shown = p.compareFindings(ctx, findings.OfExploration(e, spec.again), f.state, p.out)
	}
	if errors.Is(shown, context.Canceled) {
		return interrupted("explore", kept, len(e.Known))
	}
	if err := cmp.Or(shown, kept.Close()); err != nil {
		return err
	}
	p.addExploration(spec, e, missing)
	return exit(explorationCode(e, spec.Expect == "violated", len(spec.Options.Break) > 0, missing))
}

// showFindings shrinks, saves and tells the findings, in a new folder where there
// is none. A finding that an earlier minimal plan shows too is only named.
func (p *program) showFindings(ctx context.Context, findings []search.Finding, out string) error {
	small := map[int]*campaign.Summary{} // the runs of the minimal plans, by the run that was shrunk
	for _, f := range findings {
		if earlier, shown := small[f.Run]; shown && f.Target.Met(earlier) {
			fmt.Fprintf(p.out, "\n%s; shown by the minimal plan of run %d, too\n", f.Target, f.Run)
			continue
		}
		if out == "" {
			var err error
			if out, err = newFolder("out", "explore-"); err != nil {
				return err
			}
		}
		head := fmt.Sprintf("\n%s; first in run %d, seed %d", f.Target, f.Run, f.Plan.Seed)
		_, run, err := p.shrink(ctx, head, f.Plan, f.Target, filepath.Join(out, f.Target.Name()), true)
		if err != nil {
			return fmt.Errorf("run %d: %w", f.Run, err)
		}
		small[f.Run] = &run
	}
	return nil
}

// explorationCode is the exit code of an exploration. A violation without a cause is a bug of the
// lock. Where violations are expected and assumptions may be broken, only one with nothing broken is
// a failure. A search without one that missed a point is incomplete.
func explorationCode(e *search.Exploration, expectViolated, mayBreak bool, missing int) int {
	found := e.Findings()
	unexcused := len(found) > 0 && len(found[0].Target.Broken) == 0
	own := slices.ContainsFunc(found, func(f search.Finding) bool { return f.Target.Unexplained })
	switch {
	case expectViolated && (len(found) == 0 || unexcused && mayBreak), !expectViolated && own:
		return exitSafety
	case e.Inconclusive > 0, !expectViolated && missing > 0:
		return exitInconclusive
	}
	return exitExpected
}
