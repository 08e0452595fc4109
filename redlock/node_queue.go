package redlock

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// nodeQueue sends requests to one node. A request that finds an idle sender goes out at
// once. The others wait, and go out together as one pipeline when the sender returns. When a
// batch is overdue, another sender takes over, up to maximumSenders.
//
// The goroutine that calls submit, or the sender that returns, decides under the mutex
// which requests go out next. It never depends on which goroutine wakes first. Nothing
// waits for the network or reads a clock while it holds the mutex.
type nodeQueue struct {
	locker     *Locker
	index      int // of the node
	node       Node
	rawReplies bool // replies are read as raw bytes
	single     bool // one server is behind the client, and a pipeline uses one connection
	server     serverIdentity

	lacksSetGet atomic.Bool // the server refused SET with NX and GET: it is older than Redis 7.0

	mu         sync.Mutex
	waiting    []*request
	idle       []*sender
	busy       []*sender
	circuit    circuit
	overdue    int // busy senders whose batch is overdue
	delivering int // senders that have returned and still deliver replies
	owed       []*tokenState
	repaying   bool // a goroutine waits to send the owed releases
	returning  bool // a goroutine waits to put the connections of idle senders back
	dropped    int  // owed releases that were given up
	closed     bool
	drained    chan struct{} // made by drain; closed when the queue is at rest
}

const (
	// maximumBatch bounds the requests of one pipeline.
	maximumBatch = 256
	// maximumQueue bounds the requests that wait for a sender of one node, those that are no
	// acquisitions by themselves, and the releases that it is owed.
	maximumQueue = 4096
	// maximumSenders bounds the goroutines and connections of one node.
	maximumSenders = 8
)

// errQueueFull is the cause of requests beyond maximumQueue.
var errQueueFull = errors.New("redlock: too many commands wait for this node")

// submit takes a request made at now. It never waits for the network. It fails with
// errQueueFull or ErrClosed.
func (q *nodeQueue) submit(r *request, now time.Duration) error {
	r.form = q.formOf(&r.fanout.command)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.markOverdue(now)
	place := q.placeOf(r)
	if place >= maximumQueue {
		q.waiting = slices.DeleteFunc(q.waiting, func(r *request) bool { return !r.wantedAt(noDeadline) })
		place = q.placeOf(r)
	}
	if place >= maximumQueue {
		return errQueueFull
	}
	q.waiting = slices.Insert(q.waiting, place, r)
	q.sendWaiting(now)
	return nil
}

// placeOf returns where a request waits: an acquisition at the end, anything else before the
// acquisitions. Those who hold a lease must not lose it to those who want one (LV-2), and a
// release makes room for them.
func (q *nodeQueue) placeOf(r *request) int {
	if !isAcquisition(r) {
		if at := slices.IndexFunc(q.waiting, isAcquisition); at >= 0 {
			return at
		}
	}
	return len(q.waiting)
}

func isAcquisition(r *request) bool { return r.fanout.command.operation == OperationAcquire }

// claim reports whether a request may go to the driver, and records that it does. A
// request that may not is answered here.
func (q *nodeQueue) claim(r *request, now time.Duration) bool {
	if r.wantedAt(noDeadline) && r.fanout.tokenState.recordSend(r) {
		return true
	}
	r.fanout.recordAnswer(r.node, OutcomeTimeout, errTooLate, now)
	return false
}

// skip reports whether a round that starts at now leaves this node out, because its
// circuit is open or all its senders are overdue. It marks overdue batches first, and
// may let one command through as a probe.
func (q *nodeQueue) skip(now time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.markOverdue(now)
	return q.overdue >= maximumSenders || q.circuit.skips(now)
}

// bypassOverdue starts another sender for requests that wait behind overdue batches.
func (q *nodeQueue) bypassOverdue(now time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 && !q.closed {
		q.markOverdue(now)
		q.sendWaiting(now)
	}
}

// markOverdue marks the batches that are due by now, and counts each as a failure of the
// node.
func (q *nodeQueue) markOverdue(now time.Duration) {
	for _, s := range q.busy {
		if !s.overdue && now >= s.due {
			s.overdue = true
			q.overdue++
			q.circuit.recordFailure(now)
		}
	}
}

// maySend reports whether another batch may go out: no sender is busy, but for overdue ones.
// One at a time keeps a node's commands in order and makes the largest batches.
func (q *nodeQueue) maySend() bool {
	return len(q.busy) == q.overdue && len(q.busy) < maximumSenders
}

// sendWaiting gives the first waiting request that is still wanted to a sender, as long
// as another batch may go out. The sender takes the other requests when it returns.
func (q *nodeQueue) sendWaiting(now time.Duration) {
	for len(q.waiting) > 0 && q.maySend() {
		first := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		if q.claim(first, now) {
			q.assign(first, now)
		}
	}
}

// atRest reports whether every request that was sent has been answered and delivered.
func (q *nodeQueue) atRest() bool { return len(q.busy) == 0 && q.delivering == 0 }

// drain returns a channel that is closed when the queue is at rest.
func (q *nodeQueue) drain() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.atRest() {
		drained := make(chan struct{})
		close(drained)
		return drained
	}
	if q.drained == nil {
		q.drained = make(chan struct{})
	}
	return q.drained
}

// close ends the idle senders now and the busy ones when they return. It drops the
// waiting requests and the owed releases, and returns how many releases it dropped.
func (q *nodeQueue) close(now time.Duration) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	dropped = q.dropped
	for _, waiting := range q.waiting {
		if waiting.fanout.command.operation == OperationRelease {
			dropped++
		}
	}
	for _, state := range q.owed {
		if state.claimRelease(q.index, now) {
			dropped++
		}
	}
	q.waiting, q.owed = nil, nil
	for _, idle := range q.idle {
		idle.transport.putBack()
		close(idle.work)
	}
	q.idle = nil
	return dropped
}
