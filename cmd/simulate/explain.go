package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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
				if step {
					err = p.walk(run, !all)
				} else {
					path := picture
					if path == "" {
						path = filepath.Join(dir, saved.PictureFile)
					}
					err = p.tell(run, path, !all)
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
func (p *program) tell(run *explain.Run, picture string, causalOnly bool) error {
	story, err := explain.NewStory(run, explain.StoryOptions{CausalOnly: causalOnly})
	if err != nil {
		return err
	}
	if err := writePicture(run, picture, causalOnly); err != nil {
		return err
	}
	if _, err := story.WriteTo(p.out); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "picture: %s\n", picture)
	return nil
}

func (p *program) walk(run *explain.Run, causalOnly bool) error {
	return explain.Step(p.in, p.out, run, explain.StepOptions{CausalOnly: causalOnly, Interactive: isTerminal(p.in) && isTerminal(p.out)})
}

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// writePicture draws a run into a file, or leaves the file as it was.
func writePicture(run *explain.Run, path string, causalOnly bool) error {
	var picture bytes.Buffer
	if err := explain.SVG(&picture, run, explain.StoryOptions{CausalOnly: causalOnly}); err != nil {
		return err
	}
	return os.WriteFile(path, picture.Bytes(), 0o644)
}
