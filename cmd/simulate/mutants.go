package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/shard"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// healthyRuns is how many runs of the package as it is must show nothing.
const healthyRuns = 50_000

// mutantsSpec is all that the runs of mutants depend on. The journal belongs to one program:
// another build may play other runs.
type mutantsSpec struct {
	Program    string   `json:"program"` // SHA-256 of the executable
	Names      []string `json:"names,omitempty"`
	Sample     bool     `json:"sample,omitempty"`
	Strategies []string `json:"strategies"`
	Healthy    int      `json:"healthy"`
	Scripts    string   `json:"scripts"`
}

func (p *program) mutantsCommand() *cobra.Command {
	var f struct {
		playFlags
		journalFlags
	}
	var spec mutantsSpec
	command := &cobra.Command{
		Use:   "mutants [NAME…]",
		Short: "check that the oracles catch every planted bug and accuse no healthy lock",
		Long: `Plays drawn runs, as explore does, of locks with a planted bug. The oracle in the
table must catch each bug within its budget of runs, with no broken assumptions except those
that the bug itself breaks. The first strategy decides. If only a scenario of the suite shows a
bug, that strategy plays the scenario's seeds. The columns of the other strategies are for
comparison: they get twice as many runs as the first one took, at least 60 and at most the
budget. "-" means that the strategy missed the bug; "n/a", that it breaks no assumption. The
healthy locks must never be violated. The same build always counts the same runs.

Names that begin with "redlock:" are patches of package redlock: a program is built
for each, which needs Go and the source tree. Everything takes half an hour of
processor time, two thirds of it for the healthy package. "simulate shrink" makes the
minimal plan of a bug.

` + interruptHelp + exitCodes(`
  0    every bug was caught, and no healthy lock was violated
  1    a bug was not caught, or a healthy lock was violated
  4    some run of the first strategy was inconclusive, and nothing worse
  6    Go or the source tree is missing`),
		Example: `  simulate mutants --sample
  simulate mutants --out D                                 # all of it
  simulate mutants redlock:errors-vote half-quorum`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			err := f.apply(p)
			if err == nil {
				_, err = f.resumed(command, args, "sample", "strategies", "healthy")
			}
			if err != nil {
				return err
			}
			if spec.Sample && !command.Flags().Changed("strategies") {
				spec.Strategies = spec.Strategies[:1]
			}
			spec.Names, spec.Scripts = args, f.scripts
			kept, err := f.openOfBuild("mutants", &spec.Program, &spec)
			if err != nil {
				return err
			}
			defer kept.Close()
			mutants, err := spec.mutants()
			if err != nil {
				return err
			}
			h := mutantCheck{
				p: p, mutants: mutants, strategies: spec.Strategies, part: f.shard,
				kept: kept,
			}
			if err = h.begin(); err == nil {
				err = f.keep(kept, len(h.items), "")
			}
			if err != nil {
				return err
			}
			p.settings.Options.Scripts, p.settings.Causes = spec.Scripts, campaign.CausesDecide
			return p.playKept(command.Context(), &f.journalFlags, longCommand{
				name: "mutants", kept: kept, play: h.play, runs: h.runs, failed: func() int { return 0 }, show: h.end,
			})
		},
	}
	command.Flags().BoolVar(&spec.Sample, "sample", false, "only the bugs that are caught soon, with the first strategy, and few runs of the healthy locks")
	command.Flags().StringSliceVar(&spec.Strategies, "strategies", search.StrategyNames(), "`NAMES` of the strategies; the first decides")
	command.Flags().IntVar(&spec.Healthy, "healthy", healthyRuns, "`RUNS` of the healthy package with every assumption kept")
	f.journalFlags.addShard(command, "the journal")
	f.playFlags.add(command)
	return command
}

// mutants returns what was chosen: the named ones, or all, or all of the sample.
func (t *mutantsSpec) mutants() ([]search.Mutant, error) {
	if err := within("healthy", t.Healthy, 1, 10_000_000); err != nil {
		return nil, err
	}
	unknown := slices.DeleteFunc(slices.Clone(t.Strategies), func(s string) bool {
		return slices.Contains(search.StrategyNames(), s)
	})
	if len(unknown) > 0 || len(t.Strategies) == 0 {
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
	known := plan.Texts(all, func(m search.Mutant) string { return m.Name })
	for _, name := range t.Names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("found the unknown planted bug %q; allowed: %s", name, strings.Join(known, ", "))
		}
	}
	chosen := slices.DeleteFunc(all, func(m search.Mutant) bool {
		return len(t.Names) > 0 && !slices.Contains(t.Names, m.Name)
	})
	return chosen, withScenarios(chosen)
}

// withScenarios gives the mutants the scenarios that decide about them.
func withScenarios(mutants []search.Mutant) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return err
	}
	for i := range mutants {
		if err := mutants[i].FindScenario(suite); err != nil {
			return bug(err)
		}
	}
	return nil
}

// mutantCheck is the search for all mutants: its items of work, and what is done of them.
type mutantCheck struct {
	p          *program
	mutants    []search.Mutant
	strategies []string
	part       shard.Shard
	kept       *journal.Journal

	items        []search.MutantSearch // those that are done have results
	failed, open int                   // strategies that did not say what they should; runs without a verdict
}

// begin lists the items, with what the journal has of them.
func (h *mutantCheck) begin() error {
	for _, m := range h.mutants {
		h.items = append(h.items, m.Searches()...)
	}
	return journal.Read(h.kept, func(done search.MutantSearch) error {
		if i := h.number(done); i >= 0 {
			h.items[i] = done
		}
		return nil
	})
}

func (h *mutantCheck) number(done search.MutantSearch) int {
	return slices.IndexFunc(h.items, func(x search.MutantSearch) bool {
		return x.Name == done.Name && x.From == done.From
	})
}

func (h *mutantCheck) runs() (n int) {
	for _, item := range h.items {
		for _, by := range item.By {
			n += by.Played
		}
	}
	return n
}

// play plays what is left of the shard, and keeps it. Without a shard it prints the table,
// line by line.
func (h *mutantCheck) play(ctx context.Context) error {
	if h.part.Whole() {
		heads := make([]string, len(h.strategies))
		for i, s := range h.strategies {
			heads[i] = strings.ToUpper(s)
		}
		tables.WriteMutant(h.p.out, h.strategies, "MUTANT", "ORACLE", "BUDGET", heads, "INTENT")
	}
	from := 0
	for i := range h.mutants {
		m := &h.mutants[i]
		to := from + len(m.Searches())
		line := tables.NewProgress(h.p.err, fmt.Sprintf("%d of %d, %s: played", i+1, len(h.mutants), m.Name), m.Budget)
		for at := from; at < to; at++ {
			item := &h.items[at]
			if len(item.By) > 0 || !h.part.Has(at) {
				continue
			}
			if err := item.Play(ctx, h.p.settings, m, h.strategies, line.Step); err != nil {
				line.End()
				return err
			}
			h.kept.Add(item)
		}
		line.End()
		if h.part.Whole() {
			h.line(m, h.items[from:to])
		}
		from = to
	}
	return journal.Settle(h.kept, h.number)
}

// end says what the table comes to.
func (h *mutantCheck) end() error {
	if err := h.kept.Close(); err != nil {
		return err
	}
	if h.failed > 0 {
		fmt.Fprintf(h.p.out, "%d not as they should be\n", h.failed)
	} else if h.open > 0 {
		fmt.Fprintf(h.p.out, "%d runs were inconclusive\n", h.open)
	}
	return cmp.Or(exitIf(h.failed > 0, exitSafety), exitIf(h.open > 0, exitInconclusive))
}

// line prints what was found of one mutant.
func (h *mutantCheck) line(m *search.Mutant, batches []search.MutantSearch) {
	caught := make([]string, len(h.strategies))
	for i, strategy := range h.strategies {
		by, found := search.Sum(batches, strategy)
		if !found {
			if m.Oracle != "" {
				caught[i] = "n/a"
			}
			continue
		}
		word, bad := tables.MutantCell(&by, m, i == 0)
		if bad {
			h.failed++
		}
		if caught[i] = word; by.Inconclusive > 0 {
			if i == 0 { // the others are for comparison
				h.open += by.Inconclusive
			}
			fmt.Fprintf(h.p.out, "%s by %s: %d of %d runs were inconclusive: %s\n", m.Name, strategy, by.Inconclusive, by.Played, strings.Join(by.Failures, "; "))
		}
	}
	intent := m.Intent
	if len(m.Break) > 0 {
		intent += " (runs may break " + search.Listed(m.Break) + ")"
	}
	tables.WriteMutant(
		h.p.out, h.strategies, m.Name, cmp.Or(string(m.Oracle), "any"), fmt.Sprint(m.Budget), caught, intent,
	)
}
