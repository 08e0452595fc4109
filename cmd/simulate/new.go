package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/file"
)

// newTemplate is a scenario that runs: two clients take turns while a node is
// away. CLAIM is its claim.
const newTemplate = `claim: CLAIM
title: Say in one sentence what happens
story: |
  Tell it in plain words, for somebody who has not read the code. A takes the
  lock and works. n3 is away meanwhile. B waits for its turn, and gets it.
nodes: { count: 5, persistence: aof-always }
lock: { ttl: 2s, node_timeout: 50ms, retry: { delay: 50ms..150ms } }
clients:
  A: [ { lock: r }, { hold: 500ms }, { release: r } ]
  B: [ { wait: 100ms }, { lock: r }, { hold: 100ms }, { release: r } ]
faults:
  - { name: n3 is away, crash: n3, restart_after: 300ms, when: A acquired, after: 10ms }
seeds: 1-20
subjects:
  # State what you expect before the first run. What is left out holds.
  SY-0: { expect: { overlap: holds, linearizability: holds, liveness: holds }, broken: [] }
liveness:
  - { claim: CLAIM, client: B, does: acquire, from: A released, within: 4*round }
`

func (p *program) newCommand() *cobra.Command {
	dir := "."
	command := &cobra.Command{
		Use:   "new NAME",
		Short: "write a scenario file to begin with",
		Long: `Writes NAME.yaml: a complete scenario that runs as expected. Change its story,
then its steps and faults, then its expectations. NAME is the claim, alone (BA-2) or
with a word behind it (BA-2-mine). A hypothesis of your own has an id of your own, such
as H-1. scenarios/WRITING.md explains the format.`,
		Example: "  simulate new BA-2-mine --dir my\n  simulate run my/BA-2-mine.yaml\n  simulate map my/BA-2-mine.yaml --x restart_after=0s..3s --cells 7",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := filepath.Join(dir, args[0]+".yaml")
			if args[0] != filepath.Base(args[0]) {
				return fmt.Errorf("found the name %q; allowed: a claim, perhaps with a word behind it, such as BA-2-mine; --dir says where", args[0])
			}
			parts := strings.SplitN(args[0], "-", 3)
			claim := strings.Join(parts[:min(2, len(parts))], "-")
			text := strings.ReplaceAll(newTemplate, "CLAIM", claim)
			var inFile file.FileErrors // whose positions are in a file that is not written
			switch _, err := file.Parse(path, []byte(text)); {
			case errors.As(err, &inFile):
				return fmt.Errorf("the name %q: %s", args[0], inFile[0].Message)
			case err != nil:
				return fmt.Errorf("the name %q: %w", args[0], err)
			}
			err := cmp.Or(os.MkdirAll(dir, 0o755), createFile(path, text))
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already; allowed: a name that is not", path)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(p.out, "written: %s\nrun it: ./simulate run %s\n", path, path)
			return nil
		},
	}
	command.Flags().StringVar(&dir, "dir", ".", "`DIR` to write into; it is created")
	return command
}
