package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/findings"
	"redlocklab/cmd/simulate/folder"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// runFlags are what run was told.
type runFlags struct {
	playFlags
	journalFlags
	seed     uint64
	seeds    string
	subjects []string
	set      []string
	causes   string
	json     bool
	state    string
	quick    bool
	full     bool
}

const runHelp = `Plays scenarios and compares what each oracle says with what the scenario's file
expects, in both directions. Arguments name scenarios (BA-2) or claims of the built-in
suite, files, or folders with *.yaml in them; "simulate list" shows what there is. Without
arguments it plays the first 20 seeds of every row of the suite, with --full all of
them. A file says which seeds are played: all of SY-0 and SY-10, the first 50 of
other locks and of planted bugs.

Below the table is a summary of each subject: in how many runs any oracle was violated, and
how many of these no broken assumption explains. The ledger's rule decides that: an
assumption explains what comes after it broke. The summary leaves out rows with a planted
bug. The column CAUSES has a stricter answer for the first violated runs of each row, as
many as --causes says. It takes away what broke: see "simulate why".

With one seed (--seed 7) and --out D, the run is saved: D holds plan.json,
trace.ndjson, history.jsonl, verdict.json and, when something was violated,
porcupine.html and explain.svg. Several subjects get folders D/SUBJECT, several
scenarios D/SCENARIO/SUBJECT. With several seeds, D holds the journal, and the
first run of each row that is not as expected.

` + interruptHelp

func (p *program) runCommand() *cobra.Command {
	f := &runFlags{}
	command := &cobra.Command{
		Use:   "run [NAME|CLAIM|FILE|FOLDER…]",
		Short: "play scenarios and compare what held with what was expected",
		Long:  runHelp + exitCodesHelp,
		Example: `  simulate run                                  # the suite
  simulate run BA-2 --seed 7 --out D            # one seed, saved in D
  simulate run BA-2 --subject 'SY-10 guarded' --seeds 1-5000
  simulate run scenarios/suite --quick          # files of a folder, a few seeds of each row`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := f.settings(p)
			if err == nil {
				err = checkState(f.state)
			}
			if err != nil {
				return err
			}
			if !command.HasParent() && isOverview(command, args) {
				return p.playOverview(command.Context(), settings)
			}
			resumed, err := f.resumed(command, args, "seed", "seeds", "subject", "set", "causes", "quick", "full")
			if err != nil {
				return err
			}
			var state *campaign.State
			if resumed {
				var told runTold
				if state, err = campaign.Resume(f.resume, "run", &told); err == nil {
					f.causes = told.Causes
				}
			} else {
				state, err = p.chosen(command, f, args, settings)
			}
			if err != nil {
				return err
			}
			defer state.Close()
			settings.Options.Scripts = state.Options().Scripts
			if f.causes == causesOfAll {
				settings.Causes = campaign.CausesBeside
			}
			return p.run(command.Context(), f, settings, state)
		},
	}
	command.Flags().Uint64Var(&f.seed, "seed", 0, "play this one seed `N`")
	command.Flags().StringVar(&f.seeds, "seeds", "", "play the seeds of this `RANGE`, such as 1-200, in place of those in the files")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only this `SUBJECT`: SY-10 or redlock (all its rows), or 'SY-10 guarded' (one); may be repeated")
	command.Flags().StringArrayVar(&f.set, "set", nil, "give a number of the scenarios, or an option of the locks, another value, as `NAME=VALUE`: ttl=5s, nodes=3, guard=false; \"list parameters\" names them; what is expected stays as it is; may be repeated")
	f.journalFlags.add(command, "the saved run, or the journal of several runs")
	f.journalFlags.addShard(command)
	command.Flags().StringVar(&f.causes, "causes", "3", "look for the causes of the first `N` violated runs of each row, or of all")
	command.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	stateFlag(command, &f.state)
	command.Flags().BoolVar(&f.quick, "quick", false, fmt.Sprintf("play only the first %d seeds of each row (%d of random families)", choice.QuickSeeds, choice.QuickFamily))
	command.Flags().BoolVar(&f.full, "full", false, fmt.Sprintf("without arguments: play all seeds in the files, not the first %d of each row", choice.DefaultSeeds))
	command.MarkFlagsMutuallyExclusive("full", "quick")
	f.playFlags.add(command)
	return command
}

// runTold is what the journal of run keeps beside the jobs.
type runTold struct {
	Causes string `json:"causes"`
}

// causesOfAll asks for the causes of all violated runs.
const causesOfAll = "all"

// mostCauses is of how many violated runs of each row the causes are looked for when all
// are played; with --causes all they are known then.
func (f *runFlags) mostCauses() (int, error) {
	if f.causes == causesOfAll {
		return 0, nil
	}
	n, err := strconv.Atoi(f.causes)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--causes: found %q; allowed: a number from 0, or %s", f.causes, causesOfAll)
	}
	return n, nil
}

// seedRange is which seeds are played, without and with arguments.
func (f *runFlags) seedRange(command *cobra.Command, args []string) (r choice.Seeds, err error) {
	one, several := command.Flags().Changed("seed"), command.Flags().Changed("seeds")
	switch {
	case f.full && (one || several):
		return r, errors.New("found --full beside --seed or --seeds; allowed: one of them")
	case one && several:
		return r, errors.New("found --seed and --seeds; allowed: one of them")
	case one:
		r = choice.Seeds{Seeds: plan.Seeds{First: f.seed, Last: f.seed}, Given: true}
	case several:
		r, err = choice.ParseSeeds(f.seeds)
	case len(args) == 0 && !f.full:
		r.Story, r.Family = choice.DefaultSeeds, choice.DefaultSeeds
	}
	if f.quick {
		r.Story, r.Family = choice.QuickSeeds, choice.QuickFamily
	}
	return r, err
}

// chosen is the campaign that the command line chose.
func (p *program) chosen(command *cobra.Command, f *runFlags, args []string, settings campaign.Settings) (*campaign.State, error) {
	seeds, err := f.seedRange(command, args)
	if err != nil {
		return nil, err
	}
	if _, err := f.mostCauses(); err != nil {
		return nil, err
	}
	scenarios, err := choice.Scenarios(args)
	if err != nil {
		return nil, err
	}
	scenarios, leftOut, err := choice.Set(scenarios, f.set)
	if err != nil {
		return nil, err
	}
	jobs, notApplicable, err := choice.Jobs(scenarios, f.subjects, seeds)
	if err != nil {
		return nil, err
	}
	if !f.json {
		fmt.Fprint(p.out, leftOut, notApplicable)
	}
	saves := f.out != "" && seeds.Given && seeds.First == seeds.Last
	if saves {
		if err := saveInto(jobs, f.out); err != nil {
			return nil, err
		}
	}
	state := campaign.NewState("run", jobs, settings.Options, runTold{f.causes})
	switch {
	case !saves:
		err = f.keep(state.Journal, campaign.Runs(jobs), choice.SeedsOf(jobs))
	case !f.shard.Whole():
		err = errors.New("found --shard, or what a scheduler says, beside one seed; allowed: several seeds, or --shard none")
	}
	if err != nil {
		return nil, errors.Join(err, state.Close())
	}
	return state, nil
}

// saveInto gives every job the folder that its one run is saved to.
func saveInto(jobs []campaign.Job, out string) error {
	scenarios := map[string]bool{}
	for i := range jobs {
		scenarios[jobs[i].Scenario.Name] = true
	}
	for i := range jobs {
		dir := out
		if len(scenarios) > 1 {
			dir = filepath.Join(dir, jobs[i].Scenario.Name)
		}
		if len(jobs) > 1 {
			dir = filepath.Join(dir, folderOf(jobs[i].Subject))
		}
		if err := folder.CanSave(dir); err != nil {
			return err
		}
		jobs[i].Save = dir
	}
	return nil
}

// folderOf makes a folder's name of a subject's title.
func folderOf(subject string) string { return strings.ReplaceAll(subject, " ", "-") }

// run plays the runs that are left of a campaign and prints the results of all.
func (p *program) run(ctx context.Context, f *runFlags, settings campaign.Settings, state *campaign.State) error {
	done := func() error { // of an interrupted command
		if !f.shard.Whole() {
			return nil // the table is of all shards
		}
		rows := slices.DeleteFunc(state.Rows(), func(row campaign.Row) bool { return row.Runs == 0 })
		if len(rows) == 0 || f.json {
			return nil
		}
		return tables.WriteRows(p.out, rows)
	}
	if err := p.playLeft(ctx, "run", settings, state, f.shard, done); err != nil {
		return err
	}
	if !f.shard.Whole() {
		return p.endShard(&f.journalFlags, state.Journal, f.shard.Count(f.manifest.Items)-state.Runs())
	}
	if err := p.someCauses(ctx, f, settings, state); err != nil {
		return err
	}
	rows := state.Rows()
	if err := saveDifferences(ctx, settings, state, rows); err != nil {
		return err
	}
	var compared error // the table is printed all the same
	if f.state != "" {
		compared = p.compareRun(ctx, f, settings, state)
	}
	if errors.Is(compared, context.Canceled) {
		return interrupted("run", state.Journal, state.Runs())
	}
	if err := state.Close(); err != nil {
		return err
	}
	write := p.printTable
	if f.json {
		write = p.printJSON
	}
	if err := cmp.Or(write(state, rows), compared); err != nil {
		return err
	}
	return exit(campaign.ExitCode(rows))
}

// compareRun compares what the campaign found with the campaign before.
func (p *program) compareRun(ctx context.Context, f *runFlags, settings campaign.Settings, state *campaign.State) error {
	out := p.out
	if f.json {
		out = p.err
	}
	groups, err := findings.OfRun(state.Jobs(), state.Journal)
	if err != nil {
		return err
	}
	return p.compareFindings(ctx, settings, groups, f.state, out)
}

// someCauses looks for the causes of the first violated runs of each row. They are not kept:
// a command that continues an interrupted one looks for them again.
func (p *program) someCauses(ctx context.Context, f *runFlags, settings campaign.Settings, state *campaign.State) error {
	most, err := f.mostCauses()
	if err != nil {
		return err
	}
	settings.Causes = campaign.CausesBeside
	jobs := state.Undecided(most)
	line := tables.NewProgress(p.err, "found the causes of", campaign.Runs(jobs))
	err = campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
		state.Decide(r)
		line.Step()
	})
	line.End()
	if errors.Is(err, context.Canceled) {
		return interrupted("run", state.Journal, state.Runs())
	}
	return err
}

// printTable prints the table. A single run says where it is and which trace it made.
func (p *program) printTable(state *campaign.State, rows []campaign.Row) error {
	for i, job := range state.Jobs() {
		if r := state.Saved(i); r != nil {
			fmt.Fprintf(p.out, "%s %s seed %d: trace %s, saved in %s\n  its story: ./simulate explain %s\n", r.Scenario, r.Subject, r.Seed, r.TraceHash, job.Save, campaign.Quote(job.Save))
		}
	}
	return tables.WriteRows(p.out, rows)
}

// printJSON prints the rows for programs.
func (p *program) printJSON(_ *campaign.State, rows []campaign.Row) error {
	good := 0
	for i := range rows {
		if rows[i].AsExpected {
			good++
		}
	}
	encoder := json.NewEncoder(p.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Version    int            `json:"version"`
		Rows       []campaign.Row `json:"rows"`
		AsExpected int            `json:"as_expected"`
		Not        int            `json:"not"`
		ExitCode   int            `json:"exit_code"`
	}{campaign.RowsVersion, rows, good, len(rows) - good, campaign.ExitCode(rows)})
}

// saveDifferences saves the first run of each row that is not as expected into the
// folder of the campaign, when there is one, and puts its replay command into the row.
func saveDifferences(ctx context.Context, settings campaign.Settings, state *campaign.State, rows []campaign.Row) error {
	for i := range state.Jobs() {
		job := &state.Jobs()[i]
		for j := range rows[i].Problems {
			problem := &rows[i].Problems[j]
			if problem.Replay == "" {
				continue
			}
			if job.Save == "" {
				if state.Dir() == "" || problem.Class == campaign.Incomplete {
					continue
				}
				dir := filepath.Join(state.Dir(), job.Scenario.Name, folderOf(job.Subject))
				again := campaign.Job{Scenario: job.Scenario, Subject: job.Subject, Seeds: []uint64{problem.Seed}, Save: dir}
				report, err := campaign.PlayOne(ctx, settings, again)
				if err != nil {
					return err
				}
				if report.Failure == "" {
					problem.Replay = "./simulate replay " + dir
				}
			} else if r := state.Saved(i); r != nil && r.Failure == "" { // a worker that died has written nothing
				problem.Replay = "./simulate replay " + job.Save
			}
			break // the first problem is the worst
		}
	}
	return nil
}
