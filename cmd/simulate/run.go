package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/findings"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
)

type runFlags struct {
	playFlags
	journalFlags
	seed          uint64
	seeds         string
	subjects, set []string
	causes, state string
	json          bool
	quick, full   bool
	played        *campaign.State
}

const runHelp = `Plays scenarios and compares each oracle's answer with the expectation in the
scenario's file. A missing violation is as bad as an unexpected one. Arguments name scenarios
(BA-2) or claims of the built-in suite, files, or folders with *.yaml in them; "simulate list"
shows all names. Without arguments it plays the first 20 seeds of every row of the suite, with
--full all of them. Each file lists its seeds: SY-0 and SY-10 play all of them; other locks
and planted bugs play the first 50.

The column CAUSES names the causes of the first violated runs of each row, as many as
--causes says; "simulate why" tells them in full. Below the table is a summary of each
subject: how many runs violated an oracle, and how many of these have no footprint
of a broken assumption. The summary omits rows with a planted bug.

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
		Short: "play scenarios and compare the verdicts with the expected ones",
		Long:  runHelp + summaryHelp + exitCodesHelp,
		Example: `  simulate run                                  # the suite
  simulate run BA-2 --seed 7 --out D            # one seed, saved in D
  simulate run BA-2 --subject 'SY-10 guarded' --seeds 1-5000
  simulate run scenarios/suite --quick          # files of a folder, a few seeds of each row`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			err := f.apply(p)
			if err == nil {
				err = checkState(f.state)
			}
			if err != nil {
				return err
			}
			if !command.HasParent() && isOverview(command, args) {
				return p.playOverview(command.Context())
			}
			resumed, err := f.resumed(command, args, "seed", "seeds", "subject", "set", "causes", "quick", "full")
			if err == nil && resumed {
				told := runTold{f.causes}
				f.played, err = campaign.Resume(f.resume, "run", &told)
				f.causes = told.Causes
			} else if err == nil {
				err = p.choose(command, f, args)
			}
			if err != nil {
				return err
			}
			defer f.played.Close()
			p.settings.Options.Scripts = f.played.Options().Scripts
			if f.causes == causesOfAll {
				p.settings.Causes = campaign.CausesBeside
			}
			return p.summarized("run", f.json, func() error { return p.run(command.Context(), f) })
		},
	}
	flags := command.Flags()
	flags.Uint64Var(&f.seed, "seed", 0, "play this one seed `N`")
	flags.StringVar(&f.seeds, "seeds", "", "play the seeds of this `RANGE`, such as 1-200, in place of those in the files")
	flags.StringSliceVar(&f.subjects, "subject", nil,
		"play only this `SUBJECT`: SY-10 or redlock (all its rows), or 'SY-10 guarded' (one); may be repeated")
	flags.StringArrayVar(&f.set, "set", nil,
		"set a number of the scenarios, or an option of the locks, as `NAME=VALUE`: ttl=5s, nodes=3, "+
			"guard=false; \"list parameters\" names them; expectations do not change; may be repeated")
	f.journalFlags.addShard(command, "the saved run, or the journal of several runs")
	flags.StringVar(&f.causes, "causes", "3", "look for the causes of the first `N` violated runs of each row, or of all")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	stateFlag(command, &f.state)
	flags.BoolVar(&f.quick, "quick", false,
		fmt.Sprintf("play only the first %d seeds of each row (%d of random families)", quickSeeds, quickFamily))
	flags.BoolVar(&f.full, "full", false,
		fmt.Sprintf("without arguments: play all seeds in the files, not the first %d of each row", defaultSeeds))
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

// mostCauses is the number of violated runs of each row whose causes someCauses looks for. It is 0
// with --causes all, when the workers have found all causes already.
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
func (f *runFlags) seedRange(command *cobra.Command, args []string) (r seedChoice, err error) {
	one, several := command.Flags().Changed("seed"), command.Flags().Changed("seeds")
	switch {
	case f.full && (one || several):
		return r, errors.New("found --full beside --seed or --seeds; allowed: one of them")
	case one && several:
		return r, errors.New("found --seed and --seeds; allowed: one of them")
	case one:
		r = oneSeed(f.seed)
	case several:
		r, err = parseSeeds(f.seeds)
	case len(args) == 0 && !f.full:
		r.Story, r.Family = defaultSeeds, defaultSeeds
	}
	if f.quick {
		r.Story, r.Family = quickSeeds, quickFamily
	}
	return r, err
}

// choose begins the campaign that the command line chooses.
func (p *program) choose(command *cobra.Command, f *runFlags, args []string) error {
	seeds, err := f.seedRange(command, args)
	if err == nil {
		_, err = f.mostCauses()
	}
	if err != nil {
		return err
	}
	jobs, notes, err := chooseJobs(args, f.set, f.subjects, seeds)
	if err != nil {
		return err
	}
	if !f.json {
		fmt.Fprint(p.out, notes)
	}
	saves := f.out != "" && seeds.Given && seeds.First == seeds.Last
	if saves {
		if err := saveInto(jobs, f.out); err != nil {
			return err
		}
	}
	f.played = campaign.NewState("run", jobs, p.settings.Options, runTold{f.causes})
	switch {
	case !saves:
		err = f.keep(f.played.Journal, campaign.Runs(jobs), seedsOf(jobs))
	case !f.shard.Whole():
		err = errors.New("found --shard, or a scheduler's variables, together with one seed; " +
			"allowed: several seeds, or --shard none")
	}
	if err != nil {
		err = errors.Join(err, f.played.Close())
	}
	return err
}

// run plays the runs that are left of a campaign and prints the results of all. When it is interrupted,
// it prints the table of what is done. A shard has no table: that is about all shards.
func (p *program) run(ctx context.Context, f *runFlags) error {
	state := f.played
	return p.playKept(ctx, &f.journalFlags, longCommand{
		name: "run", kept: state.Journal, runs: state.Runs,
		play: func(ctx context.Context) error {
			err := p.play(ctx, p.settings, state.Left(f.shard.Has), state.Add)
			if err == nil {
				err = state.Settle()
			}
			return err
		},
		stopped: func() error {
			rows := slices.DeleteFunc(state.Rows(), func(row campaign.Row) bool { return row.Runs == 0 })
			if !f.shard.Whole() || len(rows) == 0 || f.json {
				return nil
			}
			return tables.WriteRows(p.out, rows)
		},
		failed: func() int { return f.shard.Count(f.manifest.Items) - state.Runs() },
		show:   func() error { return p.showRun(ctx, f) },
	})
}

// showRun looks for causes, saves what is not as expected, and prints the table.
func (p *program) showRun(ctx context.Context, f *runFlags) error {
	state := f.played
	err := p.someCauses(ctx, f)
	rows := state.Rows()
	if err == nil {
		err = p.saveDifferences(ctx, state, rows)
	}
	if err != nil {
		return err
	}
	compared := p.compareRun(ctx, f) // the table is printed all the same
	if errors.Is(compared, context.Canceled) {
		return interrupted("run", state.Journal, state.Runs())
	}
	if err := state.Close(); err != nil {
		return err
	}
	p.addRows(state.Jobs(), rows)
	if f.json {
		err = p.printJSONRows(rows)
	} else {
		err = p.printRows(state, rows)
	}
	return cmp.Or(err, compared, exit(campaign.ExitCode(rows)))
}

// compareRun compares the campaign with the earlier one that the state file keeps, if one is named.
func (p *program) compareRun(ctx context.Context, f *runFlags) error {
	if f.state == "" {
		return nil
	}
	groups, err := findings.OfRun(f.played.Jobs(), f.played.Journal)
	if err != nil {
		return err
	}
	out := p.out
	if f.json {
		out = p.err
	}
	return p.compareFindings(ctx, groups, f.state, out)
}

// someCauses looks for the causes of the first violated runs of each row. It does not keep them:
// a command that continues an interrupted one looks for them again.
func (p *program) someCauses(ctx context.Context, f *runFlags) error {
	most, err := f.mostCauses()
	if err != nil {
		return err
	}
	settings := p.settings
	settings.Causes = campaign.CausesBeside
	err = p.playAs(ctx, "found the causes of", settings, f.played.Undecided(most), f.played.Decide)
	if errors.Is(err, context.Canceled) {
		return interrupted("run", f.played.Journal, f.played.Runs())
	}
	return err
}

// printRows prints the table. Of a saved run it prints the folder and the hash of the trace.
func (p *program) printRows(state *campaign.State, rows []campaign.Row) error {
	for i, job := range state.Jobs() {
		if r := state.Saved(i); r != nil {
			fmt.Fprintf(p.out, "%s %s seed %d: trace %s, saved in %s\n  its story: ./simulate explain %s\n",
				r.Scenario, r.Subject, r.Seed, r.TraceHash, job.Save, campaign.Quote(job.Save))
		}
	}
	return tables.WriteRows(p.out, rows)
}

// printJSONRows prints the rows for programs.
func (p *program) printJSONRows(rows []campaign.Row) error {
	good := 0
	for i := range rows {
		good += one(rows[i].AsExpected)
	}
	return p.printJSON(struct {
		Version    int            `json:"version"`
		Rows       []campaign.Row `json:"rows"`
		AsExpected int            `json:"as_expected"`
		Not        int            `json:"not"`
		ExitCode   int            `json:"exit_code"`
	}{campaign.RowsVersion, rows, good, len(rows) - good, campaign.ExitCode(rows)})
}

// saveDifferences saves the first run of each row that is not as expected into the
// folder of the campaign, when there is one, and puts its replay command into the row.
func (p *program) saveDifferences(ctx context.Context, state *campaign.State, rows []campaign.Row) error {
	for i := range state.Jobs() {
		job := &state.Jobs()[i]
		worst := slices.IndexFunc(rows[i].Problems, func(p campaign.Problem) bool { // the first
			return p.Replay != "" && (job.Save != "" || state.Dir() != "" && p.Class != campaign.Incomplete)
		})
		if worst < 0 {
			continue
		}
		problem, again, r := &rows[i].Problems[worst], *job, state.Saved(i)
		if job.Save == "" {
			again.Seeds = []uint64{problem.Seed}
			again.Save = filepath.Join(state.Dir(), job.Scenario.Name, folderOf(job.Subject))
			report, err := campaign.PlayOne(ctx, p.settings, again)
			if err != nil {
				return err
			}
			r = &report
		}
		if r != nil && r.Failure == "" { // a worker that died wrote nothing
			problem.Replay = "./simulate replay " + again.Save
		}
	}
	return nil
}
