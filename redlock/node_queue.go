package redlock

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// nodeQueue sends requests to one node. A few long-lived senders do so, instead of one
// goroutine per request. A request that finds an idle sender goes out at once. The
// others wait, and go out together as one pipeline when a sender returns. So load makes
// larger batches, and without load there is no extra latency. When a batch is overdue,
// another sender takes over, up to settings.maximumSenders.
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
	closed     bool
	drained    chan struct{} // made by drain; closed when the queue is at rest
}

const (
	// maximumBatch bounds the requests of one pipeline.
	maximumBatch = 256
	// maximumQueue bounds the requests that wait for a sender of one node.
	maximumQueue = 4096
)

// errQueueFull is the cause of requests beyond maximumQueue.
var errQueueFull = errors.New("redlock: too many commands wait for this node")

// submit takes a request made at now whose reply is due at due. It never waits for the
// network. It returns false if the queue is full or closed.
func (q *nodeQueue) submit(r *request, now, due time.Duration) bool {
	r.form = q.formOf(&r.fanout.command)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.markOverdue(now)
	if len(q.waiting) == 0 && q.maySend() {
		if r.fanout.recordSend(r.node) {
			q.assign(r, now, due)
		}
		return true
	}
	if len(q.waiting) >= maximumQueue {
		q.dropUnwanted()
	}
	if len(q.waiting) >= maximumQueue {
		return false
	}
	q.waiting = append(q.waiting, r)
	q.sendWaiting(now)
	return true
}

// skip reports whether a round that starts at now leaves this node out, because its
// circuit is open or all its senders are overdue. It marks overdue batches first, and
// may let one command through as a probe. Without circuits it is always false.
func (q *nodeQueue) skip(now time.Duration) bool {
	settings := &q.locker.settings
	q.mu.Lock()
	wasOpen := q.circuitOpen()
	q.markOverdue(now)
	isOpen := q.circuitOpen()
	stuck := q.overdue >= settings.maximumSenders()
	skip := settings.circuitFailures > 0 && (stuck || (isOpen && !q.circuit.allowProbe(now, settings.circuitPause)))
	q.mu.Unlock()
	q.reportCircuit(wasOpen, isOpen)
	return skip
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

// markOverdue marks the batches that were due before now, and counts each as a failure
// of the node.
func (q *nodeQueue) markOverdue(now time.Duration) {
	for _, s := range q.busy {
		if !s.overdue && now > s.due {
			s.overdue = true
			q.overdue++
			q.circuit.recordFailure(now, q.locker.settings.circuitFailures)
		}
	}
}

// circuitOpen reports whether the circuit is open. A closed queue has no open circuit.
func (q *nodeQueue) circuitOpen() bool {
	return !q.closed && q.circuit.open(q.locker.settings.circuitFailures)
}

// reportCircuit tells the observer when the circuit opened or closed.
func (q *nodeQueue) reportCircuit(wasOpen, isOpen bool) {
	if wasOpen == isOpen {
		return
	}
	kind := EventCircuitClosed
	if isOpen {
		kind = EventCircuitOpened
	}
	q.locker.emit(q.locker.commandContext, Event{Kind: kind, Node: q.node.Name})
}

// maySend reports whether another batch may go out. Overdue senders do not count against
// the node's concurrency, but against its maximum of senders.
func (q *nodeQueue) maySend() bool {
	settings := &q.locker.settings
	return len(q.busy)-q.overdue < settings.nodeConcurrency && len(q.busy) < settings.maximumSenders()
}

// sendWaiting gives the first waiting request that is still wanted to a sender, as long
// as another batch may go out. The sender takes the other requests when it returns.
func (q *nodeQueue) sendWaiting(now time.Duration) {
	for len(q.waiting) > 0 && q.maySend() {
		first := q.waiting[0]
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		if first.stillWanted() && first.fanout.recordSend(first.node) {
			q.assign(first, now, now+first.fanout.timeout)
		}
	}
}

// dropUnwanted drops the waiting requests that are not wanted any more.
func (q *nodeQueue) dropUnwanted() {
	kept := q.waiting[:0]
	for _, waiting := range q.waiting {
		if waiting.stillWanted() {
			kept = append(kept, waiting)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
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
// waiting requests and returns how many of them were releases. It tells the observer
// that an open circuit has closed.
func (q *nodeQueue) close() (dropped int) {
	q.mu.Lock()
	wasOpen := q.circuitOpen()
	q.closed = true
	for _, waiting := range q.waiting {
		if waiting.fanout.command.operation == OperationRelease {
			dropped++
		}
	}
	q.waiting = nil
	for _, idle := range q.idle {
		close(idle.work)
	}
	q.idle = nil
	q.mu.Unlock()
	q.reportCircuit(wasOpen, false)
	return dropped
}
