package redlock

import (
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// sender is one goroutine that sends batches of requests to one node, one batch after
// another.
type sender struct {
	work      chan *request
	commands  []redis.Cmder // of the driver, reused for each batch
	transport transport
	sentAt    time.Duration // when the batch was handed over, on the Clock
	batch     []*request    // being sent
	answered  []*request    // the batch before, whose replies are being delivered
	due       time.Duration // when the replies to the batch are due
	overdue   bool          // the batch was marked overdue
}

// assign gives a request to an idle sender, or to a new one if none is idle.
func (q *nodeQueue) assign(r *request, now time.Duration) {
	q.returnConnections(now)
	var s *sender
	if last := len(q.idle) - 1; last >= 0 {
		s = q.idle[last]
		q.idle = q.idle[:last]
	} else {
		s = &sender{work: make(chan *request, 1), transport: newTransport(q.node.Client)}
		go q.runSender(s)
	}
	s.sentAt, s.due, s.overdue = now, now+r.fanout.timeout, false
	q.busy = append(q.busy, s)
	s.work <- r // never blocks: an idle sender's channel is empty
}

// runSender is the body of a sender's goroutine. The sender takes its next batch before
// it delivers the replies to the last one. Delivering wakes callers, and their next
// requests must not race with that choice.
func (q *nodeQueue) runSender(s *sender) {
	for first := range s.work {
		s.batch = append(s.batch[:0], first)
		for len(s.batch) > 0 {
			now, healthy := q.execute(s, s.batch)
			q.recordReturn(s, now, healthy)
			for _, r := range s.batch {
				q.settle(r, now)
			}
			s.batch, s.answered = s.answered[:0], s.batch
			q.fillBatch(s, now)
			for _, r := range s.answered {
				q.deliver(r, now)
			}
			q.doneDelivering(s)
		}
	}
}

// recordReturn records how a batch went. From here on the sender counts as busy again, if it
// was overdue, so that it takes the releases itself that follow from the batch. With another
// sender they would go out at the same instant, in an order that nothing defines.
func (q *nodeQueue) recordReturn(s *sender, now time.Duration, healthy bool) {
	q.mu.Lock()
	q.delivering++
	// An answer that came late shows, too, that a node that failed is back.
	repay := healthy && q.circuit.failures > 0 && len(q.owed) > 0
	switch {
	case healthy && now < s.due:
		q.circuit.recordSuccess()
	case !s.overdue:
		q.circuit.recordFailure(now)
	}
	if s.overdue {
		s.overdue = false
		q.overdue--
	}
	s.due = noDeadline // until the next batch
	q.mu.Unlock()
	if repay {
		q.repay(now)
	}
}

// fillBatch moves waiting requests into the sender's batch, or parks the sender. It
// drops requests that are not wanted any more.
func (q *nodeQueue) fillBatch(s *sender, now time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := 0
	for ; taken < len(q.waiting) && len(s.batch) < maximumBatch; taken++ {
		waiting := q.waiting[taken]
		if q.claim(waiting, now) {
			s.batch = append(s.batch, waiting)
		}
	}
	q.waiting = slices.Delete(q.waiting, 0, taken)
	if len(s.batch) > 0 {
		s.sentAt, s.due = now, now+s.batch[0].fanout.timeout
		return
	}
	q.park(s, now)
}

// park makes a sender idle, or ends it when the queue is closed.
func (q *nodeQueue) park(s *sender, now time.Duration) {
	q.busy = slices.DeleteFunc(q.busy, func(busy *sender) bool { return busy == s })
	s.transport.expire(now)
	if q.locker.closed.Load() {
		s.transport.putBack()
	}
	if s.transport.connection != nil && !q.returning {
		q.returning = true
		go q.returnLater(s.transport.until - now)
	}
	if q.closed {
		close(s.work)
	} else {
		q.idle = append(q.idle, s)
	}
}

func (q *nodeQueue) doneDelivering(s *sender) {
	clear(s.answered)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.delivering--
	if q.atRest() && q.drained != nil {
		close(q.drained)
		q.drained = nil
	}
}
