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
	"redlocklab/sim/explain/export"
	"redlocklab/sim/explain/page"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	step, all              bool
	picture, page, compare string
	shiviz, perfetto       string
}

func (p *program) explainCommand() *cobra.Command {
	var flags explainFlags
	command := &cobra.Command{
		Use:   "explain DIR",
		Short: "tell a saved run in plain words, and draw it",
		Long: `Tells a saved run as numbered lines in plain words, for a reader who does not know
the code. It draws the run into DIR/` + saved.PictureFile + `: a lane per client, register and
node, messages as lines, beliefs and keys as bars, faults marked.

--html writes one file for a browser, which fetches nothing: the drawing with a cursor
that steps through the run. Beside it stand what each client believes, what each node has,
how the votes count and which assumptions hold. --compare puts a second run below, with
the same cursor.

explain leaves out what does not matter for a violation; --all tells it, too. It
tells a run without a violation whole, and a folder with several saved runs one run after
the other.`,
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
			if err := flags.check(args[0], dirs); err != nil {
				return err
			}
			for i, dir := range dirs {
				if old, err := saved.Open(dir); err == nil && old.Changed() && old.Verdict.PlanHash != "" { // a run of real servers has no hash
					fmt.Fprintf(p.err, "%s was changed after the run, which is told here. The new run: ./simulate replay %s --out DIR\n", filepath.Join(dir, saved.PlanFile), campaign.Quote(dir))
				}
				run, err := saved.Explained(dir)
				if err != nil {
					return err
				}
				if i > 0 {
					fmt.Fprintln(p.out)
				}
				if err := p.explain(run, dir, &flags); err != nil {
					return err
				}
			}
			return nil
		},
	}
	command.Flags().StringVar(&flags.picture, "svg", "", "`FILE` for the picture, instead of DIR/"+saved.PictureFile)
	command.Flags().StringVar(&flags.page, "html", "", "`FILE` for a page that steps through the run, in a browser")
	command.Flags().StringVar(&flags.compare, "compare", "", "`DIR` of a second run for the page")
	command.Flags().StringVar(&flags.shiviz, "shiviz", "", "`FILE` for a log that ShiViz draws, with vector clocks")
	command.Flags().StringVar(&flags.perfetto, "perfetto", "", "`FILE` for a trace that ui.perfetto.dev and chrome://tracing open")
	command.Flags().BoolVar(&flags.step, "step", false, "walk through the run in the terminal (enter, b, g N, q); write no file")
	command.Flags().BoolVar(&flags.all, "all", false, "tell and draw everything")
	return command
}

// check refuses flags that do not go together.
func (f *explainFlags) check(dir string, dirs []string) error {
	for _, each := range []struct{ flag, file string }{{"--svg", f.picture}, {"--html", f.page}, {"--shiviz", f.shiviz}, {"--perfetto", f.perfetto}} {
		switch {
		case each.file != "" && len(dirs) > 1:
			return fmt.Errorf("%s names one file, but %s holds %d saved runs; allowed: the folder of one run, such as %s", each.flag, dir, len(dirs), dirs[0])
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
func (p *program) explain(run *explain.Run, dir string, flags *explainFlags) error {
	options := explain.StoryOptions{CausalOnly: !flags.all}
	if flags.step {
		return explain.Step(p.in, p.out, run, explain.StepOptions{CausalOnly: !flags.all, Interactive: tables.IsTerminal(p.in) && tables.IsTerminal(p.out)})
	}
	runs := []*explain.Run{run}
	if flags.compare != "" {
		other, err := saved.Explained(flags.compare)
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
	for _, each := range []struct {
		name, path string
		write      func(io.Writer) error
	}{
		{"picture", cmp.Or(flags.picture, filepath.Join(dir, saved.PictureFile)), func(w io.Writer) error { return explain.SVG(w, run, options) }},
		{"page", flags.page, func(w io.Writer) error { return page.Write(w, options, runs...) }},
		{"ShiViz", flags.shiviz, func(w io.Writer) error { return export.ShiViz(w, run) }},
		{"Perfetto", flags.perfetto, func(w io.Writer) error { return export.Perfetto(w, run) }},
	} {
		if each.path == "" {
			continue
		}
		if err := journal.Write(each.path, each.write); err != nil {
			return err
		}
		fmt.Fprintf(p.err, "%s: %s\n", each.name, each.path)
	}
	return nil
}
