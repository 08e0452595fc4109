package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/findings"
	"redlocklab/cmd/simulate/folder"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// exploreFlags are what explore was told.
type exploreFlags struct {
	playFlags
	journalFlags
	runs     int
	seed     uint64
	strategy string
	subject  string
	options  []string
	breaks   []string
	expect   string
	state    string
}

// explorationTold is what an exploration was told: all that its runs depend on.
type explorationTold struct {
	Strategy string         `json:"strategy"`
	Seed     uint64         `json:"seed"`
	Runs     int            `json:"runs"`
	Options  search.Options `json:"options"`
	Expect   string         `json:"expect,omitempty"`
	Scripts  string         `json:"scripts"`
}

func exploreHelp() string {
	text := `Plays drawn runs: a number decides how many nodes there are, the latencies, what the
clients do, and which faults happen. A run breaks only the assumptions that --break
allows, none by default: every violation is then a bug of the lock.

It finds what caused a violation by taking away what broke; see "simulate why". It shrinks,
tells and saves the first violation of each oracle with each set of broken assumptions. It does
the same with the first that is the lock's own bug in spite of them; see "simulate shrink".
Of a single run (--runs 1) it prints all that it drew.

Strategies:
`
	for _, s := range search.Strategies() {
		text += fmt.Sprintf("  %-12s %s\n", s.Name, s.Doc)
	}
	return text + "\n" + interruptHelp + exitCodes(`
  0    no violation, or only with a broken assumption
  1    a violation that is the lock's own bug; with --expect violated: no violation, or
       with --break one that breaks nothing
  4    some run was inconclusive, no run came to one of the coverage points, or
       runs of an enumeration are left; and nothing worse`)
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
			var told explorationTold
			if !resumed {
				if told, err = f.told(); err != nil {
					return err
				}
			}
			return p.explore(command.Context(), f, told)
		},
	}
	flags := command.Flags()
	flags.IntVar(&f.runs, "runs", 1000, "how many runs to play, at most")
	flags.Uint64Var(&f.seed, "seed", 1, "number `N` of the first run, or of the whole search; the others follow")
	flags.StringVar(&f.strategy, "strategy", search.StrategyNames()[0], "`NAME` of the strategy that chooses the runs")
	flags.StringVar(&f.subject, "subject", "SY-10", "the `SUBJECT` under test: a lock, or a planted bug that mutants lists")
	flags.StringArrayVar(&f.options, "option", nil, "`NAME=VALUE` of one of the subject's options; may be repeated")
	flags.StringSliceVar(&f.breaks, "break", nil, "`ASSUMPTIONS` that runs may break: "+strings.Join(checker.Assumptions(), ", "))
	flags.StringVar(&f.expect, "expect", "", "`violated`: finding no violation is a failure")
	stateFlag(command, &f.state)
	f.journalFlags.add(command, "the journal and the findings; default a new folder below out, when there is a finding")
	f.journalFlags.addShard(command)
	f.playFlags.add(command)
	return command
}

// again is the command that plays one run again.
func (t *explorationTold) again(run int) string {
	words := fmt.Sprintf("./simulate explore --subject %s --strategy %s --seed %d --runs 1", t.Options.Subject, t.Strategy, t.Seed+uint64(run)-1)
	for _, o := range t.Options.Settings {
		words += " --option " + o.Name + "=" + o.Value
	}
	if len(t.Options.Break) > 0 {
		words += " --break " + strings.Join(t.Options.Break, ",")
	}
	return words
}

// told checks the flags.
func (f *exploreFlags) told() (explorationTold, error) {
	for i := range f.breaks {
		f.breaks[i] = strings.TrimSpace(f.breaks[i])
	}
	t := explorationTold{Strategy: f.strategy, Seed: f.seed, Runs: f.runs, Expect: f.expect, Scripts: f.scripts}
	if m, planted := search.FindMutant(f.subject); planted {
		t.Options = m.Options()
		f.breaks = slices.DeleteFunc(f.breaks, func(id string) bool { return slices.Contains(m.Break, id) })
	} else {
		suite, err := scenarios.Suite()
		if err != nil {
			return t, bug(err)
		}
		d, options, err := plan.OneSubject(f.subject, suite)
		if err != nil {
			return t, fmt.Errorf("--subject: %w; or a planted bug that mutants lists", err)
		}
		t.Options = search.Options{Subject: d.Name, Settings: options}
	}
	t.Options.Break = append(t.Options.Break, f.breaks...)
	if f.expect != "" && f.expect != "violated" {
		return t, fmt.Errorf("--expect: found %q; allowed: violated", f.expect)
	}
	for _, text := range f.options {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return t, fmt.Errorf("--option: found %q; allowed: NAME=VALUE", text)
		}
		if slices.ContainsFunc(t.Options.Settings, func(o plan.Option) bool { return o.Name == name }) {
			return t, fmt.Errorf("--option: found %s, which --subject or another --option sets already; allowed: once", name)
		}
		t.Options.Settings = append(t.Options.Settings, plan.Option{Name: name, Value: value})
	}
	return t, within("runs", f.runs, 1, 10_000_000)
}

// explore plays an exploration, or what is left of an interrupted one, and prints
// what became of all of it.
func (p *program) explore(ctx context.Context, f *exploreFlags, told explorationTold) error {
	settings, err := f.settings(p)
	if err == nil {
		err = checkState(f.state)
	}
	if err != nil {
		return err
	}
	kept, err := f.open("explore", &told)
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
	strategy, err := search.Start(told.Strategy, told.Seed, told.Options)
	if err != nil {
		return err
	}
	if !f.shard.Whole() && !search.Independent(told.Strategy) {
		return fmt.Errorf("--shard: found the strategy %s, whose runs depend on those before; allowed: %s", told.Strategy, strings.Join(search.IndependentNames(), ", "))
	}
	if err := f.keep(kept, told.Runs, fmt.Sprintf("%d-%d", told.Seed, told.Seed+uint64(told.Runs)-1)); err != nil {
		return err
	}
	settings.Options.Scripts, settings.Causes = told.Scripts, campaign.CausesDecide
	e := &search.Exploration{Strategy: strategy, Runs: told.Runs, Known: known, Keep: func(x search.Explored) {
		kept.Add(x)
		known[x.Run] = x
	}}
	if !f.shard.Whole() {
		e.Has = func(run int) bool { return f.shard.Has(run - 1) }
	}
	line := tables.NewProgress(p.err, "played", f.shard.Count(e.Runs))
	playing, stop := whileKept(ctx, kept)
	defer stop()
	err = e.Play(playing, settings, line.Step)
	line.End()
	switch {
	case errors.Is(err, context.Canceled):
		_, err := tables.WriteExploration(p.out, e, told.Strategy, told.Seed, told.Options)
		return errors.Join(err, interrupted("explore", kept, len(known)))
	case err != nil:
		return err
	}
	if err := journal.Settle(kept, func(x search.Explored) int { return x.Run }); err != nil {
		return err
	}
	if !f.shard.Whole() {
		return p.endShard(&f.journalFlags, kept, e.Inconclusive)
	}
	if err := kept.Close(); err != nil {
		return err
	}
	missing, err := tables.WriteExploration(p.out, e, told.Strategy, told.Seed, told.Options)
	if err != nil {
		return err
	}
	if err := p.showFindings(ctx, settings, e.Findings(), kept.Dir()); err != nil {
		return err
	}
	if f.state != "" {
		groups := findings.OfExploration(e, told.again)
		if err := p.compareFindings(ctx, settings, groups, f.state, p.out); err != nil {
			return err
		}
	}
	return exit(explorationCode(e, told.Expect == "violated", len(told.Options.Break) > 0, missing))
}

// showFindings shrinks, saves and tells the findings, in a new folder where there
// is none. A finding that an earlier minimal plan shows too is only named.
func (p *program) showFindings(ctx context.Context, settings campaign.Settings, findings []search.Finding, out string) error {
	outcomes := map[int]search.Outcome{} // of the minimal plans, by the run
	for _, f := range findings {
		if earlier, shown := outcomes[f.Run]; shown && f.Target.Met(earlier) {
			fmt.Fprintf(p.out, "\n%s; shown by the minimal plan of run %d, too\n", f.Target, f.Run)
			continue
		}
		if out == "" {
			var err error
			if out, err = folder.New("out", "explore-"); err != nil {
				return err
			}
		}
		head := fmt.Sprintf("\n%s; first in run %d, seed %d", f.Target, f.Run, f.Plan.Seed)
		_, outcome, err := p.shrink(ctx, settings, head, f.Plan, f.Target, filepath.Join(out, f.Target.Name()), true)
		if err != nil {
			return fmt.Errorf("run %d: %w", f.Run, err)
		}
		outcomes[f.Run] = outcome
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
	case expectViolated && (len(found) == 0 || unexcused && mayBreak):
		return exitSafety
	case !expectViolated && own:
		return exitSafety
	case e.Inconclusive > 0, !expectViolated && missing > 0:
		return exitInconclusive
	}
	return exitExpected
}
