package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/findings"
	"redlocklab/cmd/simulate/shard"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/journal"
)

const mergeHelp = `Merges the folders of all shards of one command. The files are the same, byte
for byte, as if one machine had played all runs. Each DIR is the folder of a shard, or holds
such folders. It checks that the shards are of one commit, command and count, and names shards
that are missing or came twice. Then it continues the command as --resume does: with tables,
causes, borders and minimal plans, which depend on all results. Flags after -- go to that
command: merge D --out whole -- --json.

run, explore, map, mutants and report --rerun take --shard 3/64, together with --out D. Such
a command plays every 64th run, from the third, into D/3-of-64. To continue a shard that
died, give the same command again, on any machine. Without --shard, but with --out, a
scheduler's variables select the shard:
  Slurm        SLURM_ARRAY_TASK_ID, from SLURM_ARRAY_TASK_MIN on, of SLURM_ARRAY_TASK_COUNT
  Kubernetes   JOB_COMPLETION_INDEX, from 0 on, of ` + shard.Shards + `
  Bazel        TEST_SHARD_INDEX, from 0 on, of TEST_TOTAL_SHARDS
` + shard.Shards + ` sets the count for each scheduler. With it, a Slurm array
counts from 1 and may have gaps. --shard none plays all. Files that are ready to
use: cmd/simulate/deploy.
`

// stateFlag adds the flag that asks for findings.
func stateFlag(command *cobra.Command, state *string) {
	command.Flags().StringVar(state, "state", "", "shrink the violations, "+
		"mark each as new, known or gone since the campaign saved in `FILE`, and save this campaign there")
}

// checkState says before anything is played whether findings can be compared and kept.
func checkState(file string) error {
	if file == "" {
		return nil
	}
	if err := writable("--state", filepath.Dir(file)); err != nil {
		return err
	}
	_, err := findings.Load(file)
	return err
}

// compareFindings shrinks the findings, compares them with those of the state file, and replaces these.
func (p *program) compareFindings(ctx context.Context, groups []findings.Group, file string, out io.Writer) error {
	before, err := findings.Load(file)
	if err != nil {
		return err
	}
	line := tables.NewProgress(p.err, "shrunk", len(groups))
	found, err := findings.Shrink(ctx, p.settings, groups, line.Step)
	line.End()
	if err != nil {
		return err
	}
	now := findings.State{Version: findings.Version, Commit: version(), Findings: found}
	now.Compare(out, before)
	return now.Write(file)
}

func (p *program) mergeCommand() *cobra.Command {
	var out, state string
	command := &cobra.Command{
		Use:   "merge DIR… [-- FLAG…]",
		Short: "merge the shards of a command, as if one machine had played all runs",
		Long: mergeHelp + exitCodes(`
  4    a shard is missing or not finished; nothing was written
  5    not deterministic: a shard was played twice, with different results
  …    the exit codes of that command`),
		Example: `  simulate run --out D --shard 1/2           # on one machine; on another one --shard 2/2
  simulate merge D --out whole`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			var rest []string
			if dash := command.ArgsLenAtDash(); dash >= 0 {
				args, rest = args[:dash], args[dash:]
			}
			if out == "" {
				return errors.New("found no --out; allowed: --out DIR, a folder that is new or empty")
			}
			parts, err := shard.Find(args, func(text string) { fmt.Fprintln(p.err, text) })
			switch {
			case err != nil:
				return err
			case state != "" && !slices.Contains([]string{"run", "explore"}, parts.Command()):
				return fmt.Errorf("found --state with shards of %s; allowed: with those of run or explore", parts.Command())
			}
			if err = errors.Join(checkState(state), startsFresh(out)); err == nil {
				err = parts.Merge(out)
			}
			if err != nil {
				return err
			}
			words := []string{parts.Command(), "--resume", out}
			if words[0] == "report" {
				words = append(words, "--rerun")
			}
			if state != "" {
				words = append(words, "--state", state)
			}
			root := p.root()
			root.SetArgs(append(words, rest...))
			err = root.ExecuteContext(command.Context())
			if code, _ := codeOf(err); code == exitUsage { // nothing was played: the folder can be used again
				err = errors.Join(err, os.Remove(filepath.Join(out, journal.File)))
			}
			return err
		},
	}
	command.Flags().StringVar(&out, "out", "", "`DIR` for the merged results; it is created")
	stateFlag(command, &state)
	return command
}
