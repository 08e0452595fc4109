package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
)

// doctorFlags are what doctor was told.
type doctorFlags struct {
	playFlags
	seeds    string
	subjects []string
	tools    bool
	sample   bool
}

// The seeds that doctor plays when it is told nothing, and with --sample.
const (
	doctorSeeds = "1-30"
	sampleSeeds = "1-5"
)

func (p *program) doctorCommand() *cobra.Command {
	f := &doctorFlags{}
	command := &cobra.Command{
		Use:   "doctor [NAME|CLAIM|FILE|FOLDER…]",
		Short: "is every run deterministic here; which outside tools are missing",
		Long: `Plays every scenario of the suite (or those that are named), with every subject and
seed, twice: in separate processes, with GOMAXPROCS 1 and 2. Both must make the same trace. The first
event of a run in which they differ is printed, and the exit code is 5. A built-in
canary, a subject whose doings follow the order of a map, must be found to be
nondeterministic, or doctor itself fails: so it is known that it can.

--tools instead says which outside tools are here, and what is NOT CHECKED
without those that are not; with CI=true in the environment a missing one exits 6.

` + exitCodesHelp,
		Example: "  simulate doctor --seeds 1-300\n  simulate doctor --sample\n  simulate doctor --tools",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if f.tools {
				if f.sample || command.Flags().Changed("seeds") || len(args) > 0 {
					return errors.New("found --tools beside --seeds, --sample or scenarios; allowed: --tools alone, for it plays nothing")
				}
				return p.tools()
			}
			if f.sample && command.Flags().Changed("seeds") {
				return errors.New("found --seeds and --sample; allowed: one of them")
			}
			return p.determinism(command.Context(), f, args)
		},
	}
	command.Flags().StringVar(&f.seeds, "seeds", doctorSeeds, "`RANGE` of the seeds to play, such as 1-300")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only this `SUBJECT`, in every scenario that applies; may be repeated")
	command.Flags().BoolVar(&f.sample, "sample", false, "play only the seeds "+sampleSeeds)
	command.Flags().BoolVar(&f.tools, "tools", false, "look for outside tools; play nothing")
	f.playFlags.add(command)
	return command
}

// canary is the hidden subject that ranges a map of the nodes, and canarySeeds how
// many runs of it there are for the map's order to show.
const (
	canary      = "canary"
	canarySeeds = 20
)

// canaryHost is the first scenario in which the order of nodes can show, of the
// suite where none of the chosen ones has several.
func canaryHost(chosen []*plan.Scenario) (*plan.Scenario, error) {
	several := func(s *plan.Scenario) bool { return s.Nodes.Count > 2 }
	if i := slices.IndexFunc(chosen, several); i >= 0 {
		return chosen[i], nil
	}
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, &exitError{exitBug, err}
	}
	return suite[slices.IndexFunc(suite, several)], nil
}

// determinism plays everything twice.
func (p *program) determinism(ctx context.Context, f *doctorFlags, args []string) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	text := f.seeds
	if f.sample {
		text = sampleSeeds
	}
	seeds, err := parseSeeds(text)
	if err != nil {
		return err
	}
	chosen, err := selectScenarios(args)
	if err != nil {
		return err
	}
	jobs, _, err := selectJobs(chosen, f.subjects, seeds)
	if err != nil {
		return err
	}
	first, second := settings, settings.WithEnvironment("GOMAXPROCS=2")
	first.Workers, second.Workers = max(1, f.workers/2), max(1, f.workers/2)
	host, err := canaryHost(chosen)
	if err != nil {
		return err
	}
	caught, err := p.canaryCaught(ctx, first, second, host)
	if err != nil {
		return err
	}
	total := 0
	for i := range jobs {
		total += 2 * len(jobs[i].Seeds)
	}
	line := newProgress(p.err, "checked", total)
	compared, mismatches, incomplete, err := campaign.Twice(ctx, first, second, jobs, line.step)
	line.end()
	if err != nil {
		return err
	}
	for i := range mismatches {
		if err := p.reportMismatch(ctx, first, second, jobs, &mismatches[i], i == 0); err != nil {
			return err
		}
	}
	for _, r := range incomplete {
		fmt.Fprintf(p.out, "not compared: %s %s seed %d: %s\n", r.Scenario, r.Subject, r.Seed, r.Failure)
	}
	if !caught {
		fmt.Fprintf(p.out, "the canary, which is not deterministic, made the same traces in %d runs: this check cannot be trusted\n", canarySeeds)
	}
	fmt.Fprintf(p.out, "%d mismatches of %d\n", len(mismatches), compared)
	switch {
	case len(mismatches) > 0 || !caught:
		return exit(exitNondeterministic)
	case len(incomplete) > 0:
		return exit(exitInconclusive)
	}
	return nil
}

// canaryCaught plays the canary in a scenario and reports whether it was found out.
func (p *program) canaryCaught(ctx context.Context, first, second campaign.Settings, s *plan.Scenario) (bool, error) {
	host := *s
	host.Subjects = []plan.Subject{{Name: canary, Expect: s.Subjects[0].Expect, Runs: plan.RunsAll}}
	job := campaign.Job{Scenario: &host, Subject: canary}
	for seed := uint64(1); seed <= canarySeeds; seed++ {
		job.Seeds = append(job.Seeds, seed)
	}
	compared, mismatches, incomplete, err := campaign.Twice(ctx, first, second, []campaign.Job{job}, func() {})
	switch {
	case err != nil:
		return false, err
	case compared == 0 && len(incomplete) > 0:
		return false, &exitError{exitBug, fmt.Errorf("the canary could not be played: %s", incomplete[0].Failure)}
	}
	if len(mismatches) > 0 {
		fmt.Fprintf(p.out, "canary: found to be nondeterministic, in %d of %d runs, as it must be\n", len(mismatches), compared)
	}
	return len(mismatches) > 0, nil
}

// reportMismatch names a run that is not deterministic; with detail it plays it
// again until its traces can be laid side by side.
func (p *program) reportMismatch(ctx context.Context, first, second campaign.Settings, jobs []campaign.Job, m *campaign.Mismatch, detail bool) error {
	job := jobs[m.Job]
	fmt.Fprintf(p.out, "mismatch: %s %s seed %d\n  GOMAXPROCS=1: %s\n  GOMAXPROCS=2: %s\n", job.Scenario.Name, job.Subject, m.Seed, m.First, m.Second)
	if !detail {
		return nil
	}
	dir, err := os.MkdirTemp("", "simulate-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const attempts = 10
	for range attempts {
		paths := [2]string{filepath.Join(dir, "first"), filepath.Join(dir, "second")}
		for i, settings := range []campaign.Settings{first, second} {
			again := campaign.Job{Scenario: job.Scenario, Subject: job.Subject, Seeds: []uint64{m.Seed}, Save: paths[i]}
			if _, err := campaign.PlayOne(ctx, settings, again); err != nil {
				return err
			}
		}
		difference, err := saved.CompareTraces(filepath.Join(paths[0], saved.TraceFile), filepath.Join(paths[1], saved.TraceFile))
		if err != nil {
			return err
		}
		if difference != nil {
			p.printDifference(difference, "GOMAXPROCS=1", "GOMAXPROCS=2")
			return nil
		}
	}
	fmt.Fprintf(p.out, "it did not show again in %d further pairs of runs\n", attempts)
	return nil
}
