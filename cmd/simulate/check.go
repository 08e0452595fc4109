package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"redlocklab/checker"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/words"
)

func (p *program) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|DIR…",
		Short: "judge histories from anywhere (history.jsonl)",
		Long: `Judges recorded histories of any lock: one JSON object a line, as checker/HISTORY.md
describes. For each file it prints the answer of each oracle with the footprint of its
findings, and the broken assumptions. DIR is a saved run, whose history it judges, or a
folder of several saved runs.
` + exitCodes(`
  0    every oracle holds
  1    a safety oracle is violated
  3    liveness is violated
  4    inconclusive`) + `
The first of 1, 3, 4 that applies is returned.`,
		Example: "  simulate run BA-2 --subject SY-0 --seed 7 --out D\n  simulate check D/history.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			// Reading allocates much and keeps most of it.
			debug.SetGCPercent(400)
			// All files are read before anything is printed.
			paths, err := historyFiles(args)
			if err != nil {
				return err
			}
			histories := make([]*checker.History, len(paths))
			for i, path := range paths {
				if histories[i], err = saved.ReadHistory(path); err != nil {
					return err
				}
			}
			var safety, liveness, open bool
			for i, path := range paths {
				verdict := checker.Judge(histories[i], checker.Options{})
				fmt.Fprintf(p.out, "%s:\n%s\n", words.Visible(path), verdict.Summary())
				safety = safety || verdict.SafetyViolated()
				liveness = liveness || verdict.Liveness.Status == checker.Violated
				open = open || len(verdict.Answers().Inconclusive()) > 0
			}
			return cmp.Or(exitIf(safety, exitSafety), exitIf(liveness, exitLiveness), exitIf(open, exitInconclusive))
		},
	}
}

// historyFiles are the files that the arguments name: files, and the histories of saved runs.
func historyFiles(args []string) ([]string, error) {
	var files []string
	for _, path := range args {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		own := filepath.Join(path, saved.HistoryFile)
		if _, err := os.Stat(own); err == nil {
			files = append(files, own)
			continue
		}
		dirs, err := saved.FindSaved(path)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			files = append(files, filepath.Join(dir, saved.HistoryFile))
		}
	}
	return files, nil
}
