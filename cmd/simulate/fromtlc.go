package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/saved"
	"redlocklab/tla"
	"redlocklab/tla/counterexample"
)

func (p *program) fromTLCCommand() *cobra.Command {
	var options tla.Options
	command := &cobra.Command{
		Use:   "from-tlc [FILE|MODEL…]",
		Short: "play counterexamples of the TLA+ models with the running code",
		Long: `Turns counterexamples of TLC into plans (delays, losses, crashes and clock errors at
exact instants) and plays them. The running code must violate the property that the model violates.
An argument is a file that "simulate tla --out DIR" wrote (DIR/BA-2.txt), or a
failing model, which TLC then checks first. Without arguments it is every failing safety
model, which takes minutes. It prints each counterexample that cannot be played, with the reason.

With --out D every run is saved: "simulate explain D/BA-2" tells it. D also keeps TLC's
outputs. A model that "simulate tla --out D" has checked is not checked again.
` + exitCodes(`
  0    the code shows the violation of every counterexample that can be played
  1    the code does not show the violation of some counterexample
  4    a named counterexample cannot be played; the reason is printed
  6    Java or TLC is missing, and the commands that install them are printed; or Go
       and the source tree, for a patch of package redlock`),
		Example: "  simulate from-tlc BA-2 BA-8 RS-1 MX-8-revival-twin\n  simulate tla --out T BA-2 && simulate from-tlc T/BA-2.txt --out D && simulate explain D/BA-2",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			dir := options.Directory
			if dir != "" {
				if err := writable("--out", dir); err != nil {
					return err
				}
			} else {
				var err error
				if dir, err = os.MkdirTemp("", "simulate-from-tlc-"); err != nil {
					return bug(err)
				}
				defer os.RemoveAll(dir)
				options.Directory = dir
			}
			found, err := p.counterexamples(command.Context(), args, options)
			if err != nil {
				return err
			}
			return p.playCounterexamples(command.Context(), found, dir, len(args) > 0)
		},
	}
	command.Flags().StringVar(&options.Directory, "out", "", "`DIR` for the runs and TLC's outputs; it is created")
	addJar(command, &options.Jar)
	return command
}

// found is a counterexample and the model that has it.
type found struct {
	model tla.Model
	path  string // of TLC's output
	trace tla.ErrorTrace
}

// counterexamples reads the files, and lets TLC check the models.
func (p *program) counterexamples(ctx context.Context, args []string, options tla.Options) ([]*found, error) {
	manifest := tla.LoadManifest()
	if len(args) == 0 {
		for _, model := range manifest.Models {
			if model.Expected == tla.Safety && model.Old == "" { // the code has no such edit
				args = append(args, model.Name)
			}
		}
	}
	var list []*found
	for _, argument := range args {
		name := strings.TrimSuffix(filepath.Base(argument), ".txt")
		model, err := manifest.Model(name)
		if err != nil || model.Expected != tla.Safety || model.Old != "" {
			return nil, fmt.Errorf("found %q; allowed: failing safety models (simulate tla --list), or files NAME.txt named after them", argument)
		}
		f := &found{model: model, path: argument}
		if name == argument {
			f.path = filepath.Join(options.Directory, name+".txt")
			options.Models = append(options.Models, name)
		}
		list = append(list, f)
	}
	if len(options.Models) > 0 {
		if err := p.models(ctx, options, false); err != nil {
			return nil, err
		}
	}
	for _, f := range list {
		file, err := os.Open(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("found no file %s; allowed: a file that simulate tla --out wrote, or the name of a model", f.path)
		}
		if err != nil {
			return nil, err
		}
		f.trace, err = tla.ParseErrorTrace(file)
		_ = file.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return list, nil
}

// playCounterexamples plays counterexamples, saves the runs in a folder and prints a
// table. Those that were named must be possible to play.
func (p *program) playCounterexamples(ctx context.Context, list []*found, folder string, named bool) error {
	if err := (&playFlags{scripts: "native", workers: 1, runLimit: 20 * time.Second}).apply(p); err != nil {
		return bug(err)
	}
	w := tables.New(p.out, "MODEL", "VIOLATES", "SUBJECT", "BROKEN", "THE CODE")
	played, differ, impossible := 0, 0, 0
	for _, f := range list {
		plan, err := counterexample.Plan(f.model, f.trace)
		var reason *counterexample.UnsupportedError
		if errors.As(err, &reason) {
			fmt.Fprintf(w, "%s\t%s\t-\t-\tnot played: %v\n", f.model.Name, f.model.Violates, reason)
			impossible++
			continue
		}
		if err != nil {
			return bug(err)
		}
		dir := filepath.Join(folder, f.model.Name)
		report, err := p.playPlan(ctx, plan, dir)
		if err != nil {
			return err
		}
		result, err := saved.Load(dir)
		if err != nil {
			return bug(err)
		}
		result.Outcome = report.Outcome
		outcome, err := counterexample.Check(f.model, result)
		if err != nil {
			return bug(err)
		}
		played++
		mark := "the same: "
		if !outcome.Reproduced {
			mark, differ = "NOT THE SAME: ", differ+1
		}
		subject := plan.Subject.Name
		for _, o := range plan.Subject.Options {
			subject += " " + o.Name + "=" + o.Value
		}
		broken := cmp.Or(strings.Join(outcome.Broken, " "), "none")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", f.model.Name, f.model.Violates, subject, broken, mark, outcome.Text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d of %d counterexamples played with the same outcome, %d not played\n", played-differ, len(list), impossible)
	return cmp.Or(exitIf(differ > 0, exitSafety), exitIf(impossible > 0 && named, exitInconclusive))
}
