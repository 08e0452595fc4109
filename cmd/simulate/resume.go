package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/shard"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
)

// journalFlags say where a long command keeps its results, and which part of the work it does.
type journalFlags struct {
	out, resume string
	part        string          // as --shard takes it
	shard       shard.Shard     // the zero value is all
	manifest    *shard.Manifest // of a shard
}

func (f *journalFlags) add(command *cobra.Command, out string) {
	command.Flags().StringVar(&f.out, "out", "", "`DIR` for "+out+"; it is created")
	command.Flags().StringVar(&f.resume, "resume", "", "continue the interrupted command whose journal is in `DIR`")
}

// addShard adds a flag, too, by which a command plays a part of what it is told.
func (f *journalFlags) addShard(command *cobra.Command, out string) {
	f.add(command, out)
	command.Flags().StringVar(&f.part, "shard", "", "with --out: play only shard `N/COUNT`, "+
		"and continue it if DIR has a part of it; none: play all runs; default: the shard that a scheduler's variables select, see \"simulate merge\"")
}

// choose finds out which shard is asked for. It continues one that has begun.
func (f *journalFlags) choose(command *cobra.Command, args []string) (err error) {
	built := versionOf(builtFrom()) // not where it runs: shards must be of one program
	if f.resume != "" {
		if f.manifest, err = shard.Open(f.resume); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else if f.manifest, err = shard.Choose(f.part, f.out, command, args, built); err == nil && f.manifest != nil {
		f.out = filepath.Join(f.out, f.manifest.Part().Folder())
		var begun *shard.Manifest
		if begun, err = f.manifest.Begun(f.out); begun != nil {
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

const interruptHelp = `Ctrl-C and SIGTERM finish the runs in flight, print and keep the results,
and name the command that continues.
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

// openOfBuild is open for results that another build of this program might not make. program is where
// told has the SHA-256 of the executable.
func (f *journalFlags) openOfBuild(command string, program *string, told any) (*journal.Journal, error) {
	own, err := shard.ProgramHash()
	if err != nil {
		return nil, bug(err)
	}
	*program = own
	kept, err := f.open(command, told)
	if err == nil && *program != own {
		err = fmt.Errorf("--resume: found in %s the journal of another build of simulate; allowed: one of this build", f.resume)
		return nil, errors.Join(err, kept.Close())
	}
	return kept, err
}

// keep moves a new journal into the folder of --out, when there is one. items counts the
// results that all shards will have, seeds are theirs.
func (f *journalFlags) keep(j *journal.Journal, items int, seeds string) error {
	if f.out == "" {
		return nil
	}
	if f.manifest == nil {
		if err := startsFresh(f.out); err != nil {
			return err
		}
		return j.KeepIn(f.out)
	}
	// What is in the folder is of a shard that died before it had a journal.
	if err := writable("--out", f.out); err != nil {
		return err
	}
	f.manifest.Items, f.manifest.Seeds = items, seeds
	return errors.Join(f.manifest.Write(f.out), j.KeepIn(f.out), f.manifest.Begin(f.out))
}

// endShard ends a shard whose results are all there and in order. Some may have no verdict.
func (p *program) endShard(f *journalFlags, j *journal.Journal, failed int) error {
	results := f.shard.Count(f.manifest.Items)
	err := j.Close()
	if err == nil {
		err = f.manifest.Finish(j.Dir(), results, failed)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "shard %s: %d of %d results in %s, %d of them without a verdict; "+
		"when all shards are there: ./simulate merge %s --out DIR\n",
		f.shard, results, f.manifest.Items, j.Dir(), failed, campaign.Quote(filepath.Dir(j.Dir())))
	return exitIf(failed > 0, exitInconclusive)
}

// interrupted keeps the journal of a command, in a new folder where it has none, and
// returns the error that says how to continue.
func interrupted(command string, j *journal.Journal, runs int) error {
	ended := func(format string, arguments ...any) error {
		return &exitError{exitInterrupted, fmt.Errorf("interrupted"+format, arguments...)}
	}
	if j.Dir() == "" {
		dir, err := newFolder("out", "interrupted-")
		if err == nil {
			err = j.KeepIn(dir)
		}
		if err != nil {
			return ended("; what was done could not be kept: %w", errors.Join(err, j.Close()))
		}
	}
	again := fmt.Sprintf("\n  ./simulate %s --resume %s", command, j.Dir())
	if err := j.Close(); err != nil {
		return ended(", for not all could be kept: %w. Make room, and continue with:%s", err, again)
	}
	return ended("; %d runs are kept. Continue with:%s", runs, again)
}

// longCommand is a command that keeps its results in a journal.
type longCommand struct {
	name string // with --resume it continues
	kept *journal.Journal
	// play plays what is left, keeps each result and settles the journal. Its context ends, too,
	// when a result cannot be kept.
	play    func(context.Context) error
	stopped func() error // prints what is done, when it is interrupted; nil: nothing
	runs    func() int   // those that are kept
	failed  func() int   // results of a finished shard that have no verdict
	show    func() error // prints the results of a command that is not a shard
}

// playKept plays a long command to its end, or to the end of its shard.
func (p *program) playKept(ctx context.Context, f *journalFlags, c longCommand) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.kept.OnFailure(stop)
	switch err := c.play(ctx); {
	case errors.Is(err, context.Canceled):
		var printed error
		if c.stopped != nil {
			printed = c.stopped()
		}
		return errors.Join(printed, interrupted(c.name, c.kept, c.runs()))
	case err != nil:
		return err
	case !f.shard.Whole():
		return p.endShard(f, c.kept, c.failed())
	}
	return c.show()
}
