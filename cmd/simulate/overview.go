package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// overviewSeeds is how many seeds of each row the overview plays. Tests play fewer.
var overviewSeeds = seedChoice{Story: 10, Family: quickFamily}

// isOverview reports whether the command line is empty, or says only how to play.
func isOverview(command *cobra.Command, args []string) bool {
	asks := []string{
		"seed", "seeds", "subject", "set", "json", "quick", "full", "causes", "out", "resume", "shard", "state",
	}
	return len(args) == 0 && !slices.ContainsFunc(asks, command.Flags().Changed)
}

func (p *program) playOverview(ctx context.Context) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return bug(err)
	}
	o := tables.NewOverview(p.out, p.err, suite, overviewSeeds.of)
	fmt.Fprintf(p.out, `Real locks on Redis, played in virtual time: clocks drift and leap, nodes crash, links break,
clients pause. %d claims that people made about such locks, %d runs, less than a minute. Each is
played with the textbook's algorithm, with this project's package redlock, and with redsync.

`, o.Claims, campaign.Runs(o.Jobs))
	o.Head()
	state := campaign.NewState("run", o.Jobs, p.settings.Options, runTold{"0"}) // continued by run
	defer state.Close()
	err = campaign.Play(ctx, p.settings, o.Jobs, func(r campaign.Summary) { state.Add(r); o.Add(r) })
	switch {
	case errors.Is(err, context.Canceled):
		o.Rest()
		return interrupted("run", state.Journal, state.Runs())
	case err != nil:
		return err
	}
	fmt.Fprint(p.out, `
"2 holders": two clients held one lock. "stale": a late write was accepted. "late": a bound was
missed. "own bug": one of these with no assumption broken. "true: A-VOTE": it happens, as the claim
says, because that assumption broke (simulate list assumptions). "-": the question does not apply.
Go on with (go build -o simulate ./cmd/simulate):
  ./simulate ask docker                           is my setup safe? (--help: describe your own)
  ./simulate run BA-2 --seed 7 --out story        one run; ./simulate explain story/SY-0 tells it
  ./simulate run                                  every row of the suite, with its numbers
`)
	return exitIf(o.Strange > 0, exitSafety)
}
