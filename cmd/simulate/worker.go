package main

import (
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
)

// workerCommand is the hidden command that makes this program a worker.
const workerCommand = "worker"

// orphanLife is how long a worker whose parent is gone goes on with its present
// run. A run that spins would otherwise never end.
const orphanLife = time.Minute

func (p *program) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use: workerCommand, Hidden: true, Args: cobra.NoArgs,
		Short: "play runs for another simulate (JSON lines on standard input and output)",
		RunE: func(*cobra.Command, []string) error {
			// A Ctrl-C in the terminal reaches this process too; the parent decides
			// what it means.
			signal.Ignore(os.Interrupt)
			if err := campaign.Serve(&orphanReader{p.in}, p.out, p.laboratory); err != nil {
				return bug(err)
			}
			return nil
		},
	}
}

// orphanReader ends the process some time after its input ended.
type orphanReader struct{ in io.Reader }

func (r *orphanReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if err != nil {
		time.AfterFunc(orphanLife, func() { os.Exit(exitInconclusive) })
	}
	return n, err
}
