package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
	"redlocklab/tla"
)

// reportFlags are what report was told.
type reportFlags struct {
	playFlags
	root   string
	check  bool
	rerun  bool
	sample bool
	small  bool // --minimal
	seeds  int

	subjects []string
}

// The files of the report, below the root of the checkout.
const (
	reportFile  = "REPORT.md"
	cellsFile   = "cmd/simulate/report/CELLS.md"
	resultsFile = "cmd/simulate/report/results/cells.jsonl"
	judgedFile  = "cmd/simulate/report/judgements.yaml"
)

// checkSeeds is how many seeds of each cell --check and --sample play again.
const checkSeeds = 2

// shownChanges bounds how many changes are printed.
const shownChanges = 20

func (p *program) reportCommand() *cobra.Command {
	f := &reportFlags{}
	command := &cobra.Command{
		Use:   "report [NAME|CLAIM…]",
		Short: "make REPORT.md from the committed results; make them anew; check both",
		Long: fmt.Sprintf(`Writes %s and %s from %s,
what is said of them in %s, the models' manifest, the
fidelity rows and the measured curves in cmd/simulate/report.

--rerun plays every cell of the matrix first (each scenario with each system that
it is a question to, %d seeds) and every measured curve, and replaces the results; then
it makes each run that the track record shows as small as it goes, in
%s. With --minimal it does only that. With --sample it plays %d
seeds of each cell, some points of each curve and the minimal plans, compares them with
the results, and changes nothing.

--check changes nothing either: it fails when a file is not what the results make, when
the results are not about this suite, when a violation that nothing explains is judged
nowhere, when a minimal plan is missing or no longer shows its finding, or when a sample
of the runs ends otherwise than it did. What is found in systems of others counts as
much as what is expected.

With arguments only cells of these scenarios or claims are played, with --subject
only those of a system; --rerun plays the stale ones too, and should be given the
--seeds that the other results were made with, for it keeps those.

Exit codes:
  0    written, or all as it was
  1    --check, --sample: a file is stale, or a result has changed
  2    bad usage or input; nothing was written
  4    a run of a curve has no verdict; the curve stays as it was
  70   a bug of this program
  130  interrupted; what was being made (results, curves, minimal plans, documents) stays as it was`, reportFile, cellsFile, resultsFile, judgedFile, report.SeedsOfCell, report.MinimalFolder, checkSeeds),
		Example: "  simulate report --check\n  simulate report --rerun\n  simulate report --rerun MX-8 --subject redsync",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if (len(args) > 0 || len(f.subjects) > 0) && !f.rerun && !f.check {
				return errors.New("found scenarios or --subject alone; allowed: with --rerun or --check, which play runs")
			}
			if (f.sample || f.small) && (!f.rerun || f.sample && f.small) {
				return errors.New("found --sample or --minimal alone, or both; allowed: --rerun --sample, --rerun --minimal")
			}
			if f.check && f.rerun {
				return errors.New("found --check beside --rerun; allowed: one of them, for --check plays a sample itself")
			}
			if f.seeds < checkSeeds || f.seeds > 100_000 {
				return fmt.Errorf("--seeds: found %d; allowed: %d to 100000", f.seeds, checkSeeds)
			}
			return p.report(command.Context(), f, args)
		},
	}
	command.Flags().StringVar(&f.root, "root", ".", "`DIR` of the checkout")
	command.Flags().BoolVar(&f.check, "check", false, "write nothing; fail when anything has changed")
	command.Flags().BoolVar(&f.rerun, "rerun", false, "play every cell again and replace the results")
	command.Flags().BoolVar(&f.sample, "sample", false, fmt.Sprintf("with --rerun: play %d seeds of each cell and compare", checkSeeds))
	command.Flags().BoolVar(&f.small, "minimal", false, "with --rerun: make only the track record's minimal plans anew")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only cells of this `SYSTEM`; may be repeated")
	command.Flags().IntVar(&f.seeds, "seeds", report.SeedsOfCell, "with --rerun: `NUMBER` of seeds of each cell")
	f.playFlags.add(command)
	return command
}

func (p *program) report(ctx context.Context, f *reportFlags, names []string) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.root, "go.mod")); err != nil {
		return fmt.Errorf("--root: found no go.mod in %s; allowed: the folder of the checkout", f.root)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		return bug(err)
	}
	cells := matrix.Cells(suite)
	path := filepath.Join(f.root, resultsFile)
	remake := f.rerun && !f.sample
	results, err := p.results(ctx, f, settings, cells, names, path)
	if err != nil {
		return err
	}
	if remake && !f.small && len(names) == 0 && len(f.subjects) == 0 {
		if err := p.remeasure(ctx, settings, f.root); err != nil {
			return err
		}
	}
	changes := results.Stale(cells)
	if len(changes) > 0 && !f.check && !f.sample {
		return fmt.Errorf("%s is not about this suite (%s, and %d more); make it anew: ./simulate report --rerun", path, changes[0], len(changes)-1)
	}
	in, err := reportInput(f.root, suite, results)
	if err != nil {
		return err
	}
	asked, err := f.asked(cells, names)
	if err != nil {
		return err
	}
	if remake {
		if err := p.remakeMinimal(ctx, f, settings, in, asked); err != nil {
			return err
		}
		if err := writeResults(path, results); err != nil {
			return err
		}
	}
	if (f.check || f.sample) && len(changes) == 0 {
		if changes, err = p.sampled(ctx, settings, in, asked); err != nil {
			return err
		}
	}
	if f.check {
		changes = append(changes, in.Unjudged()...)
		changes = append(changes, in.MinimalGaps()...)
	}
	if (f.check || f.sample) && len(f.subjects) == 0 {
		measured, err := p.curveChanges(ctx, settings, in.Curves, names)
		if err != nil {
			return err
		}
		changes = append(changes, measured...)
	}
	documents := map[string][]byte{reportFile: []byte(report.Render(in)), cellsFile: []byte(report.RenderCells(in))}
	for _, name := range []string{reportFile, cellsFile} {
		file := filepath.Join(f.root, name)
		if !f.check && !f.sample {
			if err := journal.WriteFile(file, documents[name]); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "written: %s\n", file)
			continue
		}
		old, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if f.check && !bytes.Equal(old, documents[name]) {
			changes = append(changes, name+" is stale; make it anew: ./simulate report")
		}
	}
	return p.reportChanges(f, changes)
}

// reportChanges prints what --check and --sample have found.
func (p *program) reportChanges(f *reportFlags, changes []string) error {
	if !f.check && !f.sample {
		return nil
	}
	for i, change := range changes {
		if i == shownChanges {
			fmt.Fprintf(p.out, "… and %d more\n", len(changes)-i)
			break
		}
		fmt.Fprintln(p.out, change)
	}
	if len(changes) > 0 {
		fmt.Fprintf(p.out, "%d changes; if they are meant: ./simulate report --rerun\n", len(changes))
		return exit(exitSafety)
	}
	fmt.Fprintf(p.out, "the results are as committed in a sample of %d seeds of each cell that was played, and in their curves and minimal plans\n", checkSeeds)
	return nil
}

// results are the committed ones, or with --rerun those that are made now: of all
// cells, or of the scenarios, claims and systems that were named and of those that have none.
func (p *program) results(ctx context.Context, f *reportFlags, settings campaign.Settings, cells []matrix.Cell, names []string, path string) (*report.Results, error) {
	made := fmt.Sprintf("./simulate report --rerun --seeds %d", f.seeds)
	all := len(names) == 0 && len(f.subjects) == 0
	if all && f.rerun && !f.sample && !f.small {
		reports, err := p.playAll(ctx, settings, report.Jobs(cells, f.seeds))
		return report.Collect(cells, reports, made), err
	}
	old, err := report.Load(path)
	if err != nil || !f.rerun || f.sample || f.small {
		return old, err
	}
	some, err := f.asked(cells, names)
	if err != nil {
		return nil, err
	}
	for i := range cells {
		if !among(some, cells[i].Scenario.Name, cells[i].Subject.Title()) && old.StaleCell(&cells[i]) != "" {
			some = append(some, cells[i])
		}
	}
	reports, err := p.playAll(ctx, settings, report.Jobs(some, f.seeds))
	if err != nil {
		return nil, err
	}
	old.Replace(report.Collect(cells, reports, made))
	return old, nil
}

// among reports whether the cell of a scenario and a subject's title is one of some.
func among(cells []matrix.Cell, scenario, subject string) bool {
	return slices.ContainsFunc(cells, func(c matrix.Cell) bool { return c.Scenario.Name == scenario && c.Subject.Title() == subject })
}

// sampled plays some seeds of cells, and their minimal plans, and says what has changed.
func (p *program) sampled(ctx context.Context, settings campaign.Settings, in *report.Input, cells []matrix.Cell) ([]string, error) {
	reports, err := p.playAll(ctx, settings, report.Jobs(cells, checkSeeds))
	if err != nil {
		return nil, err
	}
	lost, err := p.lostMinimal(ctx, settings, in, cells)
	return append(in.Results.Compare(reports), lost...), err
}

// asked are the cells of the scenarios or claims and of the systems that were named;
// none named is all.
func (f *reportFlags) asked(cells []matrix.Cell, names []string) ([]matrix.Cell, error) {
	chosen, err := selectScenarios(names)
	if err != nil {
		return nil, err
	}
	return matrix.Select(slices.DeleteFunc(slices.Clone(cells), func(c matrix.Cell) bool {
		return !slices.ContainsFunc(chosen, func(s *plan.Scenario) bool { return s.Name == c.Scenario.Name })
	}), f.subjects)
}

func writeResults(path string, results *report.Results) error {
	text, err := results.Encode()
	if err != nil {
		return err
	}
	return journal.WriteFile(path, text)
}

// errStaysAsItWas ends the making of results, curves, plans or documents after Ctrl-C.
var errStaysAsItWas = &exitError{exitInterrupted, errors.New("interrupted; what was being made stays as it was")}

// playAll plays jobs and returns all of their reports.
func (p *program) playAll(ctx context.Context, settings campaign.Settings, jobs []campaign.Job) ([]campaign.Report, error) {
	var reports []campaign.Report
	err := p.play(ctx, settings, jobs, func(r campaign.Report) { reports = append(reports, r) })
	if errors.Is(err, context.Canceled) {
		return nil, errStaysAsItWas
	}
	return reports, err
}

// reportInput is all that the report is made of.
func reportInput(root string, suite []*plan.Scenario, results *report.Results) (*report.Input, error) {
	models, err := tla.ByClaim()
	if err != nil {
		return nil, bug(err)
	}
	curves, err := report.LoadCurves(filepath.Join(root, curvesFolder))
	if err != nil {
		return nil, err
	}
	versions, err := versionsOf(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	minimal, err := report.LoadMinimal(filepath.Join(root, report.MinimalFolder))
	if err != nil {
		return nil, err
	}
	judgements, err := report.LoadJudgements(filepath.Join(root, judgedFile))
	if err != nil {
		return nil, err
	}
	return &report.Input{Results: results, Judgements: judgements, Suite: suite, Models: models, Minimal: minimal, Curves: curves, Versions: versions}, nil
}

// decisive are the modules whose versions the results depend on.
var decisive = []string{"alicebob/miniredis", "redis/go-redis/v9 ", "anishathalye/porcupine", "go-redsync/redsync", "bsm/redislock"}

var requirement = regexp.MustCompile(`(?m)^\s*(?:require )?(\S+ v\S+)$|^(go \S+)$`)

// versionsOf reads the versions that matter out of a go.mod.
func versionsOf(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, match := range requirement.FindAllStringSubmatch(string(text), -1) {
		line := match[1] + match[2]
		if match[2] != "" || slices.ContainsFunc(decisive, func(m string) bool { return strings.Contains(line, m) }) {
			list = append(list, line)
		}
	}
	return list, nil
}
