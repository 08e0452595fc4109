package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/explain"
	"redlocklab/sim/explain/page"
	"redlocklab/sim/words"
)

type explainFlags struct {
	step, all              bool
	picture, page, compare string
	shiviz, perfetto       string
}

func (p *program) explainCommand() *cobra.Command {
	f := &explainFlags{}
	command := &cobra.Command{
		Use:   "explain DIR",
		Short: "tell a saved run in plain words, and draw it",
		Long: `Tells a saved run as numbered lines in plain words, for a reader who does not know
the code. It draws the run into DIR/` + saved.PictureFile + `: a lane per client, register and
node, messages as lines, beliefs and keys as bars, faults marked.

--html writes one file for a browser, which fetches nothing: the drawing with a cursor
that steps through the run. Beside the drawing, the page shows each client's belief, each
node's keys, the count of votes, and the assumptions that hold. --compare puts a second
run below, with the same cursor.

explain omits events that do not matter for the violation; --all includes them. Of a run
without a violation it tells everything. It tells several saved runs of a folder one
after the other.`,
		Example: `  simulate run BA-2 --seed 7 --out D
  simulate explain D/SY-0
  simulate explain D/SY-0 --step
  simulate explain D/SY-0 --html bad.html --compare D/SY-10-guarded`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := saved.FindSaved(args[0])
			if err != nil {
				return err
			}
			if err := f.check(args[0], dirs); err != nil {
				return err
			}
			for i, dir := range dirs {
				old, err := saved.Open(dir)
				if err == nil && old.Changed() && old.Verdict.PlanHash != "" { // a run of real servers has no hash
					fmt.Fprintf(p.err, "%s was changed after the run, which is told here. The new run: ./simulate replay %s --out DIR\n",
						words.Visible(filepath.Join(dir, saved.PlanFile)), words.Visible(campaign.Quote(dir)))
				}
				run, err := saved.Explained(dir)
				if err != nil {
					return err
				}
				if i > 0 {
					fmt.Fprintln(p.out)
				}
				if err := p.explain(run, dir, f); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.picture, "svg", "", "`FILE` for the picture, instead of DIR/"+saved.PictureFile)
	flags.StringVar(&f.page, "html", "", "`FILE` for a page that steps through the run, in a browser")
	flags.StringVar(&f.compare, "compare", "", "`DIR` of a second run for the page")
	flags.StringVar(&f.shiviz, "shiviz", "", "`FILE` for a log that ShiViz draws, with vector clocks")
	flags.StringVar(&f.perfetto, "perfetto", "", "`FILE` for a trace that ui.perfetto.dev and chrome://tracing open")
	flags.BoolVar(&f.step, "step", false, "walk through the run in the terminal (enter, b, g N, q); write no file")
	flags.BoolVar(&f.all, "all", false, "tell and draw everything")
	return command
}

// check refuses flags that do not go together.
func (f *explainFlags) check(dir string, dirs []string) error {
	for _, each := range []struct{ flag, file string }{
		{"--svg", f.picture}, {"--html", f.page}, {"--shiviz", f.shiviz}, {"--perfetto", f.perfetto},
	} {
		switch {
		case each.file != "" && len(dirs) > 1:
			return fmt.Errorf("%s names one file, but %s holds %d saved runs; allowed: the folder of one run, such as %s",
				each.flag, dir, len(dirs), dirs[0])
		case each.file != "" && f.step:
			return fmt.Errorf("found %s beside --step; allowed: one of them", each.flag)
		}
	}
	if f.compare != "" && f.page == "" {
		return errors.New("found --compare without --html; allowed: --html FILE --compare DIR")
	}
	return nil
}

// explain tells one run, in the ways that the flags ask for.
func (p *program) explain(run *explain.Run, dir string, f *explainFlags) error {
	options := explain.StoryOptions{CausalOnly: !f.all}
	if f.step {
		var answers io.Reader // none: all steps are printed
		if tables.IsTerminal(p.in) && tables.IsTerminal(p.out) {
			answers = p.in
		}
		return explain.Step(answers, p.out, run, options)
	}
	runs := []*explain.Run{run}
	if f.compare != "" {
		other, err := saved.Explained(f.compare)
		if err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
		runs = append(runs, other)
	}
	story, err := explain.NewStory(run, options)
	if err != nil {
		return err
	}
	if _, err := story.WriteTo(p.out); err != nil {
		return err
	}
	picture := cmp.Or(f.picture, filepath.Join(dir, saved.PictureFile))
	for _, each := range []struct {
		name, path string
		write      func(io.Writer) error
	}{
		{"picture", picture, func(w io.Writer) error { return explain.SVG(w, run, options) }},
		{"page", f.page, func(w io.Writer) error { return page.Write(w, options, runs...) }},
		{"ShiViz", f.shiviz, func(w io.Writer) error { return explain.ShiViz(w, run) }},
		{"Perfetto", f.perfetto, func(w io.Writer) error { return explain.Perfetto(w, run) }},
	} {
		if each.path == "" {
			continue
		}
		if err := journal.Write(each.path, each.write); err != nil {
			return err
		}
		fmt.Fprintf(p.err, "%s: %s\n", each.name, words.Visible(each.path))
	}
	return nil
}
