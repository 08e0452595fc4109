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
	f.journalFlags.add(command, "the map and its journal")
	f.journalFlags.addShard(command)
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
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	told := &mapTold{Options: settings.Options, Pages: atlas.Pages(f.pages)}
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
	settings.Options.Scripts = told.Options.Scripts
	return p.playKept(command.Context(), &f.journalFlags, longCommand{
		name: "map", kept: state, runs: m.Runs, failed: m.Failed,
		play: func(ctx context.Context) error {
			err := p.playMap(ctx, settings, m, f.shard, func(r campaign.Summary) {
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
func (p *program) playMap(
	ctx context.Context, settings campaign.Settings, m *atlas.Map, part shard.Shard, keep func(campaign.Summary),
) error {
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
