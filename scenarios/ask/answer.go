package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Status is the answer in a word.
type Status string

// The answers. SafeIf: the boundary is nearer than a tenth of the setup's own number, or the
// setup says that the thing does not happen at all.
const (
	Safe   Status = "safe"
	SafeIf Status = "safe if"
	Unsafe Status = "unsafe"
)

// Answer is what the runs of one question say.
type Answer struct {
	Question string `json:"question"`
	Claim    string `json:"claim"`
	Status   Status `json:"status"`
	Says     string `json:"says"`             // one sentence
	Change   string `json:"change,omitempty"` // the cheapest change that was played and held; empty: none was needed or found
	// Holds and Violated are the neighbours at the boundary, in nanoseconds, ppm or servers:
	// every run at Holds held, and some run at Violated did not. Absent where there is no boundary.
	Holds    *int64 `json:"holds,omitempty"`
	Violated *int64 `json:"violated,omitempty"`
	Own      int64  `json:"own"`            // the setup's number
	Runs     int    `json:"runs"`           // that were played
	Show     int64  `json:"show,omitempty"` // a number whose run shows a violation; or the setup's own
	Seed     uint64 `json:"seed,omitempty"` // the seed of that run
}

// Laboratory plays one plan.
type Laboratory func(*plan.Plan) (*play.Result, error)

// Asker plays questions.
type Asker struct {
	Laboratory Laboratory
	Seeds      int // of each point; at least 1
	Workers    int // runs at a time; at least 1
}

// outcome is what the runs at one number say.
type outcome struct {
	violated bool
	seed     uint64 // of the first violated run
}

// session is one question in the making.
type session struct {
	*Asker
	ctx  context.Context
	q    *Question
	runs int
}

// at plays all seeds at one number.
func (a *session) at(s *Setup, x int64) (outcome, error) {
	results, errs := make([]bool, a.Seeds), make([]error, a.Seeds)
	var group sync.WaitGroup
	limit := make(chan struct{}, a.Workers)
	for i := range a.Seeds {
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if errs[i] = a.ctx.Err(); errs[i] == nil {
				results[i], errs[i] = a.one(s, x, uint64(i+1))
			}
		})
	}
	group.Wait()
	a.runs += a.Seeds
	if err := errors.Join(errs...); err != nil {
		return outcome{}, err
	}
	first := slices.Index(results, true)
	return outcome{first >= 0, uint64(first + 1)}, nil
}

// one plays one run.
func (a *session) one(s *Setup, x int64, seed uint64) (bool, error) {
	p, err := a.q.Plan(s, x, seed)
	if err != nil {
		return false, err
	}
	result, err := a.Laboratory(p)
	if err != nil {
		return false, err
	}
	for _, answer := range result.Verdict.Answers() {
		if !slices.Contains(a.q.oracles(s), answer.Oracle) {
			continue
		}
		switch answer.Status {
		case checker.Violated:
			return true, nil
		case checker.Inconclusive:
			return false, fmt.Errorf("%s with %s, seed %d: no verdict: %s %s", a.q.Name, a.q.format(x), seed, answer.Oracle, answer.Reason)
		}
	}
	return false, nil
}

// boundary searches between two ends of which one is violated and the other is not.
func (a *session) boundary(s *Setup, holds, violated int64) (int64, int64, error) {
	b, lowHolds := plan.Bracket{Low: min(holds, violated), High: max(holds, violated)}, holds < violated
	for middle, open := b.Middle(a.q.step); open; middle, open = b.Middle(a.q.step) {
		o, err := a.at(s, middle)
		if err != nil {
			return 0, 0, err
		}
		b.Narrow(middle, o.violated != lowHolds)
	}
	if lowHolds {
		return b.Low, b.High, nil
	}
	return b.High, b.Low, nil
}

func abs(n int64) int64 { return max(n, -n) }

// Ask plays a question with a setup.
func (a *Asker) Ask(ctx context.Context, s *Setup, q *Question) (Answer, error) {
	run := &session{Asker: a, ctx: ctx, q: q}
	answer := Answer{Question: q.Name, Claim: q.Claim, Own: q.own(s)}
	low, err := run.at(s, q.low)
	if err != nil {
		return answer, err
	}
	high, err := run.at(s, q.high(s))
	if err != nil {
		return answer, err
	}
	switch {
	case low.violated == high.violated:
	case low.violated:
		err = run.take(&answer, s, q.high(s), q.low)
	default:
		err = run.take(&answer, s, q.low, q.high(s))
	}
	if err != nil {
		return answer, err
	}
	q.judge(&answer, s, low.violated && high.violated)
	if answer.Status == Unsafe {
		if answer.Show = clamp(answer.Own, q.low, q.high(s)); answer.Violated != nil && q.beyond(*answer.Violated, answer.Show) {
			answer.Show = *answer.Violated
		}
		own, err := run.at(s, answer.Show)
		if err != nil {
			return answer, err
		}
		answer.Seed = max(1, own.seed)
		if answer.Change, err = run.change(s, &answer); err != nil {
			return answer, err
		}
	} else if answer.Violated != nil {
		answer.Show, answer.Seed = *answer.Violated, 1
	} else {
		answer.Show, answer.Seed = clamp(answer.Own, q.low, q.high(s)), 1
	}
	answer.Runs = run.runs
	return answer, nil
}

// beyond reports whether x lies on the other side of the boundary's violated end.
func (q *Question) beyond(violated, x int64) bool {
	if q.below {
		return x > violated
	}
	return x < violated
}

func (a *session) take(answer *Answer, s *Setup, holds, violated int64) error {
	holds, violated, err := a.boundary(s, holds, violated)
	answer.Holds, answer.Violated = &holds, &violated
	return err
}

func clamp(x, low, high int64) int64 { return min(max(x, low), high) }

// judge compares the boundary with the setup, in words.
func (q *Question) judge(a *Answer, s *Setup, always bool) {
	w := q.words
	own := q.Say(a.Own)
	switch {
	case always:
		a.Status = Unsafe
		a.Says = fmt.Sprintf(w.event, q.Say(q.edge(s))) + " " + w.harm + ", whatever your number is"
		if q.Name == "down" {
			a.Says = "the lock cannot be taken even with every server up"
		}
		if a.Own == 0 && !q.below {
			a.Status, a.Says = SafeIf, "it never happens: with this lock any "+strings.ReplaceAll(q.Name, "clocks", "clock error")+" "+w.harm
		}
	case a.Violated == nil:
		a.Status = Safe
		a.Says = fmt.Sprintf("nothing here %s: it held up to %s", w.harm, q.Say(q.high(s)))
		if q.below {
			a.Says = "two clients never hold at once, however soon the server is back"
		}
	case q.Name == "down":
		a.Says = fmt.Sprintf("%s of %d servers may be down; one more stops all locking until it is back", q.Say(*a.Holds), s.Nodes)
		a.Status = Safe
		if *a.Holds < a.Own {
			a.Status, a.Says = Unsafe, "no server may be down: without it nobody can lock"
		}
	default:
		boundary := q.Say(*a.Holds)
		if q.below {
			boundary = q.Say(*a.Violated)
		}
		a.Says = fmt.Sprintf(w.event, boundary) + " " + w.harm + "; yours: " + own
		if q.Name == "clocks" && lock.ClockOf(s.subject()) == sim.True {
			a.Says += " (only servers' clocks err here: this lock reads true time; if clients' clocks err, too, count half)"
		}
		bad := a.Own > *a.Holds
		if q.below {
			bad = a.Own < *a.Holds
		}
		switch {
		case bad:
			a.Status = Unsafe
		case a.Own == 0:
			a.Status, a.Says = SafeIf, fmt.Sprintf(w.unless, q.Say(*a.Holds))
		case abs(a.Own-*a.Holds) < a.Own/10:
			a.Status, a.Says = SafeIf, fmt.Sprintf(w.unless, q.Say(*a.Holds))+"; yours: "+own+", which is near"
		default:
			a.Status = Safe
		}
	}
}

// edge is the harmless end of the numbers that were played.
func (q *Question) edge(s *Setup) int64 {
	if q.below {
		return q.high(s)
	}
	return q.low
}

// change plays the question with the question's changes, cheapest first, and returns the
// first that holds.
func (a *session) change(s *Setup, answer *Answer) (string, error) {
	boundary := answer.Own
	if answer.Holds != nil {
		boundary = *answer.Holds
	}
	for _, c := range a.q.changes {
		changed := *s
		if !c.apply(&changed, boundary) || changed.Check() != nil {
			continue
		}
		if !slices.ContainsFunc(Questions(&changed), func(q Question) bool { return q.Name == a.q.Name }) {
			return c.says, nil // the question is not raised any more
		}
		o, err := a.at(&changed, clamp(a.q.own(&changed), a.q.low, max(a.q.high(&changed), a.q.own(&changed))))
		if err != nil {
			return "", err
		}
		if o.violated {
			continue
		}
		if !strings.Contains(c.says, "%s") {
			return c.says, nil
		}
		number := a.q.Say(a.q.own(&changed))
		if len(changed.Options) > 0 {
			number = changed.Options[0].Value
		}
		return fmt.Sprintf(c.says, number), nil
	}
	return "", nil
}
