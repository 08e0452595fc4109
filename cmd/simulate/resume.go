package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
)

// journalFlags say where a long command keeps what it has done.
type journalFlags struct{ out, resume string }

func (f *journalFlags) add(command *cobra.Command, out string) {
	command.Flags().StringVar(&f.out, "out", "", "`DIR` for "+out+"; it is created")
	command.Flags().StringVar(&f.resume, "resume", "", "continue the interrupted command whose journal is in `DIR`")
}

const interruptHelp = `Ctrl-C and SIGTERM finish the runs in flight, print and keep what is done, and name
the command that continues.
`

// resumed reports whether the command continues an interrupted one. Arguments, and the
// flags that say what is played, are then refused: the journal says it.
func (f *journalFlags) resumed(command *cobra.Command, args []string, told ...string) (bool, error) {
	if f.resume == "" {
		return false, nil
	}
	const allowed = "beside --resume; allowed: only flags that do not change what is played, such as --workers"
	for _, flag := range append(told, "out", "scripts") {
		if command.Flags().Changed(flag) {
			return true, fmt.Errorf("found --%s %s", flag, allowed)
		}
	}
	if len(args) > 0 {
		return true, fmt.Errorf("found %q %s", args[0], allowed)
	}
	return true, nil
}

// open opens the journal to continue, and decodes into told what the command was
// told; or a new journal of what it is told.
func (f *journalFlags) open(command string, told any) (*journal.Journal, error) {
	if f.resume != "" {
		return journal.Open(f.resume, command, told)
	}
	return journal.New(command, told), nil
}

// keep moves a new journal into the folder of --out, when there is one.
func (f *journalFlags) keep(j *journal.Journal) error {
	if f.out == "" {
		return nil
	}
	if err := startsFresh(f.out); err != nil {
		return err
	}
	return j.KeepIn(f.out)
}

// interrupted keeps the journal of a command, in a new folder where it has none, and
// returns the error that says how to continue.
func interrupted(command string, j *journal.Journal, runs int) error {
	var err error
	if j.Dir() == "" {
		var dir string
		if dir, err = newFolder("out", "interrupted-"); err == nil {
			err = j.KeepIn(dir)
		}
	}
	if err = errors.Join(err, j.Close()); err != nil {
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; what was done could not be kept: %w", err)}
	}
	return &exitError{exitInterrupted, fmt.Errorf("interrupted; %d runs are kept. Continue with:\n  ./simulate %s --resume %s", runs, command, j.Dir())}
}

// playLeft plays what is left of a campaign. When it is interrupted, it keeps what is done,
// and prints what done prints of it.
func (p *program) playLeft(ctx context.Context, command string, settings campaign.Settings, state *campaign.State, done func() error) error {
	err := p.play(ctx, settings, state.Left(), state.Add)
	if errors.Is(err, context.Canceled) {
		return errors.Join(done(), interrupted(command, state.Journal, state.Runs()))
	}
	return err
}
