package subjects

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// ballot is one node's answer, counted.
type ballot int

const (
	refused ballot = iota
	voted
	silent // an error or a timeout
)

// voter sends one command to a node and counts its answer.
type voter func(ctx context.Context, c *redis.Client) ballot

// ask sends one command to every node and counts the votes. It returns at the
// deciding answer, with the reading of the subject's clock at that instant.
func (t *textbook) ask(ctx context.Context, order []int, vote voter) (won bool, at time.Duration) {
	if t.env.Option("order", "parallel") != "parallel" {
		votes := 0
		for _, i := range order {
			within, cancel := t.env.NodeContext(ctx)
			if vote(within, t.env.Redis[i]) == voted {
				votes++
			}
			cancel()
		}
		return votes >= t.quorum(), t.env.Now(t.clock)
	}
	answers := make(chan ballot, len(order))
	ctx, cancel := t.env.NodeContext(ctx)
	var left atomic.Int64
	left.Store(int64(len(order)))
	for _, i := range order {
		t.workers.Go(func() {
			answers <- vote(ctx, t.env.Redis[i])
			if left.Add(-1) == 0 { // the decision may be earlier than the last answer
				cancel()
			}
		})
	}
	var count [silent + 1]int
	for range order {
		count[<-answers]++
		switch {
		case count[voted] >= t.quorum():
			return true, t.env.Now(t.clock)
		case t.bug("responders-quorum"): // waits for all, for silent nodes make its quorum smaller
		case count[refused]+count[silent] > len(order)-t.quorum():
			return false, t.env.Now(t.clock)
		}
	}
	return count[voted] > count[refused], t.env.Now(t.clock) // responders-quorum
}

// ballotOf is the ballot of a command that changes the caller's own key.
func ballotOf(changed bool, err error) ballot {
	switch {
	case err != nil:
		return silent
	case changed:
		return voted
	}
	return refused
}

// order is the order in which the nodes are asked.
func (t *textbook) order() []int {
	order := make([]int, len(t.env.Redis))
	for i := range order {
		order[i] = i
	}
	if t.env.Option("order", "parallel") == "shuffled" {
		for i := len(order) - 1; i > 0; i-- {
			j := int(t.env.Uint64() % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
	}
	return order
}
