package redlock

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/redlock/round"
)

// Holder is who holds a resource, as a quorum of nodes said; see [Locker.Holder].
type Holder struct {
	// Owner is the text of [WithOwner], or "".
	Owner string
	// Since is when the holder's attempt began, by its wall clock, or the zero time without an
	// owner.
	Since time.Time
	// Remaining is how much longer a quorum of nodes keeps the key if nobody extends or releases
	// it, in milliseconds, by the servers' clocks. It is negative if they keep it for ever. The
	// holder's own validity ends earlier, by its allowance.
	Remaining time.Duration
	// TokenPrefix is the first characters of the token, followed by "…", as in [Event].
	TokenPrefix string
}

// Holder asks every node who holds a resource. It returns nil if no token can be on a quorum of
// nodes: then nobody held the resource at some instant of the call. It waits for all nodes, up
// to the per-node timeout (2 s without [WithNodeTimeout]).
//
// The answer is of the past when it comes: do not decide by it whether to act, but lock. It is
// for people and for messages. Holders of other libraries are found, too, without an owner.
//
// Holder fails with [ErrNoQuorum] if too few nodes answered to tell, in a [*RoundError]. It also
// fails with [ErrClosed], [ErrInvalidArgument] or the context's error.
func (l *Locker) Holder(ctx context.Context, resource string) (*Holder, error) {
	ctx = orBackground(ctx)
	resources, err := checkResources([]string{resource})
	if err != nil {
		return nil, err
	}
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	defer l.leave()
	c := command{operation: OperationHolder, keys: []string{l.settings.keyPrefix + resource}}
	answers, combined := l.askEach(ctx, resources, c)
	lives := map[string][]time.Duration{} // how long each value lives, by node
	silent := 0
	for i, answer := range answers {
		switch combined.reports[i].Outcome {
		case OutcomeGranted:
			remaining, value, _ := strings.Cut(answer, " ")
			milliseconds, _ := strconv.ParseInt(remaining, 10, 64)
			lives[value] = append(lives[value], time.Duration(milliseconds)*time.Millisecond)
		case OutcomeMissing:
		default:
			silent++
		}
	}
	most := 0
	for value, live := range lives {
		if len(live) >= l.Quorum() {
			return holderOf(value, live, l.Quorum()), nil
		}
		most = max(most, len(live))
	}
	if most+silent < l.Quorum() {
		return nil, nil
	}
	reason := because(ErrNoQuorum, combined.ended)
	return nil, &RoundError{Operation: c.operation, Resources: resources, Reason: reason, Nodes: combined.reports}
}

// holderOf returns the holder that a quorum of nodes carries, which have the key for so long.
func holderOf(value string, lives []time.Duration, quorum int) *Holder {
	h := &Holder{TokenPrefix: tokenPrefix(value)}
	h.Owner, h.Since = ownerOf(value)
	// A quorum is left as long as the quorum-th of the longest lives; negative ones last for ever.
	slices.SortFunc(lives, func(a, b time.Duration) int { return cmp.Compare(uint64(b), uint64(a)) })
	h.Remaining = max(lives[quorum-1], -1)
	return h
}

// askEach runs a command on every node, each in a round of its own, because a round ends at the
// quorum. It returns the text that each node that granted answered, and the reports of all.
func (l *Locker) askEach(ctx context.Context, resources []string, c command) ([]string, roundResult) {
	timeout := l.settings.checkTimeout()
	state := newTokenState(resources, nil, "", len(l.queues))
	start := l.settings.clock.Now()
	fanouts := make([]*fanout, len(l.queues))
	for i, queue := range l.queues {
		f := l.newFanout(ctx, state, c, start, round.NoLimit, timeout)
		f.round = round.New(1, round.NoLimit)
		f.requests = f.requests[i : i+1]
		f.requests[0].node = 0
		f.reports = f.reports[i : i+1]
		fanouts[i] = f
		if err := queue.submit(&f.requests[0], start); err != nil {
			f.recordAnswer(0, OutcomeTransport, err, start)
		}
	}
	combined := roundResult{state: round.Granted}
	answers := make([]string, len(fanouts))
	for i, f := range fanouts {
		result := f.wait(ctx, start+timeout-l.settings.clock.Now())
		if result.state != round.Granted {
			combined.state = round.Lost
			if combined.ended == nil {
				combined.ended = result.ended
			}
		}
		if result.reports[0].Outcome == OutcomeGranted {
			answers[i] = string(f.requests[0].reply.text)
		}
		combined.reports = append(combined.reports, result.reports...)
	}
	return answers, combined
}
