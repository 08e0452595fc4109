package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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
	results := make([]bool, a.Seeds)
	group, ctx := errgroup.WithContext(a.ctx)
	group.SetLimit(a.Workers)
	for i := range results {
		group.Go(func() (err error) {
			if err = ctx.Err(); err == nil {
				results[i], err = a.one(s, x, uint64(i+1))
			}
			return err
		})
	}
	err := group.Wait()
	a.runs += a.Seeds
	first := slices.Index(results, true)
	return outcome{first >= 0, uint64(first + 1)}, err
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
			return false, fmt.Errorf("%s with %s, seed %d: no verdict: %s %s", a.q.Name, a.q.Say(x), seed, answer.Oracle, answer.Reason)
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
		answer.Show = q.Own(s)
		if answer.Violated != nil && q.beyond(*answer.Violated, answer.Show) {
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
		answer.Show, answer.Seed = q.Own(s), 1
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
	switch {
	case q.Name == "down":
		q.judgeDown(a, s, always)
	case always && a.Own == 0 && !q.below:
		a.Status, a.Says = SafeIf, "it never happens: "+q.Never
	case always:
		a.Status, a.Says = Unsafe, q.happens(q.edge(s))+", whatever your number is"
	case a.Violated == nil && q.below:
		a.Status, a.Says = Safe, "two clients never hold at once, however soon the server is back"
	case a.Violated == nil:
		a.Status, a.Says = Safe, fmt.Sprintf("nothing here %s: it held up to %s", q.Harm, q.Say(q.high(s)))
	default:
		q.judgeBoundary(a, s)
	}
}

// happens is the event at a number, and its harm.
func (q *Question) happens(n int64) string { return fmt.Sprintf(q.Event, q.Say(n)) + " " + q.Harm }

// judgeDown words the answer about servers that are down.
func (q *Question) judgeDown(a *Answer, s *Setup, always bool) {
	switch {
	case always:
		a.Status, a.Says = Unsafe, "the lock cannot be taken even with every server up"
	case a.Violated == nil:
		a.Status, a.Says = Safe, fmt.Sprintf("nothing here %s: it held up to %s", q.Harm, q.Say(q.high(s)))
	case *a.Holds < a.Own:
		a.Status, a.Says = Unsafe, "no server may be down: without it nobody can lock"
	default:
		a.Status = Safe
		a.Says = fmt.Sprintf("%s of %d servers may be down; one more stops all locking until it is back", q.Say(*a.Holds), s.Nodes)
	}
}

// judgeBoundary compares the boundary with the setup's own number.
func (q *Question) judgeBoundary(a *Answer, s *Setup) {
	boundary, bad := *a.Holds, a.Own > *a.Holds
	if q.below {
		boundary, bad = *a.Violated, a.Own < *a.Holds
	}
	own := q.Say(a.Own)
	switch {
	case !bad && a.Own == 0:
		a.Status, a.Says = SafeIf, fmt.Sprintf(q.Unless, q.Say(*a.Holds))
		return
	case !bad && abs(a.Own-*a.Holds) < a.Own/10:
		a.Status, a.Says = SafeIf, fmt.Sprintf(q.Unless, q.Say(*a.Holds))+"; yours: "+own+", which is near"
		return
	case bad:
		a.Status = Unsafe
	default:
		a.Status = Safe
	}
	a.Says = q.happens(boundary) + "; yours: " + own
	if q.Name == "clocks" && lock.ClockOf(s.subject()) == sim.True {
		a.Says += " (only servers' clocks err here: this lock reads true time; if clients' clocks err, too, count half)"
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
	for _, key := range a.q.Changes {
		changed, says := *s, texts.Changes[key]
		if !changes[key](&changed, boundary) || changed.Check() != nil {
			continue
		}
		if !slices.ContainsFunc(Questions(&changed), func(q Question) bool { return q.Name == a.q.Name }) {
			return says, nil // the question is not raised any more
		}
		o, err := a.at(&changed, clamp(a.q.own(&changed), a.q.low, max(a.q.high(&changed), a.q.own(&changed))))
		if err != nil {
			return "", err
		}
		if o.violated {
			continue
		}
		if !strings.Contains(says, "%s") {
			return says, nil
		}
		number := a.q.Say(a.q.own(&changed))
		if len(changed.Options) > 0 {
			number = changed.Options[0].Value
		}
		return fmt.Sprintf(says, number), nil
	}
	return "", nil
}
