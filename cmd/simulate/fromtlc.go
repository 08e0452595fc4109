package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/tla"
	"redlocklab/tla/counterexample"
)

const fromTLCHelp = `Turns counterexamples of TLC into plans (delays, losses, crashes and clock errors at
exact instants) and plays them with the running code, which must violate what the model
violates. An argument is a file that "simulate tla --out DIR" wrote (DIR/BA-2.txt), or a
failing model, which TLC then checks first. Without arguments it is every failing safety model,
which takes minutes. What cannot be replayed is printed with the reason.

With --out D every played plan is saved as a run: D/BA-2. "simulate explain D/BA-2" tells it.
TLC's outputs are kept there, too, and what "simulate tla --out D" kept is not checked again.

Exit codes:
  0    every counterexample that can be replayed is violated by the code, too
  1    the code did not do what the counterexample says
  4    a named counterexample cannot be replayed; the reason is printed
  2    bad usage or input
  6    Java or TLC is missing, and the commands that install them are printed; or Go and the
       source tree, for a counterexample of a patch of package redlock
  70   a bug of this program
  130  interrupted`

func (p *program) fromTLCCommand() *cobra.Command {
	var out string
	var options tla.Options
	command := &cobra.Command{
		Use:     "from-tlc [FILE|MODEL…]",
		Short:   "replay counterexamples of the TLA+ models with the running code",
		Long:    fromTLCHelp,
		Example: "  simulate from-tlc BA-2 BA-8 RS-1 MX-8-revival-twin\n  simulate tla --out T BA-2 && simulate from-tlc T/BA-2.txt --out D && simulate explain D/BA-2",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if out != "" {
				if err := writable("--out", out); err != nil {
					return err
				}
			}
			options.Directory = out
			found, err := p.counterexamples(command.Context(), args, options)
			if err != nil {
				return err
			}
			return p.replayCounterexamples(command.Context(), found, out, len(args) > 0)
		},
	}
	command.Flags().StringVar(&out, "out", "", "`DIR` to save the runs and TLC's outputs into; it is created")
	command.Flags().StringVar(&options.Jar, "jar", "", "TLC's jar `FILE`, instead of "+tla.JarVariable+" or the one in tla/lib")
	return command
}

// found is a counterexample and the model that has it.
type found struct {
	model tla.Model
	trace tla.ErrorTrace
}

// counterexamples reads the files, and has TLC check the models.
func (p *program) counterexamples(ctx context.Context, args []string, options tla.Options) ([]found, error) {
	manifest, err := tla.LoadManifest()
	if err != nil {
		return nil, &exitError{exitBug, err}
	}
	failing := slices.DeleteFunc(slices.Clone(manifest.Models), func(m tla.Model) bool { return m.Expected != tla.Safety })
	named := func(name string) (tla.Model, bool) {
		i := slices.IndexFunc(failing, func(m tla.Model) bool { return m.Name == name })
		if i < 0 {
			return tla.Model{}, false
		}
		return failing[i], true
	}
	paths := map[string]string{} // model → file
	var order []tla.Model
	for _, argument := range args {
		name := strings.TrimSuffix(filepath.Base(argument), ".txt")
		model, known := named(name)
		if !known {
			return nil, fmt.Errorf("found %q; allowed: failing safety models (simulate tla --list), or files NAME.txt named after them", argument)
		}
		order = append(order, model)
		if name != argument {
			paths[name] = argument
		} else {
			options.Models = append(options.Models, name)
		}
	}
	if len(args) == 0 {
		for _, model := range failing {
			order = append(order, model)
			options.Models = append(options.Models, model.Name)
		}
	}
	if len(options.Models) > 0 {
		if options.Directory == "" {
			if options.Directory, err = os.MkdirTemp("", "simulate-from-tlc-"); err != nil {
				return nil, &exitError{exitBug, err}
			}
			defer os.RemoveAll(options.Directory)
		}
		if err := p.models(ctx, options, false); err != nil {
			return nil, err
		}
		for _, name := range options.Models {
			paths[name] = filepath.Join(options.Directory, name+".txt")
		}
	}
	var list []found
	for _, model := range order {
		file, err := os.Open(paths[model.Name])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("found no file %s; allowed: a file that simulate tla --out wrote, or the name of a model", paths[model.Name])
		}
		if err != nil {
			return nil, err
		}
		trace, err := tla.ParseErrorTrace(file)
		_ = file.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", paths[model.Name], err)
		}
		list = append(list, found{model, trace})
	}
	return list, nil
}

// replayCounterexamples plays them and prints a table. Named ones must be possible to replay.
func (p *program) replayCounterexamples(ctx context.Context, list []found, folder string, named bool) error {
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "simulate-from-tlc-"); err != nil {
			return &exitError{exitBug, err}
		}
		defer os.RemoveAll(folder)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tVIOLATES\tSUBJECT\tBROKEN\tTHE CODE")
	replayed, differ, impossible := 0, 0, 0
	for _, f := range list {
		plan, err := counterexample.Plan(f.model, f.trace)
		var reason *counterexample.UnsupportedError
		if errors.As(err, &reason) {
			fmt.Fprintf(w, "%s\t%s\t-\t-\tnot replayed: %v\n", f.model.Name, f.model.Violates, reason)
			impossible++
			continue
		}
		if err != nil {
			return &exitError{exitBug, err}
		}
		outcome, err := p.playCounterexample(ctx, f.model, plan, folder)
		if err != nil {
			return err
		}
		replayed++
		mark := "the same: "
		if !outcome.Reproduced {
			mark, differ = "NOT THE SAME: ", differ+1
		}
		broken := strings.Join(outcome.Broken, " ")
		if broken == "" {
			broken = "none"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", f.model.Name, f.model.Violates, subjectOf(plan), broken, mark, outcome.Text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d of %d counterexamples replayed with the same outcome, %d not replayed\n", replayed-differ, len(list), impossible)
	switch {
	case differ > 0:
		return exit(exitSafety)
	case impossible > 0 && named:
		return exit(exitInconclusive)
	}
	return nil
}

// playCounterexample plays a plan and saves its run into a folder: here, or, when
// it needs a patch of package redlock, in a program that was built with it.
func (p *program) playCounterexample(ctx context.Context, model tla.Model, plan *plan.Plan, folder string) (outcome counterexample.Outcome, err error) {
	bug := func(err error) error { return &exitError{exitBug, err} }
	dir := filepath.Join(folder, model.Name)
	if plan.Subject.Patch() == overlay.Carried {
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			return outcome, bug(err)
		}
		if outcome, err = counterexample.Judge(model, result); err != nil {
			return outcome, bug(err)
		}
		return outcome, saved.Write(result, dir)
	}
	settings, err := (&playFlags{scripts: "native", workers: 1, runLimit: 20 * time.Second}).settings(p)
	if err != nil {
		return outcome, bug(err)
	}
	job := campaign.PlanJob(plan)
	job.Save = dir
	if _, err := campaign.PlayOne(ctx, settings, job); err != nil {
		return outcome, err
	}
	saved, err := saved.OpenSaved(dir)
	if err != nil {
		return outcome, bug(err)
	}
	if outcome, err = counterexample.Judge(model, &play.Result{Plan: plan, Outcome: saved.Verdict.Outcome, Verdict: saved.Verdict.Verdict}); err != nil {
		return outcome, bug(err)
	}
	return outcome, nil
}

// subjectOf names a plan's subject with what is planted in it.
func subjectOf(plan *plan.Plan) string {
	name := plan.Subject.Name
	for _, o := range plan.Subject.Options {
		name += fmt.Sprintf(" %s=%s", o.Name, o.Value)
	}
	return name
}
