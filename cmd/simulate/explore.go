package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/coverage"
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
	return text + "\n" + interruptHelp + `
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
			resumed, err := f.resumed(command, nil, "runs", "seed", "strategy", "subject", "option", "break", "expect")
			if err != nil {
				return err
			}
			return p.explore(command.Context(), f, resumed)
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
	f.journalFlags.add(command, "the journal and what is found; default: a new folder below out, when something was found")
	f.playFlags.add(command)
	return command
}

// told checks the flags.
func (f *exploreFlags) told() (explorationTold, error) {
	for i := range f.breaks {
		f.breaks[i] = strings.TrimSpace(f.breaks[i])
	}
	t := explorationTold{
		Strategy: f.strategy, Seed: f.seed, Runs: f.runs, Expect: f.expect, Scripts: f.scripts,
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

// explore plays an exploration, or what is left of it, and prints what became of
// all of it.
func (p *program) explore(ctx context.Context, f *exploreFlags, resumed bool) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	var told explorationTold
	var kept *journal.Journal
	known := map[int]explored{}
	if resumed {
		kept, known, err = openExploration(f.resume, &told)
	} else {
		told, err = f.told()
	}
	if err != nil {
		return err
	}
	strategy, err := search.Start(told.Strategy, told.Seed, told.Options)
	if err != nil {
		return err
	}
	if !resumed {
		kept = journal.New("explore", told)
		if err := f.keep(kept); err != nil {
			return errors.Join(err, kept.Close())
		}
	}
	defer kept.Close()
	settings.Options.Scripts = told.Scripts
	e := &exploration{strategy: strategy, runs: told.Runs, known: known, keep: func(x explored) {
		kept.Add(x)
		known[x.Run] = x
	}}
	line := newProgress(p.err, "played", e.runs)
	err = p.playDrawn(ctx, settings, e, line)
	line.end()
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted("explore", kept, len(known))
	case err != nil:
		return err
	}
	if err := kept.Close(); err != nil {
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
	if err := p.showFindings(ctx, settings, e, kept.Dir()); err != nil {
		return err
	}
	return exit(e.exitCode(told.Expect == "violated", len(told.Options.Break) > 0, missing))
}

// openExploration reads what an interrupted exploration was told, and what became
// of its runs. Runs that failed are left out: they are played again.
func openExploration(dir string, told *explorationTold) (*journal.Journal, map[int]explored, error) {
	kept, err := journal.Open(dir, "explore", told)
	if err != nil {
		return nil, nil, err
	}
	known := map[int]explored{}
	err = kept.Results(func(line []byte) error {
		var x explored
		err := json.Unmarshal(line, &x)
		if x.Failure == "" {
			known[x.Run] = x
		}
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(err, kept.Close())
	}
	return kept, known, nil
}

// playDrawn plays an exploration's runs, a batch at a time, until it has what it wants.
func (p *program) playDrawn(ctx context.Context, settings campaign.Settings, e *exploration, line *progress) error {
	for {
		b, err := e.next()
		if err != nil || b == nil {
			return err
		}
		begun := e.played
		if err := campaign.Play(ctx, settings, b.jobs, func(r campaign.Report) {
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
