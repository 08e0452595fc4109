package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

const agreeHelp = `Plays drawn runs of healthy locks, with and without broken assumptions, and of locks
with planted bugs, and prints which oracle called what violated, how often, and in
which ways the oracles differed. scenarios/search/ORACLES.md explains the ways that
may be; a way that must not be is marked with "!".

Exit codes:
  0    every difference is an explained one
  1    oracles differ in a way that nothing explains
  4    some run was inconclusive, and nothing worse
  2    bad usage
  70   a bug of this program
  130  interrupted`

func (p *program) agreeCommand() *cobra.Command {
	f := &playFlags{}
	var runs int
	var seed uint64
	command := &cobra.Command{
		Use:     "agree",
		Short:   "compare the oracles with each other on drawn runs",
		Long:    agreeHelp,
		Example: "  simulate agree --runs 10000",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			if runs < 1 || runs > 10_000_000 {
				return fmt.Errorf("--runs: found %d; allowed: 1 to 10000000", runs)
			}
			return p.agree(command.Context(), settings, runs, seed)
		},
	}
	command.Flags().IntVar(&runs, "runs", 1000, "how many runs to play")
	command.Flags().Uint64Var(&seed, "seed", 1, "number `N` that the first run is drawn from; the others follow")
	f.add(command)
	return command
}

// openShown is how many of the runs without a verdict are named.
const openShown = 10

// agreement counts how often the oracles gave which answers.
type agreement struct {
	first    uint64
	subjects []search.Options
	rows     map[search.Answers]*agreementRow
	open     []string // runs without a verdict, and why
}

// agreementRow counts the runs with one set of answers.
type agreementRow struct{ healthy, broken, planted int }

func (p *program) agree(ctx context.Context, settings campaign.Settings, runs int, seed uint64) error {
	a := &agreement{first: seed, subjects: search.AgreementSubjects(), rows: map[search.Answers]*agreementRow{}}
	line := newProgress(p.err, "played", runs)
	defer line.end()
	for begun := 0; begun < runs; begun += batchSize {
		jobs, err := a.jobs(begun, min(begun+batchSize, runs))
		if err != nil {
			return err
		}
		if err := campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
			line.step()
			a.take(&r)
		}); err != nil {
			return err
		}
	}
	line.end()
	return p.printAgreement(a, runs)
}

// of is what a seed's run is drawn for: the subjects take turns.
func (a *agreement) of(seed uint64) search.Options { return a.subjects[seed%uint64(len(a.subjects))] }

func (a *agreement) jobs(from, to int) ([]campaign.Job, error) {
	var jobs []campaign.Job
	for i := from; i < to; i++ {
		seed := a.first + uint64(i)
		plan, err := search.Swarm(seed, a.of(seed))
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, campaign.PlanJob(plan))
	}
	return jobs, nil
}

func (a *agreement) take(r *campaign.Report) {
	o := a.of(r.Seed)
	answers, finished := search.AnswersOf(r, slices.Contains(o.Break, checker.AssumptionWork)) // only then clients write
	if !finished {
		subject := r.Subject
		for _, s := range o.Settings {
			subject += " " + s.Name + "=" + s.Value
		}
		a.open = append(a.open, fmt.Sprintf("seed %d, %s: %s", r.Seed, subject, cmp.Or(r.Failure, r.Outcome)))
		return
	}
	row := a.rows[answers]
	if row == nil {
		row = &agreementRow{}
		a.rows[answers] = row
	}
	switch {
	case len(o.Settings) > 0:
		row.planted++
	case len(o.Break) > 0:
		row.broken++
	default:
		row.healthy++
	}
}

func (p *program) printAgreement(a *agreement, runs int) error {
	fmt.Fprintf(p.out, "%d runs from seed %d\n", runs, a.first)
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HEALTHY\tASSUMPTION BROKEN\tBUG PLANTED\tVIOLATED\tRESOURCE\tHOW THE ORACLES DIFFER")
	unexplained := 0
	for _, answers := range slices.SortedFunc(maps.Keys(a.rows), func(x, y search.Answers) int {
		return cmp.Or(cmp.Compare(x.String(), y.String()), cmp.Compare(used(x), used(y)))
	}) {
		row := a.rows[answers]
		var ways []string
		for _, d := range answers.Disagree() {
			name := d.Name
			if !d.Explained {
				name += "!"
				unexplained++
			}
			ways = append(ways, name)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\t%s\n", row.healthy, row.broken, row.planted, answers, used(answers), cmp.Or(strings.Join(ways, ", "), "they agree"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(a.open) > 0 {
		fmt.Fprintf(p.out, "%d runs without a verdict:\n", len(a.open))
	}
	slices.Sort(a.open)
	for _, run := range a.open[:min(len(a.open), openShown)] {
		fmt.Fprintf(p.out, "  %s\n", run)
	}
	switch {
	case unexplained > 0:
		return exit(exitSafety)
	case len(a.open) > 0:
		return exit(exitInconclusive)
	}
	return nil
}

func used(a search.Answers) string {
	if a.Accessed {
		return "used"
	}
	return "unused"
}
