package search

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// climb goes on from the runs in which a belief that ran out and the next one came
// closest to each other. Half of each batch is drawn as the swarm draws, the other
// half are the best runs so far with one or two times changed.
type climb struct {
	fresh   *drawn
	draw    draw
	batch   []*plan.Plan
	best    []ranked
	changed int // runs made by a change, so far
}

// ranked is a run with how close it came: margin in millionths of the TTL.
type ranked struct {
	plan  *plan.Plan
	score int64
}

// keptBest is how many runs are gone on from.
const keptBest = 10

func startClimb(first uint64, o Options) (Strategy, error) {
	return &climb{fresh: &drawn{seed: first, options: o, draw: Swarm}, draw: draw{first}}, nil
}

// Next implements Strategy.
func (c *climb) Next(most int) ([]*plan.Plan, error) {
	fresh := most
	if len(c.best) > 0 {
		fresh = (most + 1) / 2
	}
	plans, err := c.fresh.Next(fresh)
	if err != nil {
		return nil, err
	}
	for len(plans) < most {
		plan, err := c.change(c.best[c.changed%len(c.best)].plan)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	c.batch = plans
	return plans, nil
}

// Learn implements Strategy. What was violated needs no closer look, and where every
// holder released in time nothing came close.
func (c *climb) Learn(outcomes []Outcome) {
	for i, outcome := range outcomes {
		if outcome.LapsedMarginNS == nil || !outcome.Finished || len(outcome.Violated) > 0 {
			continue
		}
		plan := c.batch[i]
		c.best = append(c.best, ranked{plan, *outcome.LapsedMarginNS * 1_000_000 / int64(plan.Lock.TTL)})
	}
	slices.SortStableFunc(c.best, func(a, b ranked) int { return cmp.Compare(a.score, b.score) })
	c.best = c.best[:min(len(c.best), keptBest)]
}

// change makes a neighbour of a run: one or two of its times are other ones.
func (c *climb) change(p *plan.Plan) (*plan.Plan, error) {
	for attempt := 0; ; attempt++ {
		c.changed++
		knob := fmt.Sprintf("change %d", c.changed)
		near, err := copyOf(p)
		if err != nil {
			return nil, err
		}
		times := timesOf(near)
		for i := range 1 + c.draw.below(knob+" how many", 2) {
			of := fmt.Sprintf("%s.%d", knob, i)
			t := pick(c.draw, of+" which", times...)
			*t = max(time.Microsecond, (*t * time.Duration(pick(c.draw, of+" to", 50, 90, 98, 102, 110, 200)) / 100).Truncate(time.Microsecond))
		}
		for i := range near.Clients {
			forSteps(near.Clients[i].Steps, func(s *plan.Step) { s.Duration.High = max(s.Duration.High, s.Duration.Low) })
			near.Clients[i].Start.High = max(near.Clients[i].Start.High, near.Clients[i].Start.Low)
		}
		if validate(near) == nil || attempt == 10 {
			return near, nil
		}
	}
}

// timesOf are the times of a run that may be changed and break no assumption by
// that: when clients begin and how long they work, when faults begin and end.
func timesOf(p *plan.Plan) []*time.Duration {
	var times []*time.Duration
	for i := range p.Clients {
		if p.Clients[i].Name == lateClient {
			continue
		}
		times = append(times, &p.Clients[i].Start.Low)
		forSteps(p.Clients[i].Steps, func(s *plan.Step) {
			if s.Kind == plan.StepHold || s.Kind == plan.StepWait {
				times = append(times, &s.Duration.Low)
			}
		})
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		switch f.Effect.(type) {
		case *faults.NodeClockRate, *faults.ClientClockRate:
			continue // they stand from the start
		}
		if f.Begin.When.IsZero() {
			times = append(times, &f.Begin.At)
		} else {
			times = append(times, &f.Begin.After)
		}
	}
	return times
}

// forSteps calls f with every step, those inside of repetitions too.
func forSteps(steps []plan.Step, f func(*plan.Step)) {
	for i := range steps {
		f(&steps[i])
		forSteps(steps[i].Steps, f)
	}
}
