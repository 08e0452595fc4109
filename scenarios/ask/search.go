package ask

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
)

// Laboratory plays one plan.
type Laboratory func(*plan.Plan) (Played, error)

// Played is what a run came to.
type Played struct {
	Answers checker.Answers
	// Idle says that the run shows nothing: a fault did nothing, or the run was stopped.
	Idle bool
}

// Asker plays questions.
type Asker struct {
	Laboratory Laboratory
	Evidence   int           // runs without a violation that the safe side of a border must have; at least 1
	Seed       uint64        // from which seeds and variants are drawn
	Workers    int           // runs at a time; at least 1
	Budget     time.Duration // real time for which a question plays further runs on its safe side; 0: none
	Step       func()        // is called after each run; nil: nothing
}

// run is one run, and what became of it.
type run struct {
	variant
	x        int64
	violated bool
	idle     bool // its fault did nothing, or an oracle had no answer: it shows nothing
}

// session is one question in the making.
type session struct {
	*Asker
	ctx    context.Context
	q      *Question
	s      *Setup
	rule   rules.Rule
	facts  rules.Facts // as the laboratory plays
	played rules.Border
	runs   int
}

// play plays runs, several at a time.
func (a *session) play(runs []run) error {
	group, ctx := errgroup.WithContext(a.ctx)
	group.SetLimit(a.Workers)
	for i := range runs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return a.one(&runs[i])
		})
	}
	a.runs += len(runs)
	if err := group.Wait(); err != nil {
		return err
	}
	return a.ctx.Err()
}

// one plays one run.
func (a *session) one(r *run) error {
	p, err := a.q.plan(a.s, r.variant, r.x)
	if err != nil {
		return err
	}
	result, err := a.Laboratory(p)
	if err != nil {
		return err
	}
	if a.Step != nil {
		a.Step()
	}
	r.idle = result.Idle
	for _, answer := range result.Answers {
		if a.q.judges(a.s, answer.Oracle) {
			r.violated = r.violated || answer.Status == checker.Violated
			r.idle = r.idle || answer.Status == checker.Inconclusive
		}
	}
	return nil
}

// seedsOfCorner is how many seeds of each corner are played where a violation is looked for.
const seedsOfCorner = 2

// attack plays the corners at a number, and returns the first violated run; nil: none.
func (a *session) attack(x int64) (*run, error) {
	var runs []run
	for _, v := range a.q.corners(a.s) {
		for i := range uint64(seedsOfCorner) {
			v.seed = a.Seed + i
			runs = append(runs, run{variant: v, x: x})
		}
	}
	err := a.play(runs)
	return firstViolated(runs), err
}

func firstViolated(runs []run) *run {
	if i := slices.IndexFunc(runs, func(r run) bool { return r.violated }); i >= 0 {
		return &runs[i]
	}
	return nil
}

// evidence plays corners and drawn variants in turn at a number, until so many as are asked for
// have shown that nothing is violated, or one is violated.
func (a *session) evidence(x int64) (clean int, bad *run, err error) {
	const batch = 40
	until := time.Now().Add(a.Budget / 2)
	corners := a.q.corners(a.s)
	for next := 0; clean < a.Evidence && next < 3*a.Evidence || a.Budget > 0 && time.Now().Before(until); {
		var runs []run
		left := a.Evidence - clean
		if left <= 0 {
			left = batch // within the budget
		}
		for range min(batch, left) {
			seed := a.Seed + uint64(next)
			v := corners[next/2%len(corners)]
			if next%2 == 1 {
				v = a.q.drawn(a.s, seed)
			}
			v.seed = seed
			runs = append(runs, run{variant: v, x: x})
			next++
		}
		if err := a.play(runs); err != nil {
			return clean, nil, err
		}
		if bad := firstViolated(runs); bad != nil {
			return clean, bad, nil
		}
		for _, r := range runs {
			if !r.idle {
				clean++
			}
		}
	}
	return clean, nil, nil
}

// narrow searches, in one variant, for the border between a violated number and a safe one.
func (a *session) narrow(bad *run, safe int64) (border *run, err error) {
	b := plan.Bracket{Low: min(bad.x, safe), High: max(bad.x, safe)}
	worst := *bad
	for middle, open := b.Middle(a.q.step(a.s)); open; middle, open = b.Middle(a.q.step(a.s)) {
		runs := []run{{variant: bad.variant, x: middle}, {variant: bad.variant, x: middle}}
		runs[1].seed++
		if err := a.play(runs); err != nil {
			return nil, err
		}
		found := firstViolated(runs)
		if found != nil {
			worst = *found
		}
		b.Narrow(middle, (found != nil) == (bad.x < safe))
	}
	return &worst, nil
}

// far is the safe end of the numbers, and the unsafe one.
func (a *session) far() (safe, unsafe int64) {
	if a.rule.Below {
		return a.q.high(a.s), a.q.low
	}
	return max(0, a.q.low), a.q.high(a.s)
}

// worst looks for the violated run that lies nearest to what the rule says, beginning there; nil:
// none is violated.
func (a *session) worst() (*run, error) {
	safe, unsafe := a.far()
	own := a.q.Own(a.s)
	points := []int64{own, unsafe}
	switch step := a.q.step(a.s) * a.q.unsafeWay(); a.played.Sort {
	case rules.At:
		points = []int64{a.played.Harm + step, unsafe}
		if (unsafe-points[0])*a.q.unsafeWay() < 0 {
			points = points[1:]
		}
		points[0] = max(points[0], a.q.low)
	case rules.Always:
		points = []int64{a.q.low, own, unsafe}
	}
	for i, x := range slices.Compact(points) {
		bad, err := a.attack(x)
		if err != nil {
			return nil, err
		}
		if bad != nil && (i > 0 || a.played.Sort == rules.Never) {
			return a.narrow(bad, safe) // further away, or nearer, than the rule says
		}
		if bad != nil {
			return bad, nil
		}
	}
	return nil, nil
}
