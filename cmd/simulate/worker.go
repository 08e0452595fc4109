package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
)

// workerCommand is the hidden command that makes this program a worker.
const workerCommand = "worker"

// orphanLife is how long a worker without a parent continues its present run. A run
// that spins would otherwise never end.
const orphanLife = time.Minute

func (p *program) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use: workerCommand, Hidden: true, Args: cobra.NoArgs,
		Short: "play runs for another simulate (JSON lines on standard input and output)",
		RunE: func(*cobra.Command, []string) error {
			// Signals to the process group reach this process too; the parent decides
			// what they mean.
			signal.Ignore(os.Interrupt, syscall.SIGTERM)
			return bug(campaign.Serve(&orphanReader{p.in}, p.out, p.laboratory))
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
