package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/explain"
)

func (p *program) explainCommand() *cobra.Command {
	var picture string
	var step, all bool
	command := &cobra.Command{
		Use:   "explain DIR",
		Short: "tell a saved run in plain words, and draw it",
		Long: `Tells a saved run as numbered lines in plain words, for a reader who does not know
the code, and draws it into DIR/` + saved.PictureFile + `: a lane per client and node,
messages as arrows, beliefs and keys as bars, faults marked.

explain leaves out what does not matter for a violation, unless --all is given. It
tells a run without a violation whole, and a folder with several saved runs one run after
the other.`,
		Example: `  simulate run BA-2 --subject SY-0 --seed 7 --out D
  simulate explain D
  simulate explain D --step`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := saved.FindSaved(args[0])
			if err != nil {
				return err
			}
			if picture != "" && len(dirs) > 1 {
				return fmt.Errorf("--svg names one file, but %s holds %d saved runs; allowed: the folder of one run, such as %s", args[0], len(dirs), dirs[0])
			}
			for i, dir := range dirs {
				run, err := saved.Explained(dir)
				if err != nil {
					return err
				}
				if i > 0 {
					fmt.Fprintln(p.out)
				}
				options := explain.StoryOptions{CausalOnly: !all}
				if step {
					err = explain.Step(p.in, p.out, run, explain.StepOptions{CausalOnly: !all, Interactive: isTerminal(p.in) && isTerminal(p.out)})
				} else {
					err = p.tell(run, cmp.Or(picture, filepath.Join(dir, saved.PictureFile)), options)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	command.Flags().StringVar(&picture, "svg", "", "`FILE` for the picture, instead of DIR/"+saved.PictureFile)
	command.Flags().BoolVar(&step, "step", false, "walk through the run in the terminal (enter, b, g N, q); draw nothing")
	command.Flags().BoolVar(&all, "all", false, "tell and draw everything")
	return command
}

// tell prints the story and draws the picture.
func (p *program) tell(run *explain.Run, picture string, options explain.StoryOptions) error {
	story, err := explain.NewStory(run, options)
	if err != nil {
		return err
	}
	err = journal.Write(picture, func(w io.Writer) error {
		return explain.SVG(w, run, options)
	})
	if err != nil {
		return err
	}
	if _, err := story.WriteTo(p.out); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "picture: %s\n", picture)
	return nil
}

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
