package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/folder"
	"redlocklab/cmd/simulate/shard"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
)

// journalFlags say where a long command keeps what it has done, and which part of it it does.
type journalFlags struct {
	out, resume string
	inParts     bool            // the command has --shard
	part        string          // as --shard takes it
	shard       shard.Shard     // the zero value is all
	manifest    *shard.Manifest // of a shard
}

func (f *journalFlags) add(command *cobra.Command, out string) {
	command.Flags().StringVar(&f.out, "out", "", "`DIR` for "+out+"; it is created")
	command.Flags().StringVar(&f.resume, "resume", "", "continue the interrupted command whose journal is in `DIR`")
}

// addShard lets a command play a part of what it is told.
func (f *journalFlags) addShard(command *cobra.Command) {
	command.Flags().StringVar(&f.part, "shard", "", "with --out: play only this part, as `N/COUNT`, and continue it when it is there; none is all; default what a scheduler says, see \"simulate merge\"")
	f.inParts = true
}

// choose finds out which shard is asked for. One that has begun is continued.
func (f *journalFlags) choose(command *cobra.Command, args []string) (err error) {
	if f.resume != "" {
		if f.manifest, err = shard.Open(f.resume); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else if f.manifest, err = shard.Choose(f.part, f.out, command, args, version()); err == nil && f.manifest != nil {
		asked := f.manifest
		f.out = filepath.Join(f.out, asked.Part().Folder())
		var begun *shard.Manifest
		if begun, err = shard.Begun(f.out); begun != nil {
			err = begun.Continues(f.out, asked)
			f.manifest, f.resume, f.out = begun, f.out, ""
		}
	}
	if err == nil && f.manifest != nil {
		if f.shard = f.manifest.Part(); command.Flags().Changed("state") {
			return errors.New("found --state beside a shard; allowed: beside merge, which has all results")
		}
	}
	return err
}

const interruptHelp = `Ctrl-C and SIGTERM finish the runs in flight, print and keep what is done, and name
the command that continues.
`

// resumed reports whether the command continues an interrupted one. Arguments, and the
// flags that say what is played, are then refused: the journal says it.
func (f *journalFlags) resumed(command *cobra.Command, args []string, told ...string) (bool, error) {
	explicit := f.resume != ""
	if err := f.choose(command, args); err != nil || f.resume == "" || !explicit {
		return f.resume != "", err
	}
	const allowed = "beside --resume; allowed: only flags that do not change what is played, such as --workers"
	for _, flag := range append(told, "out", "scripts", "shard") {
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

// keep moves a new journal into the folder of --out, when there is one. items counts the
// results that all shards will have, seeds are theirs.
func (f *journalFlags) keep(j *journal.Journal, items int, seeds string) error {
	if f.out == "" {
		return nil
	}
	if f.manifest == nil {
		if err := folder.StartsFresh(f.out); err != nil {
			return err
		}
		return j.KeepIn(f.out)
	}
	// What is in the folder is of a shard that died before it had a journal.
	if err := folder.Writable("--out", f.out); err != nil {
		return err
	}
	f.manifest.Items, f.manifest.Seeds = items, seeds
	return errors.Join(f.manifest.Write(f.out), j.KeepIn(f.out), f.manifest.Begin(f.out))
}

// endShard ends a shard whose results are all there and in order. Some may have no verdict.
func (p *program) endShard(f *journalFlags, j *journal.Journal, failed int) error {
	if err := j.Close(); err != nil {
		return err
	}
	results := f.shard.Count(f.manifest.Items)
	if err := f.manifest.Finish(j.Dir(), results, failed); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "shard %s: %d of %d results in %s, %d of them without a verdict; when all shards are there: ./simulate merge %s --out DIR\n",
		f.shard, results, f.manifest.Items, j.Dir(), failed, campaign.Quote(filepath.Dir(j.Dir())))
	if failed > 0 {
		return exit(exitInconclusive)
	}
	return nil
}

// interrupted keeps the journal of a command, in a new folder where it has none, and
// returns the error that says how to continue.
func interrupted(command string, j *journal.Journal, runs int) error {
	var err error
	if j.Dir() == "" {
		var dir string
		if dir, err = folder.New("out", "interrupted-"); err == nil {
			err = j.KeepIn(dir)
		}
	}
	if err != nil {
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; what was done could not be kept: %w", errors.Join(err, j.Close()))}
	}
	if err := j.Close(); err != nil {
		return &exitError{exitInterrupted, fmt.Errorf("interrupted, for not all could be kept: %w. Make room, and continue with:\n  ./simulate %s --resume %s", err, command, j.Dir())}
	}
	return &exitError{exitInterrupted, fmt.Errorf("interrupted; %d runs are kept. Continue with:\n  ./simulate %s --resume %s", runs, command, j.Dir())}
}

// whileKept ends with ctx, or when a result cannot be kept: to play on is of no use then.
func whileKept(ctx context.Context, j *journal.Journal) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	j.OnFailure(stop)
	return ctx, stop
}

// playLeft plays what is left of a campaign. When it is interrupted, it keeps what is done,
// and prints what done prints of it.
func (p *program) playLeft(ctx context.Context, command string, settings campaign.Settings, state *campaign.State, part shard.Shard, done func() error) error {
	ctx, stop := whileKept(ctx, state.Journal)
	defer stop()
	err := p.play(ctx, settings, state.Left(part.Has), state.Add)
	if errors.Is(err, context.Canceled) {
		return errors.Join(done(), interrupted(command, state.Journal, state.Runs()))
	}
	if err == nil {
		err = state.Settle()
	}
	return err
}
