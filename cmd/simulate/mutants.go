package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/search"
)

const mutantsHelp = `Plays drawn runs, as explore does, with locks that have a bug planted in them: the
oracle that the table names must call each of them violated within its budget of
runs, with no assumption broken but those that the bug breaks by itself. The first
strategy decides. The columns of the others are for comparison: they have twice as
many runs as the first one took, at least 60 and at most the budget, and show "-"
where that was not enough, "n/a" where a strategy breaks no assumption and the bug
shows only when one is broken. The healthy locks must never be violated. All searches
begin at number 1, so the runs until the detection are always the same.

Names that begin with "redlock:" are patches of package redlock itself: a program
is built for each with "go build -overlay", which needs Go and the source tree.
With names of bugs or of healthy locks, only those are played. All of it takes about
half an hour of processor time, two thirds of that for the healthy package.

` + interruptHelp + `
With --minimal, the first violation of each bug is made as small as it goes, told
and saved as a run that "simulate replay" reproduces, and replayed at once.

Exit codes:
  0    every bug was caught, no healthy lock was
  1    a bug was not caught, or a healthy lock was; with --minimal: a run was not reproduced
  4    some run was inconclusive, and nothing worse
  2    bad usage
  6    Go or the source tree is missing
  70   a bug of this program
  130  interrupted`

// healthyRuns is how many runs of the package as it is must show nothing.
const healthyRuns = 50_000

// mutantsFlags are what mutants was told.
type mutantsFlags struct {
	playFlags
	journalFlags
	sample     bool
	strategies []string
	healthy    int
	minimal    string
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
		Long:  mutantsHelp,
		Example: `  simulate mutants --sample
  simulate mutants                                all of it
  simulate mutants redlock:errors-vote half-quorum
  simulate mutants --minimal D                    the smallest story of every bug`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			resumed, err := f.resumed(command, args, "sample", "strategies", "healthy", "minimal")
			if err != nil {
				return err
			}
			if f.sample && !command.Flags().Changed("strategies") {
				f.strategies = f.strategies[:1]
			}
			program, err := programHash()
			if err != nil {
				return bug(err)
			}
			told, state := mutantsTold{program, args, f.sample, f.strategies, f.healthy, f.scripts}, &huntState{}
			if resumed {
				if state, err = openHunts(f.resume, &told, program); err != nil {
					return err
				}
				defer state.journal.Close()
				settings.Options.Scripts = told.Scripts
			}
			hunts, err := told.hunts()
			if err != nil {
				return err
			}
			if f.minimal != "" {
				return p.minimal(command.Context(), settings, hunts, f.minimal)
			}
			if !resumed {
				state.journal = journal.New("mutants", told)
				defer state.journal.Close()
				if err := f.keep(state.journal); err != nil {
					return err
				}
			}
			return p.mutants(command.Context(), settings, hunts, told.Strategies, state)
		},
	}
	command.Flags().BoolVar(&f.sample, "sample", false, "only the bugs that are caught soon, with the first strategy, and as few runs of the healthy locks")
	command.Flags().StringSliceVar(&f.strategies, "strategies", search.StrategyNames(), "`NAMES` of the strategies that hunt; the first decides")
	command.Flags().IntVar(&f.healthy, "healthy", healthyRuns, "`RUNS` of the healthy package with every assumption kept")
	f.journalFlags.add(command, "the journal")
	command.Flags().StringVar(&f.minimal, "minimal", "", "`DIR` to save the smallest run of each bug into")
	f.playFlags.add(command)
	return command
}

// comparedRuns is how many runs a strategy that does not decide has, when the one
// that does took so many.
func (h *hunt) comparedRuns(decided int) int {
	if decided == 0 {
		return h.budget
	}
	return min(h.budget, max(60, 2*decided))
}

// hunt is one line of the table: runs of a lock, and what must be found in them.
type hunt struct {
	name    string
	intent  string
	options search.Options
	budget  int
	target  search.Target
	healthy bool // there is no target: nothing may be found
}

// catches reports whether a finding is what the hunt is after.
func (h *hunt) catches(f finding) bool {
	return h.healthy || f.target.Oracle == h.target.Oracle && slices.Equal(f.target.Broken, h.target.Broken)
}

// caught is the first run that shows what the hunt is after.
func (h *hunt) caught(e *exploration) (first finding, found bool) {
	for _, f := range e.found() {
		if h.catches(f) && (!found || f.run < first.run) {
			first, found = f, true
		}
	}
	return first, found
}

// hunts are those of these names; without any, all, or all of the sample.
func (t *mutantsTold) hunts() ([]hunt, error) {
	if t.Healthy < 1 || t.Healthy > 10_000_000 {
		return nil, fmt.Errorf("--healthy: found %d; allowed: 1 to 10000000", t.Healthy)
	}
	if unknown := slices.DeleteFunc(slices.Clone(t.Strategies), func(s string) bool { return slices.Contains(search.StrategyNames(), s) }); len(unknown) > 0 || len(t.Strategies) == 0 {
		return nil, fmt.Errorf("--strategies: found %q; allowed: %s", unknown, strings.Join(search.StrategyNames(), ", "))
	}
	var all []hunt
	largest := 0
	for _, m := range search.Mutants() {
		if t.Sample && !m.Sample {
			continue
		}
		largest = max(largest, m.Budget)
		all = append(all, hunt{name: m.Name, intent: m.Intent + mayBreak(m.Break), options: m.Options(), budget: m.Budget, target: m.Target()})
	}
	for _, o := range search.Healthy() {
		h := hunt{name: strings.Join(append([]string{o.Subject}, o.Break...), ":"), intent: "healthy" + mayBreak(o.Break), options: o, budget: largest, healthy: true}
		if o.Subject == "SY-10" && len(o.Break) == 0 && !t.Sample {
			h.budget = t.Healthy
		}
		all = append(all, h)
	}
	var known []string
	for _, h := range all {
		known = append(known, h.name)
	}
	for _, name := range t.Names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("found the unknown planted bug %q; allowed: %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(h hunt) bool { return len(t.Names) > 0 && !slices.Contains(t.Names, h.name) }), nil
}

// mayBreak says behind an intent which assumptions the runs may break.
func mayBreak(breaks []string) string {
	if len(breaks) == 0 {
		return ""
	}
	return " (runs may break " + listed(breaks) + ")"
}

// mutants goes hunting and prints what came of it, line by line.
func (p *program) mutants(ctx context.Context, settings campaign.Settings, hunts []hunt, strategies []string, state *huntState) error {
	row := func(name, oracle, budget string, caught []string, took, intent string) {
		fmt.Fprintf(p.out, "%-33s %-15s %7s", name, oracle, budget)
		for i, strategy := range strategies {
			fmt.Fprintf(p.out, "  %*s", max(len(strategy), len(notCaught)), caught[i])
		}
		fmt.Fprintf(p.out, "  %9s  %s\n", took, intent)
	}
	row("MUTANT", "ORACLE", "BUDGET", upper(strategies), "TIME", "INTENT")
	failed, open := 0, 0
	for i, h := range hunts {
		oracle := string(h.target.Oracle)
		if h.healthy {
			oracle = "any"
		}
		line, err := p.huntLine(ctx, settings, &h, strategies, state, fmt.Sprintf("%d of %d", i+1, len(hunts)))
		if errors.Is(err, context.Canceled) {
			return interrupted("mutants", state.journal, state.runs())
		}
		if err != nil {
			return err
		}
		row(h.name, oracle, fmt.Sprint(h.budget), line.caught, line.took.Round(100*time.Millisecond).String(), h.intent)
		failed, open = failed+line.failed, open+line.open
	}
	if err := state.journal.Close(); err != nil {
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

// huntLine hunts with each strategy: the first one decides, and says how many runs
// the others have. Where nothing is to be found, the first has all of them.
func (p *program) huntLine(ctx context.Context, settings campaign.Settings, h *hunt, strategies []string, state *huntState, number string) (line huntLine, err error) {
	budget := h.budget
	for i, strategy := range strategies {
		if h.healthy && i > 0 {
			line.caught = append(line.caught, "")
			continue
		}
		done, err := p.hunt(ctx, settings, h, strategy, budget, state, fmt.Sprintf("%s, %s by %s: played", number, h.name, strategy))
		if errors.Is(err, search.ErrBreaksNothing) && i > 0 {
			line.caught = append(line.caught, "n/a")
			continue
		}
		if err != nil {
			return line, err
		}
		word, bad := done.word(h, i == 0)
		if bad {
			line.failed++
		}
		if i == 0 {
			budget = h.comparedRuns(done.CaughtAfter)
		}
		if done.Inconclusive > 0 {
			fmt.Fprintf(p.out, "%s by %s: %d of %d runs were inconclusive: %s\n", h.name, strategy, done.Inconclusive, done.Played, strings.Join(done.Failures, "; "))
		}
		line.caught = append(line.caught, word)
		line.took += time.Duration(done.Milliseconds) * time.Millisecond
		line.open += done.Inconclusive
	}
	return line, nil
}

// notCaught is what the table says of a bug that its deciding strategy missed.
const notCaught = "NOT CAUGHT"

// word is a cell of the table, and whether it is not as it should be.
func (done *huntProgress) word(h *hunt, decides bool) (word string, bad bool) {
	switch {
	case h.healthy && done.CaughtAfter == 0:
		return "never", false
	case h.healthy:
		return fmt.Sprintf("RUN %d", done.CaughtAfter), true
	case done.CaughtAfter > 0:
		return fmt.Sprint(done.CaughtAfter), false
	case decides:
		return notCaught, true
	}
	return "-", false
}

func upper(words []string) []string {
	var result []string
	for _, word := range words {
		result = append(result, strings.ToUpper(word))
	}
	return result
}

// hunt plays one line's runs with one strategy until a run shows what it is after,
// or so many are played. What the state says is done is not played again: a whole
// hunt, or, where what is drawn does not depend on what was found, its beginning.
func (p *program) hunt(ctx context.Context, settings campaign.Settings, h *hunt, strategy string, budget int, state *huntState, verb string) (*huntProgress, error) {
	done := state.of(h.name, strategy)
	if done.CaughtAfter > 0 || done.Played >= budget {
		return done, nil
	}
	line := newProgress(p.err, verb, budget-done.Played)
	defer line.end()
	for done.CaughtAfter == 0 && done.Played < budget {
		runs := budget
		if h.healthy && search.Independent(strategy) {
			runs = min(healthyPart, budget-done.Played)
		}
		began := time.Now()
		e, err := p.explored(ctx, settings, h, strategy, uint64(done.Played)+1, runs, line)
		if err != nil {
			return nil, err
		}
		if e.inconclusive == e.played {
			return nil, &exitError{exitBug, fmt.Errorf("%s: no run came about: %s", h.name, strings.Join(e.failures, "; "))}
		}
		done.Inconclusive += e.inconclusive
		done.Failures = append(done.Failures, e.failures...)[:min(shownFailures, len(done.Failures)+len(e.failures))]
		if f, found := h.caught(e); found {
			done.CaughtAfter = done.Played + f.run
		}
		done.Played += e.played
		done.Milliseconds += time.Since(began).Milliseconds()
		state.journal.Add(done)
		if e.played < runs {
			break // caught, or the strategy has no more
		}
	}
	return done, nil
}

// healthyPart is after how many runs the state of a healthy lock's hunt is kept.
const healthyPart = 500

// explored plays a hunt's runs from a number on, until one shows what it is after.
func (p *program) explored(ctx context.Context, settings campaign.Settings, h *hunt, strategy string, first uint64, runs int, line *progress) (*exploration, error) {
	started, err := search.Start(strategy, first, h.options)
	if err != nil {
		return nil, err
	}
	e := &exploration{strategy: started, runs: runs, enough: func(e *exploration) bool { _, found := h.caught(e); return found }}
	return e, p.playDrawn(ctx, settings, e, line)
}

// huntState is what mutants has done so far, and its journal: how far each hunt
// has come, of which the last line counts.
type huntState struct {
	journal *journal.Journal
	hunts   []*huntProgress // in the order in which they began
}

// huntProgress is how far one line of the table has come with one strategy.
type huntProgress struct {
	Name         string   `json:"name"`
	Strategy     string   `json:"strategy"`
	Played       int      `json:"played"`
	CaughtAfter  int      `json:"caught_after"` // runs; 0: not yet
	Inconclusive int      `json:"inconclusive"`
	Failures     []string `json:"failures,omitempty"` // why, of the first few
	Milliseconds int64    `json:"milliseconds"`
}

// openHunts reads what an interrupted mutants of this very program was told, and
// what it has done.
func openHunts(dir string, told *mutantsTold, program string) (*huntState, error) {
	kept, err := journal.Open(dir, "mutants", told)
	if err != nil {
		return nil, err
	}
	s := &huntState{journal: kept}
	err = kept.Results(func(line []byte) error {
		var h huntProgress
		err := json.Unmarshal(line, &h)
		*s.of(h.Name, h.Strategy) = h
		return err
	})
	if err == nil && told.Program != program {
		err = fmt.Errorf("--resume: found in %s the journal of another build of simulate; allowed: the same build, or to begin again", dir)
	}
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return s, nil
}

// of is the progress of a hunt, a new one if it has not begun.
func (s *huntState) of(name, strategy string) *huntProgress {
	for _, h := range s.hunts {
		if h.Name == name && h.Strategy == strategy {
			return h
		}
	}
	h := &huntProgress{Name: name, Strategy: strategy}
	s.hunts = append(s.hunts, h)
	return h
}

// runs counts the runs that are done.
func (s *huntState) runs() (n int) {
	for _, h := range s.hunts {
		n += h.Played
	}
	return n
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
