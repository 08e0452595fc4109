package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
	"redlocklab/sim/words"
)

type whyFlags struct {
	playFlags
	subjects, set []string
	seed          uint64
	out           string
	json          bool
}

func (p *program) whyCommand() *cobra.Command {
	f := &whyFlags{}
	command := &cobra.Command{
		Use:   "why DIR|NAME|CLAIM|FILE",
		Short: "find what caused the violations of a run, by healing it",
		Long: `Heals the breaks of assumptions in a run, plays it again, and checks whether each
finding is still there. Everything else stays the same: the same draws decide latencies
and losses. Steps that waited for a removed fault keep their times.

A cause is a smallest set of breaks without which the finding vanishes. A break is a
fault or a part of one, such as the votes that a crash loses. It can also be a setting of
the plan: a clock's rate, a client that knows other nodes, a shared token.
A finding needs one break of each of its causes; of several breaks in one cause, any is
enough. A finding without a cause is the lock's own bug, whatever else broke. A fault
that breaks no assumption is listed as needed if the finding vanishes without it.

DIR is a saved run, whose causes are then kept in it (` + saved.CausesFile + `) for "simulate explain". A
scenario is played with one seed. With --out the run without the first cause of the worst
finding is saved, so that explain can compare both runs.
` + exitCodes(`
  0    every finding has a cause, or there is none
  1    a finding is the lock's own bug
  4    the run has no verdict, or the replays could not decide
  5    not deterministic: the saved plan made another trace`),
		Example: `  simulate run BA-2 --subject SY-0 --seed 7 --out D
  simulate why D
  simulate why D --out without
  simulate why BA-2 --subject SY-8 --seed 1 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if err := f.apply(p); err != nil {
				return err
			}
			return p.why(command.Context(), f, args[0], command.Flags().Changed("seed"))
		},
	}
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "of a scenario: play only this `SUBJECT`; may be repeated")
	command.Flags().Uint64Var(&f.seed, "seed", 1, "of a scenario: play this seed `N`")
	command.Flags().StringArrayVar(&f.set, "set", nil, "of a scenario: give a parameter another value, as `NAME=VALUE`; may be repeated")
	command.Flags().StringVar(&f.out, "out", "", "`DIR2` for the run without the cause")
	command.Flags().BoolVar(&f.json, "json", false, "print the answer as JSON")
	f.playFlags.add(command)
	return command
}

// asked is one run whose causes are asked for.
type asked struct {
	Run           string `json:"run"`
	*cause.Answer        // nil: not yet
	dir           string // of the saved run; empty: of a scenario
	hash          string // of the trace that the plan must make; empty: any
	job           campaign.Job
	result        *play.Result
}

// why answers for each run that the argument names.
func (p *program) why(ctx context.Context, f *whyFlags, argument string, seeded bool) error {
	runs, err := f.asked(argument, seeded)
	if err != nil {
		return err
	}
	if f.out != "" && len(runs) > 1 {
		return fmt.Errorf("--out names one folder, but %s is %d runs; allowed: one of them, such as %s", argument, len(runs), runs[0].Run)
	}
	if err := besides(f.out, runs[0].dir); err != nil {
		return err
	}
	line := tables.NewProgress(p.err, "found the causes of", len(runs))
	defer line.End()
	worst := exitExpected
	for i := range runs {
		if err := p.answerWhy(ctx, &runs[i]); err != nil {
			return err
		}
		line.Step()
		worst = worse(worst, runs[i].code())
	}
	line.End()
	if f.json {
		err = p.printJSON(runs)
	}
	for i := 0; i < len(runs) && err == nil && !f.json; i++ {
		fmt.Fprintf(p.out, "%s: %s\n", words.Visible(runs[i].Run), runs[i].Answer)
		_, err = runs[i].WriteTo(p.out)
	}
	if err == nil && f.out != "" {
		err = p.saveWithout(ctx, &runs[0], f)
	}
	return cmp.Or(err, exit(worst))
}

// asked finds the runs that the argument names: saved ones, or a scenario's with one seed.
func (f *whyFlags) asked(argument string, seeded bool) ([]asked, error) {
	var runs []asked
	if info, err := os.Stat(argument); err == nil && (info.IsDir() || info.Name() == saved.PlanFile) {
		if len(f.subjects) > 0 || seeded || len(f.set) > 0 {
			return nil, errors.New("found --subject, --seed or --set beside a saved run; allowed: beside a scenario")
		}
		dirs, err := saved.FindSaved(argument)
		for _, dir := range dirs {
			run, err := saved.OpenSaved(dir)
			if err != nil {
				return nil, err
			}
			one := asked{Run: runName(run.Plan), dir: dir, job: campaign.PlanJob(run.Plan)}
			if !run.Changed() {
				one.hash = run.Verdict.TraceHash
			}
			runs = append(runs, one)
		}
		return runs, err
	}
	jobs, _, err := chooseJobs([]string{argument}, f.set, f.subjects, oneSeed(f.seed))
	for _, job := range jobs {
		runs = append(runs, asked{Run: fmt.Sprintf("%s %s seed %d", job.Scenario.Name, job.Subject, f.seed), job: job})
	}
	return runs, err
}

func runName(p *plan.Plan) string {
	return fmt.Sprintf("%s seed %d", strings.TrimSpace(p.Scenario+" "+p.Subject.Title()), p.Seed)
}

func (a *asked) code() int {
	code := exitExpected
	for i := range a.Findings {
		switch f := &a.Findings[i]; {
		case f.Undecided != "":
			code = worse(code, exitInconclusive)
		case f.OwnBug():
			code = worse(code, exitSafety)
		}
	}
	return code
}

// answerWhy plays a run again, in a worker, and finds its causes. They are kept with a saved run.
func (p *program) answerWhy(ctx context.Context, a *asked) error {
	temporary, err := os.MkdirTemp("", "simulate-why-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	a.job.Save = filepath.Join(temporary, "run")
	report, err := campaign.PlayOne(ctx, p.settings, a.job)
	switch {
	case err != nil:
		return err
	case report.Failure != "":
		return fmt.Errorf("%s: %w: %s", a.Run, search.ErrNoVerdict, report.Failure)
	case a.hash != "" && report.TraceHash != a.hash:
		return fmt.Errorf("%s: %w; to see the difference: ./simulate replay %s", a.Run, search.ErrNotDeterministic, a.dir)
	}
	if a.result, err = saved.Load(a.job.Save); err == nil {
		a.Answer, err = saved.Causes(a.job.Save, a.result)
	}
	if err != nil {
		return err
	}
	if a.Answer == nil { // nothing is violated
		a.Answer = cause.Decide(a.result, nil, cause.Options{})
	}
	if a.dir != "" && a.hash != "" {
		return saved.WriteCauses(a.Answer, a.dir)
	}
	return nil
}

// saveWithout saves the run without the first cause of the worst finding that has one.
func (p *program) saveWithout(ctx context.Context, a *asked, f *whyFlags) error {
	i := slices.IndexFunc(a.Findings, func(f cause.Finding) bool { return len(f.Causes) > 0 })
	if i < 0 {
		return fmt.Errorf("--out: %s has no finding with a cause; allowed: a run that has one", a.Run)
	}
	first := &a.Findings[i].Causes[0]
	report, err := p.playPlan(ctx, cause.Without(a.result, first.Names()), f.out)
	if err != nil {
		return err
	}
	if report.Failure != "" {
		return fmt.Errorf("%w: %s", search.ErrNoVerdict, report.Failure)
	}
	if f.json {
		return nil
	}
	fmt.Fprintf(p.out, "the run without it is saved in %s: %s; its story: ./simulate explain %s\n", f.out, report.Answers, f.out)
	if a.dir != "" {
		fmt.Fprintf(p.out, "both on one page: ./simulate explain %s --html both.html --compare %s\n", a.dir, f.out)
	}
	return nil
}
