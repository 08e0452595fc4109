package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/shard"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

type mapFlags struct {
	playFlags
	journalFlags
	mapWords
	all   bool
	pages string
}

// mapTold is what the journal keeps of a map.
type mapTold struct {
	Spec    atlas.Spec      `json:"spec"`
	Options play.RunOptions `json:"options"`
	Pages   atlas.Pages     `json:"pages"`
	Command string          `json:"made_by"`
}

const mapHelp = `Plays a scenario for each cell of a grid and says where the lock is safe. The axes are
parameters as --set takes them ("simulate list parameters FILE"), with values FROM..TO (cut
into --cells), FROM:TO:STEP or A,B,C. The answer of a cell is two holders, one holder, no
progress, or undecided (the fault had no effect). Borders between cells are halved
--refine times. One axis makes a table and a plot; a third axis makes panels. Without --x
it plays the file's own map.

A map's file may predict the border by a formula. It is drawn as a line, cells that disagree
are listed, and the exit code is 1.

--out writes runs.jsonl (the source of the others: one run a line), cells.csv, map.svg and
map.html. The page needs no network. A click on a cell opens its run; a click on a second
cell compares the two. --pages selects the cells whose runs are in the page. For the
others the page shows the command.

Maps that come with the program:
  `

func (p *program) mapCommand() *cobra.Command {
	f := &mapFlags{}
	command := &cobra.Command{
		Use:   "map SCENARIO|FILE",
		Short: "draw where a lock is safe, over values of parameters",
		Long: mapHelp + strings.Join(atlas.Ready(), ", ") + ".\n\n" + interruptHelp + summaryHelp + exitCodes(`
  0    every cell with a prediction is as predicted, or undecided
  1    some cells are not as predicted
  4    some run has no verdict: it was killed or hit a bound`),
		Example: `  simulate map RP-1-map --out D
  simulate map RP-1-map --pin ttl=10s,outage=5s
  simulate map BA-2 --x restart_after=0s..12s --y lock.ttl=1s..10s --subject redlock --cells 10
  simulate map LV-5                          # the map of its file
  simulate map --all --out maps`,
		RunE: func(command *cobra.Command, args []string) error {
			if f.all {
				return p.summarized("map", false, func() error { return p.mapAll(command, f, args) })
			}
			resumed, err := f.resumed(command, args, append(mapWordFlags, "pages")...)
			if err != nil {
				return err
			}
			if !resumed && len(args) != 1 {
				return fmt.Errorf("found %d scenarios; allowed: one, by its name or its file, or --all", len(args))
			}
			return p.summarized("map", false, func() error { return p.oneMap(command, f, strings.Join(args, "")) })
		},
	}
	for i, name := range mapWordFlags[:len(f.Axes)] {
		command.Flags().StringVar(&f.Axes[i], name, "", "a parameter with its values, as `NAME=VALUES`")
	}
	command.Flags().StringArrayVar(&f.mapWords.Set, "set", nil, "give a parameter one value in all cells, as `NAME=VALUE`; may be repeated")
	command.Flags().StringSliceVar(&f.Subjects, "subject", nil, "play only this `SUBJECT`; may be repeated")
	command.Flags().StringVar(&f.Seeds, "seeds", "", "play the seeds of this `RANGE` in each cell; default those of the file's map, or 1-5")
	command.Flags().StringVar(&f.Cells, "cells", "", "cut ranges into so many values: `20x10`, or 20 for both axes")
	command.Flags().StringVar(&f.Measure, "measure", "", "the drawn value: verdict, violated, margin or time; default: that of the file's map, or verdict")
	command.Flags().IntVar(&f.Refine, "refine", refineDefault, "`NUMBER` of times that a border is halved")
	command.Flags().StringSliceVar(&f.Pin, "pin", nil, "your setup, as `NAME=VALUE` of --x and of --y: print its distance to the border")
	command.Flags().StringVar(&f.pages, "pages", "border", "`CELLS` whose runs are in map.html: none, border or all")
	command.Flags().BoolVar(&f.all, "all", false, "play every map that comes with the program, each into its folder of --out")
	f.journalFlags.addShard(command, "the map and its journal")
	f.playFlags.add(command)
	return command
}

// mapAll plays the maps that come with the program, each into a folder of its name.
func (p *program) mapAll(command *cobra.Command, f *mapFlags, args []string) error {
	if len(args) > 0 || f.out == "" || f.resume != "" || f.part != "" {
		return errors.New("found --all without --out DIR, or beside a scenario, --resume or --shard; allowed: --all --out DIR, which continues by itself")
	}
	worst := 0
	for _, name := range atlas.Ready() {
		one := *f
		one.out, one.resume = filepath.Join(f.out, name), ""
		if _, err := os.Stat(filepath.Join(one.out, journal.File)); err == nil {
			one.out, one.resume = "", one.out
		}
		fmt.Fprintf(p.out, "== %s\n", name)
		err := p.oneMap(command, &one, name)
		if code, message := codeOf(err); message != "" {
			return err
		} else if code != 0 {
			worst = code
		}
	}
	return exit(worst)
}

// oneMap plays a new map, or continues one.
func (p *program) oneMap(command *cobra.Command, f *mapFlags, name string) error {
	err := f.apply(p)
	if err != nil {
		return err
	}
	told := &mapTold{Options: p.settings.Options, Pages: atlas.Pages(f.pages)}
	if f.resume == "" {
		if told.Spec, err = f.spec(name); err != nil {
			return err
		}
		told.Command = again(command, name, mapWordFlags...)
		if !slices.Contains(told.Pages.Words(), told.Pages) {
			return fmt.Errorf("--pages: found %q; allowed: none, border, all", f.pages)
		}
	}
	state, err := f.open("map", told)
	if err != nil {
		return err
	}
	defer state.Close()
	m, err := atlas.New(told.Spec)
	if err != nil {
		return err
	}
	seeds := m.Spec.Map.Seeds
	if err := f.keep(state, m.Foreseen(), fmt.Sprintf("%d-%d", seeds.First, seeds.Last)); err != nil {
		return err
	}
	err = journal.Read(state, func(r campaign.Summary) error {
		m.Add(r)
		return nil
	})
	if err != nil {
		return err
	}
	p.settings.Options.Scripts = told.Options.Scripts
	return p.playKept(command.Context(), &f.journalFlags, longCommand{
		name: "map", kept: state, runs: m.Runs, failed: m.Failed,
		play: func(ctx context.Context) error {
			err := p.playMap(ctx, m, f.shard, func(r campaign.Summary) {
				r.Points = nil
				state.Add(r)
			})
			if err == nil {
				err = journal.Settle(state, m.Number())
			}
			return err
		},
		show: func() error { return p.tellMap(m, told, state.Dir()) },
	})
}

// playMap plays what is left of a map, or of a part of it. keep is told of each run.
func (p *program) playMap(ctx context.Context, m *atlas.Map, part shard.Shard, keep func(campaign.Summary)) error {
	settings := p.settings
	play := func(jobs []campaign.Job, causes bool) error {
		if settings.Causes = campaign.CausesUnasked; causes {
			settings.Causes = campaign.CausesBeside
		}
		return p.play(ctx, settings, jobs, func(r campaign.Summary) {
			m.Add(r)
			keep(r)
		})
	}
	if part.Whole() {
		return m.Play(play)
	}
	return m.PlayPart(part.Has, play)
}

// tellMap prints a map, and writes its files.
func (p *program) tellMap(m *atlas.Map, told *mapTold, dir string) error {
	lines, err := m.Lines()
	if err != nil {
		return err
	}
	if m.Spec.Map.Y == nil {
		err = tables.WriteLines(p.out, m, lines)
	} else {
		err = cmp.Or(tables.WriteGrids(p.out, m, lines), tables.WriteTallies(p.out, m, lines))
	}
	if err != nil {
		return err
	}
	for _, says := range slices.Concat(m.Crossed(), m.Pinned()) {
		fmt.Fprintln(p.out, says)
	}
	fmt.Fprintln(p.out, m.Sentence(lines))
	digest, runs := m.Digest()
	cite := fmt.Sprintf("%s; %s; %d runs, SHA-256 of their trace hashes %s", version(), told.Command, runs, digest)
	fmt.Fprintln(p.out, cite)
	if dir != "" {
		for _, target := range []struct {
			name  string
			write func(io.Writer) error
		}{
			{"runs.jsonl", m.WriteRuns},
			{"cells.csv", func(w io.Writer) error { return m.WriteCSV(w, lines) }},
			{"map.svg", func(w io.Writer) error { return m.WriteSVG(w, lines) }},
			{"map.html", func(w io.Writer) error {
				laboratory := func(plan *plan.Plan) (*play.Result, error) { return p.laboratory(plan, told.Options) }
				return m.WritePage(w, lines, told.Pages, laboratory, cite)
			}},
		} {
			path := filepath.Join(dir, target.name)
			if err := journal.Write(path, target.write); err != nil {
				return err
			}
			fmt.Fprintf(p.err, "%s: %s\n", strings.TrimPrefix(filepath.Ext(path), "."), path)
		}
	}
	p.addMap(m, lines)
	disagree := slices.ContainsFunc(lines, func(l atlas.Line) bool { return l.Agreement == atlas.Disagrees })
	return cmp.Or(exitIf(disagree, exitSafety), exitIf(!atlas.Complete(lines), exitInconclusive))
}

// mapWords are the words that choose a map.
type mapWords struct {
	Axes     [3]string // x, y, panels
	Set, Pin []string
	Subjects []string
	Seeds    string
	Cells    string
	Measure  string
	Refine   int
}

// refineDefault halves a border four times: to a sixteenth of a cell.
const refineDefault = 4

// mapWordFlags are their flags.
var mapWordFlags = []string{"x", "y", "panels", "set", "subject", "seeds", "cells", "measure", "refine", "pin"}

// spec reads the words into a map.
func (f *mapWords) spec(name string) (atlas.Spec, error) {
	s, err := findScenario(name)
	if err != nil {
		return atlas.Spec{}, err
	}
	spec := atlas.Spec{
		Name: name, File: s.Path, Text: string(s.Text), Subjects: f.Subjects, Refine: f.Refine,
		Map: plan.Map{Measure: plan.MeasureVerdict, Seeds: plan.Seeds{First: 1, Last: 5}},
	}
	if s.Map != nil {
		spec.Map = *s.Map
	}
	if spec.Settings, err = parseSettings("--set", f.Set); err == nil {
		spec.Pin, err = parseSettings("--pin", f.Pin)
	}
	if err != nil {
		return spec, err
	}
	if f.Axes[0] != "" { // another map than that of the file
		spec.Map.Y, spec.Map.Panels, spec.Map.Measure = nil, nil, plan.MeasureVerdict
		spec.Map.Predictions = keepFitting(s.Map, f.Axes)
	} else if f.Axes[1] != "" || f.Axes[2] != "" || s.Map == nil {
		return spec, fmt.Errorf("found no --x, and %s has no map; allowed: --x with a parameter; "+
			"./simulate list parameters %s names them", s.Name, campaign.Quote(name))
	}
	for i, text := range f.Axes {
		if text == "" {
			continue
		}
		axis, err := axisOf(s, text)
		if err != nil {
			return spec, fmt.Errorf("--%s: %w", mapWordFlags[i], err)
		}
		switch i {
		case 0:
			spec.Map.X = axis
		case 1:
			spec.Map.Y = &axis
		default:
			spec.Map.Panels = &axis
		}
	}
	if f.Seeds != "" {
		given, err := parseSeeds(f.Seeds)
		if err != nil {
			return spec, err
		}
		spec.Map.Seeds = given.Seeds
	}
	if f.Cells != "" {
		if spec.Map.Cells, err = file.ParseCells(f.Cells); err != nil {
			return spec, fmt.Errorf("--cells: %w", err)
		}
	}
	if f.Measure != "" {
		spec.Map.Measure = plan.Measure(f.Measure)
		if words := spec.Map.Measure.Words(); !slices.Contains(words, spec.Map.Measure) {
			return spec, fmt.Errorf("--measure: found %q; allowed: verdict, violated, margin, time", f.Measure)
		}
	}
	if spec.Map.Measure == plan.MeasureTime && len(s.Liveness) == 0 {
		return spec, fmt.Errorf("--measure: found time, but %s has no liveness goal; allowed: verdict, violated, margin",
			s.Name)
	}
	if spec.Map.Measure != plan.MeasureVerdict || spec.Map.Y == nil && s.Map != nil && f.Axes[0] == "" {
		spec.Refine = 0 // the file's own map is measured at its points
	}
	return spec, within("refine", f.Refine, 0, 30)
}

// keepFitting returns a file's predictions when the flags name its own axes: with other
// axes they would say nothing.
func keepFitting(m *plan.Map, axes [3]string) []plan.Prediction {
	if m == nil {
		return nil
	}
	own := m.Axes()
	for i, text := range axes {
		name, _, given := strings.Cut(text, "=")
		if given && (i >= len(own) || own[i].Parameter.Name != name) {
			return nil
		}
	}
	return m.Predictions
}

func axisOf(s *plan.Scenario, text string) (plan.Axis, error) {
	setting, err := plan.ParseSetting(text)
	if err != nil {
		return plan.Axis{}, err
	}
	parameter, err := file.Parameter(s, setting.Name)
	if err != nil {
		return plan.Axis{}, err
	}
	return parameter.Axis(setting.Value)
}
