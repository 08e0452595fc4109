package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/search"
)

// healthyRuns is how many runs of the package as it is must show nothing.
const healthyRuns = 50_000

// mutantsFlags are what mutants was told.
type mutantsFlags struct {
	playFlags
	journalFlags
	sample     bool
	strategies []string
	healthy    int
}

// mutantsTold is what mutants was told. The journal belongs to one program: another build may
// play other runs.
type mutantsTold struct {
	Program    string   `json:"program"` // SHA-256 of the executable
	Names      []string `json:"names,omitempty"`
	Sample     bool     `json:"sample,omitempty"`
	Strategies []string `json:"strategies"`
	Healthy    int      `json:"healthy"`
	Scripts    string   `json:"scripts"`
}

func (p *program) mutantsCommand() *cobra.Command {
	f := &mutantsFlags{}
	command := &cobra.Command{
		Use:   "mutants [NAME…]",
		Short: "check that every planted bug is caught, and no healthy lock",
		Long: `Plays drawn runs, as explore does, of locks with a planted bug. The oracle in the
table must catch each bug within its budget of runs, with no assumption broken but those
that the bug breaks by itself. The first strategy decides; for a bug that only a scenario of
the suite shows, that strategy plays the seeds of the scenario. The columns of the others are for
comparison: they have twice as many runs as the first one took, at least 60 and at most
the budget. "-" is a bug that they miss; "n/a" is a strategy that breaks no assumption. The
healthy locks must never be violated. The same build always counts the same runs.

Names that begin with "redlock:" are patches of package redlock: a program is built
for each, which needs Go and the source tree. Everything takes half an hour of
processor time, two thirds of it for the healthy package. "simulate shrink" makes the
minimal plan of a bug.

` + interruptHelp + exitCodes(`
  0    every bug was caught, no healthy lock was
  1    a bug was not caught, or a healthy lock was
  4    some run was inconclusive, and nothing worse
  6    Go or the source tree is missing`),
		Example: `  simulate mutants --sample
  simulate mutants --out D                                 # all of it
  simulate mutants redlock:errors-vote half-quorum`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			if _, err := f.resumed(command, args, "sample", "strategies", "healthy"); err != nil {
				return err
			}
			if f.sample && !command.Flags().Changed("strategies") {
				f.strategies = f.strategies[:1]
			}
			program, err := programHash()
			if err != nil {
				return bug(err)
			}
			told := mutantsTold{program, args, f.sample, f.strategies, f.healthy, f.scripts}
			kept, err := f.open("mutants", &told)
			if err != nil {
				return err
			}
			defer kept.Close()
			if told.Program != program {
				return otherBuild(f.resume)
			}
			hunts := search.Hunts{}
			err = journal.Read(kept, func(h search.Hunt) error {
				*hunts.Of(h.Name, h.Strategy) = h
				return nil
			})
			if err != nil {
				return err
			}
			mutants, err := told.mutants()
			if err != nil {
				return err
			}
			if err := f.keep(kept, 0, ""); err != nil {
				return err
			}
			settings.Options.Scripts, settings.Causes = told.Scripts, campaign.CausesDecide
			return p.mutants(command.Context(), settings, mutants, told.Strategies, hunts, kept)
		},
	}
	command.Flags().BoolVar(&f.sample, "sample", false, "only the bugs that are caught soon, with the first strategy, and as few runs of the healthy locks")
	command.Flags().StringSliceVar(&f.strategies, "strategies", search.StrategyNames(), "`NAMES` of the strategies; the first decides")
	command.Flags().IntVar(&f.healthy, "healthy", healthyRuns, "`RUNS` of the healthy package with every assumption kept")
	f.journalFlags.add(command, "the journal")
	f.playFlags.add(command)
	return command
}

// mutants returns what was chosen: the named ones, or all, or all of the sample.
func (t *mutantsTold) mutants() ([]search.Mutant, error) {
	if err := within("healthy", t.Healthy, 1, 10_000_000); err != nil {
		return nil, err
	}
	if unknown := slices.DeleteFunc(slices.Clone(t.Strategies), func(s string) bool { return slices.Contains(search.StrategyNames(), s) }); len(unknown) > 0 || len(t.Strategies) == 0 {
		return nil, fmt.Errorf("--strategies: found %q; allowed: %s", unknown, strings.Join(search.StrategyNames(), ", "))
	}
	var all []search.Mutant
	largest := 0
	for _, m := range search.Mutants() {
		if m.Sample || !t.Sample {
			largest = max(largest, m.Budget)
			all = append(all, m)
		}
	}
	for _, m := range search.Healthy() {
		m.Budget = largest
		if m.Subject == "SY-10" && len(m.Break) == 0 && !t.Sample {
			m.Budget = t.Healthy
		}
		all = append(all, m)
	}
	var known []string
	for _, m := range all {
		known = append(known, m.Name)
	}
	for _, name := range t.Names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("found the unknown planted bug %q; allowed: %s", name, strings.Join(known, ", "))
		}
	}
	chosen := slices.DeleteFunc(all, func(m search.Mutant) bool { return len(t.Names) > 0 && !slices.Contains(t.Names, m.Name) })
	return chosen, tell(chosen)
}

// tell gives the mutants the scenarios that decide about them.
func tell(mutants []search.Mutant) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return err
	}
	for i := range mutants {
		if err := mutants[i].Tell(suite); err != nil {
			return bug(err)
		}
	}
	return nil
}

// mutants plays the hunts and prints what came of them, line by line.
func (p *program) mutants(ctx context.Context, settings campaign.Settings, mutants []search.Mutant, strategies []string, hunts search.Hunts, kept *journal.Journal) error {
	row := func(name, oracle, budget string, caught []string, took, intent string) {
		fmt.Fprintf(p.out, "%-33s %-15s %7s", name, oracle, budget)
		for i, strategy := range strategies {
			fmt.Fprintf(p.out, "  %*s", max(len(strategy), len(notCaught)), caught[i])
		}
		fmt.Fprintf(p.out, "  %9s  %s\n", took, intent)
	}
	var heads []string
	for _, s := range strategies {
		heads = append(heads, strings.ToUpper(s))
	}
	row("MUTANT", "ORACLE", "BUDGET", heads, "TIME", "INTENT")
	failed, open := 0, 0
	for i, m := range mutants {
		line, err := p.huntLine(ctx, settings, &m, strategies, hunts, kept, fmt.Sprintf("%d of %d", i+1, len(mutants)))
		if errors.Is(err, context.Canceled) {
			return interrupted("mutants", kept, hunts.Runs())
		}
		if err != nil {
			return err
		}
		oracle, intent := cmp.Or(string(m.Oracle), "any"), m.Intent
		if len(m.Break) > 0 {
			intent += " (runs may break " + search.Listed(m.Break) + ")"
		}
		row(m.Name, oracle, fmt.Sprint(m.Budget), line.caught, line.took.Round(100*time.Millisecond).String(), intent)
		failed, open = failed+line.failed, open+line.open
	}
	if err := kept.Close(); err != nil {
		return err
	}
	switch {
	case failed > 0:
		fmt.Fprintf(p.out, "%d not as they should be\n", failed)
		return exit(exitSafety)
	case open > 0:
		fmt.Fprintf(p.out, "%d runs were inconclusive\n", open)
		return exit(exitInconclusive)
	}
	return nil
}

// huntLine is what one line of the table says.
type huntLine struct {
	caught       []string // by strategy
	took         time.Duration
	failed, open int // strategies that did not say what they should; runs without a verdict
}

// huntLine plays one mutant with each strategy: the first one decides, and says how many runs
// the others have. A healthy lock is played with the first one alone.
func (p *program) huntLine(ctx context.Context, settings campaign.Settings, m *search.Mutant, strategies []string, hunts search.Hunts, kept *journal.Journal, number string) (line huntLine, err error) {
	budget := m.Budget
	for i, strategy := range strategies {
		if m.Oracle == "" && i > 0 {
			line.caught = append(line.caught, "")
			continue
		}
		h := hunts.Of(m.Name, strategy)
		progress := tables.NewProgress(p.err, fmt.Sprintf("%s, %s by %s: played", number, m.Name, strategy), budget-h.Played)
		err := h.Play(ctx, settings, m, budget, func() { kept.Add(h) }, progress.Step)
		progress.End()
		if errors.Is(err, search.ErrBreaksNothing) && i > 0 {
			line.caught = append(line.caught, "n/a")
			continue
		}
		if err != nil {
			return line, err
		}
		word, bad := huntWord(h, m, i == 0)
		if bad {
			line.failed++
		}
		if i == 0 && h.CaughtAfter > 0 {
			budget = min(m.Budget, max(60, 2*h.CaughtAfter))
		}
		if h.Inconclusive > 0 {
			fmt.Fprintf(p.out, "%s by %s: %d of %d runs were inconclusive: %s\n", m.Name, strategy, h.Inconclusive, h.Played, strings.Join(h.Failures, "; "))
		}
		line.caught = append(line.caught, word)
		line.took += time.Duration(h.Milliseconds) * time.Millisecond
		line.open += h.Inconclusive
	}
	return line, nil
}

// notCaught is what the table says of a bug that its deciding strategy missed.
const notCaught = "NOT CAUGHT"

// huntWord is a cell of the table, and whether it is not as it should be.
func huntWord(h *search.Hunt, m *search.Mutant, decides bool) (word string, bad bool) {
	switch {
	case m.Oracle == "" && h.CaughtAfter == 0:
		return "never", false
	case m.Oracle == "":
		return fmt.Sprintf("RUN %d", h.CaughtAfter), true
	case h.CaughtAfter > 0:
		return fmt.Sprint(h.CaughtAfter), false
	case decides:
		return notCaught, true
	}
	return "-", false
}

// otherBuild is the error for a journal whose results this program might not make.
func otherBuild(dir string) error {
	return fmt.Errorf("--resume: found in %s the journal of another build of simulate; allowed: one of this build", dir)
}

// programHash is the SHA-256 of the executable.
func programHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}
