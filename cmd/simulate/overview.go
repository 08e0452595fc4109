package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// overviewSeeds is how many seeds of each row the overview plays. Tests play fewer.
var overviewSeeds = choice.Seeds{Story: 10, Family: choice.QuickFamily}

// isOverview reports whether the program was told nothing, or only how to play.
func isOverview(command *cobra.Command, args []string) bool {
	told := len(args) > 0
	for _, flag := range []string{"seed", "seeds", "subject", "set", "json", "quick", "full", "causes", "out", "resume", "shard", "state"} {
		told = told || command.Flags().Changed(flag)
	}
	return !told
}

func (p *program) playOverview(ctx context.Context, settings campaign.Settings) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return bug(err)
	}
	o := tables.NewOverview(p.out, p.err, suite, overviewSeeds.Of)
	fmt.Fprintf(p.out, `Real locks on Redis, played in virtual time: clocks drift and leap, nodes crash, links break,
clients pause. %d claims that people made about such locks, %d runs, less than a minute. Each is
played with the textbook's algorithm, with this project's package redlock, and with redsync.

`, len(o.Claims), campaign.Runs(o.Jobs))
	o.Head()
	state := campaign.NewState("run", o.Jobs, settings.Options, runTold{"0"}) // continued by run
	defer state.Close()
	err = campaign.Play(ctx, settings, o.Jobs, func(r campaign.Report) { state.Add(r); o.Add(r) })
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
	if o.Strange > 0 {
		return exit(exitSafety)
	}
	return nil
}
