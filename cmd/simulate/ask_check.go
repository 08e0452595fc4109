package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/words"
)

// checkSpec is what a check of ask was told: all that its cases depend on.
type checkSpec struct {
	Setups   int    `json:"setups"` // for each question
	Seed     uint64 `json:"seed"`
	Evidence int    `json:"evidence"`
}

// checkAsk draws setups, asks about them, and attacks the safe side of the answers.
func (p *program) checkAsk(ctx context.Context, f *askFlags, asker *ask.Asker) error {
	told := f.drawn
	flags := &journalFlags{out: f.out, resume: f.resume}
	kept, err := flags.open("ask", &told)
	if err != nil {
		return err
	}
	defer kept.Close()
	asker.Evidence, asker.Seed = told.Evidence, told.Seed
	known := map[int]ask.Case{}
	err = journal.Read(kept, func(c ask.Case) error {
		known[c.Number] = c
		return nil
	})
	if err == nil {
		err = flags.keep(kept, ask.Cases(told.Setups), "")
	}
	if err != nil {
		return err
	}
	step, end := p.progress("asked", "setups", ask.Cases(told.Setups))
	show := func() error { return p.showCheck(known) }
	return p.playKept(ctx, flags, longCommand{
		name: "ask", kept: kept, runs: func() int { return len(known) }, failed: func() int { return 0 },
		play: func(ctx context.Context) error {
			defer end()
			if err := check(ctx, asker, &told, known, func(c ask.Case) {
				kept.Add(c)
				known[c.Number] = c
			}, step); err != nil {
				return err
			}
			return journal.Settle(kept, func(c ask.Case) int { return c.Number })
		},
		stopped: func() error {
			_ = show()
			return nil
		},
		show: show,
	})
}

// check asks about the setups that are not known yet, several at a time.
func check(
	ctx context.Context, asker *ask.Asker, told *checkSpec, known map[int]ask.Case, keep func(ask.Case), step func(),
) error {
	workers := asker.Workers
	asker.Workers = 1
	var left []int
	for number := range ask.Cases(told.Setups) {
		if _, done := known[number]; done {
			step()
		} else {
			left = append(left, number)
		}
	}
	var keeping sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, number := range left {
		group.Go(func() error {
			c, err := asker.Check(ctx, told.Seed, number)
			if err != nil {
				return err
			}
			keeping.Lock()
			defer keeping.Unlock()
			keep(c)
			step()
			return nil
		})
	}
	return group.Wait()
}

// showCheck prints what was wrong on the unsafe side, and how strict the answers were.
func (p *program) showCheck(known map[int]ask.Case) error {
	w := tables.New(p.out, "QUESTION", "SETUPS", "ATTACKS", "WRONG", "DISAGREE", "UNDECIDED", "BORDERS", "STRICT BY, OF A TTL", "WORST")
	var names []string
	var cases []ask.Case
	for _, number := range slices.Sorted(maps.Keys(known)) {
		cases = append(cases, known[number])
		if name := known[number].Question; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	wrong := 0
	for _, name := range names {
		setups, attacks, bad, disagree, undecided := 0, 0, 0, 0, 0
		var strict []float64
		for _, c := range cases {
			if c.Question != name {
				continue
			}
			setups, attacks = setups+1, attacks+c.Attacks
			bad += one(c.Wrong != "")
			disagree += one(c.Disagree != "")
			undecided += one(c.Status == ask.Undecided)
			if c.Strict != nil {
				strict = append(strict, *c.Strict)
			}
		}
		wrong += bad
		slices.Sort(strict)
		median, worst := "-", "-"
		if n := len(strict); n > 0 {
			median, worst = percent(strict[n/2]), percent(strict[n-1])
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n",
			name, setups, attacks, bad, disagree, undecided, len(strict), median, worst)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range cases {
		switch {
		case c.Wrong != "":
			fmt.Fprintf(p.out, "wrong: %s: %s: %s\n  ./simulate ask %s --details\n", c.Question, c.Says, c.Wrong, c.Setup)
		case c.Disagree != "":
			fmt.Fprintf(p.out, "rule and play disagree: %s: %s\n  ./simulate ask %s --details\n", c.Question, c.Disagree, c.Setup)
		}
	}
	fmt.Fprintf(p.out, "%s, %d of them wrong on the unsafe side\n", words.Counted(len(cases), "answer"), wrong)
	return exitIf(wrong > 0, exitSafety)
}

func percent(share float64) string { return words.Decimal(100*share, 2) + " %" }

// players play the runs of questions, each in a worker process of its own.
type players chan *campaign.Player

// newPlayers returns as many players as there are workers.
func newPlayers(settings campaign.Settings) players {
	list := make(players, settings.Workers)
	for range settings.Workers {
		list <- campaign.NewPlayer(settings)
	}
	return list
}

// laboratory has the next free player play a plan.
func (list players) laboratory(ctx context.Context) ask.Laboratory {
	return func(p *plan.Plan) (ask.Played, error) {
		player := <-list
		defer func() { list <- player }()
		r, err := player.Play(ctx, campaign.PlanJob(p))
		switch {
		case err != nil:
			return ask.Played{}, err
		case r.Failure != "" && !r.Killed:
			return ask.Played{}, errors.New(r.Failure)
		}
		idle := slices.ContainsFunc(r.Fired, func(c campaign.Count) bool { return c.Times == 0 })
		return ask.Played{Answers: r.Answers, Idle: idle || r.Killed}, nil
	}
}

// close ends the processes.
func (list players) close() {
	for range cap(list) {
		(<-list).Close()
	}
}
