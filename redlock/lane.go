package redlock

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// call is one command to one node, as part of a flight (one round's fan-out).
type call struct {
	flight    *flight
	node      int
	form      form
	resent    bool // sent a second time after the connection failed
	redialled bool // … after there was none, which only releases are
	verified  bool // the server's run id was seen on the connection of the answer
	reply     reply
	err       error // the driver's
}

// wanted reports whether the call may still be sent: a release always, anything
// that sets a token only until its attempt was given up or its token released,
// and an extension only while the lease has not ended.
func (c *call) wanted() bool {
	f := c.flight
	switch {
	case f.command.operation == OperationRelease:
		return true
	case f.command.operation == OperationExtend && f.tenure.over.Load():
		return false
	default:
		return !f.abandoned.Load() && !f.tenure.ending.Load()
	}
}

// lane carries calls to one node: a few long-lived carriers instead of a
// goroutine per command. A call that finds a free carrier goes at once; calls
// that find none gather and go together, as one pipeline, with the next carrier
// that returns. Load therefore makes batches, and idleness costs no latency. A
// carrier whose batch is overdue is given up on as far as the others go: another
// one takes its place, up to a total.
//
// Who is carried when is decided under the mutex by the goroutine that calls
// send, or by the carrier that returns: never by who wakes first. Nothing waits
// for the network or reads a clock while it holds the mutex.
type lane struct {
	locker  *Locker
	index   int
	node    Node
	raw     bool
	keeper  *redis.Client // the client, where carriers keep connections of it; else nil
	sameWay bool          // one pipeline runs on one connection, INFO in it included
	tells   bool          // the client can be asked INFO about the one server behind it
	witness witness

	// What the server was seen to understand: SET with NX and GET (Redis 7.0),
	// and DELEX (Redis 8.4).
	withoutSetGet atomic.Bool
	withDelex     atomic.Bool

	mu         sync.Mutex
	queue      []*call
	parked     []*carrier
	flying     []*carrier
	circuit    circuit
	overdue    int // of the flying ones
	delivering int // carriers that returned and still hand answers over
	closed     bool
	idle       chan struct{} // closed when the lane comes to rest after drain
}

// carrier is one goroutine that executes batches of calls, one after another.
type carrier struct {
	work    chan *call
	wire    wire
	batch   []*call       // on its way
	back    []*call       // the batch before, whose answers are handed over
	due     time.Duration // when its batch should be answered
	overdue bool          // … and it was counted as a failure that it was not
}

const (
	// maximumBatch bounds one pipeline.
	maximumBatch = 256
	// maximumQueue bounds the calls that wait for a carrier of one node.
	maximumQueue = 4096
)

// errQueueFull is the cause when maximumQueue was reached.
var errQueueFull = errors.New("redlock: too many commands wait for this node")

// skips reports whether the node's circuit is open for a call made at now. It
// notices batches that are overdue, and may let a probe through. A node that has
// swallowed all carriers is skipped whatever its circuit says: nothing could be
// sent to it.
func (l *lane) skips(now time.Duration) bool {
	settings := &l.locker.settings
	l.mu.Lock()
	was := l.open()
	l.notice(now)
	is := l.open()
	stuck := l.overdue >= settings.mostCarriers()
	skip := settings.circuitFailures > 0 && (stuck || (is && !l.circuit.probe(now, settings.circuitPause)))
	l.mu.Unlock()
	l.reportCircuit(was, is)
	return skip
}

// notice counts the batches that should have been answered by now.
func (l *lane) notice(now time.Duration) {
	for _, c := range l.flying {
		if !c.overdue && now > c.due {
			c.overdue = true
			l.overdue++
			l.circuit.failed(now, l.locker.settings.circuitFailures)
		}
	}
}

// open reports whether the circuit is open; that of a closed lane is not.
func (l *lane) open() bool { return !l.closed && l.circuit.open(l.locker.settings.circuitFailures) }

// reportCircuit tells the observer about a circuit that opened or closed.
func (l *lane) reportCircuit(was, is bool) {
	if was == is {
		return
	}
	kind := EventCircuitClosed
	if is {
		kind = EventCircuitOpened
	}
	l.locker.emit(l.locker.lifetime, Event{Kind: kind, Node: l.node.Name})
}

// send hands over a call made at now that should be answered by due. It never
// blocks on the network. It reports whether the call was taken.
func (l *lane) send(c *call, now, due time.Duration) bool {
	c.form = l.formOf(&c.flight.command)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.notice(now)
	if len(l.queue) == 0 && l.mayFly() {
		if c.flight.sending(c.node) {
			l.start(c, now, due)
		}
		return true
	}
	if len(l.queue) >= maximumQueue {
		l.sweep()
	}
	if len(l.queue) >= maximumQueue {
		return false
	}
	l.queue = append(l.queue, c)
	l.spare(now)
	return true
}

// mayFly reports whether another batch may be on its way: carriers that are
// overdue do not count against the concurrency, but against the total.
func (l *lane) mayFly() bool {
	settings := &l.locker.settings
	return len(l.flying)-l.overdue < settings.carriers && len(l.flying) < settings.mostCarriers()
}

// relieve starts a carrier for calls that wait behind batches that have become
// overdue.
func (l *lane) relieve(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 && !l.closed {
		l.notice(now)
		l.spare(now)
	}
}

// spare gives the first queued call that is still wanted to a carrier, if one
// may fly; it takes the rest of the queue when it returns.
func (l *lane) spare(now time.Duration) {
	for len(l.queue) > 0 && l.mayFly() {
		first := l.queue[0]
		l.queue = append(l.queue[:0], l.queue[1:]...)
		if first.wanted() && first.flight.sending(first.node) {
			l.start(first, now, now+first.flight.timeout)
		}
	}
}

// start gives a call to a free carrier.
func (l *lane) start(c *call, now, due time.Duration) {
	var free *carrier
	if last := len(l.parked) - 1; last >= 0 {
		free = l.parked[last]
		l.parked = l.parked[:last]
	} else {
		free = &carrier{work: make(chan *call, 1)}
		go l.run(free)
	}
	free.wire.now, free.due, free.overdue = now, due, false
	l.flying = append(l.flying, free)
	free.work <- c // has room: a parked carrier has nothing else to do
}

// sweep drops the queued calls that nobody wants any more.
func (l *lane) sweep() {
	kept := l.queue[:0]
	for _, queued := range l.queue {
		if queued.wanted() {
			kept = append(kept, queued)
		}
	}
	clear(l.queue[len(kept):])
	l.queue = kept
}

// run is the life of a carrier. What it carries next is settled before it hands
// over answers: those wake callers, whose next calls must not race it.
func (l *lane) run(c *carrier) {
	for first := range c.work {
		c.batch = append(c.batch[:0], first)
		for len(c.batch) > 0 {
			now, healthy := l.carry(&c.wire, c.batch)
			l.next(c, now, healthy)
			for _, answered := range c.back {
				l.deliver(answered, now)
			}
			l.delivered(c)
		}
	}
	c.wire.hold.giveBack()
}

// next gives a carrier that returned what has gathered, or parks it. Calls that
// nobody wants any more are dropped here, unsent.
func (l *lane) next(c *carrier, now time.Duration, healthy bool) {
	c.batch, c.back = c.back[:0], c.batch
	threshold := l.locker.settings.circuitFailures
	l.mu.Lock()
	l.delivering++
	was := l.open()
	switch {
	case healthy && now <= c.due:
		l.circuit.succeeded()
	case !c.overdue:
		l.circuit.failed(now, threshold)
	}
	if c.overdue {
		c.overdue = false
		l.overdue--
	}
	is := l.open()
	l.gather(c, now)
	l.mu.Unlock()
	l.reportCircuit(was, is)
}

// gather takes what waits for a carrier, or parks it.
func (l *lane) gather(c *carrier, now time.Duration) {
	taken := 0
	for ; taken < len(l.queue) && len(c.batch) < maximumBatch; taken++ {
		queued := l.queue[taken]
		if queued.wanted() && queued.flight.sending(queued.node) {
			c.batch = append(c.batch, queued)
		}
	}
	rest := copy(l.queue, l.queue[taken:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	if len(c.batch) > 0 {
		c.wire.now, c.due = now, now+c.batch[0].flight.timeout
		return
	}
	l.park(c)
}

// park puts a carrier aside, or ends it when the lane is closed.
func (l *lane) park(c *carrier) {
	for i, flying := range l.flying {
		if flying == c {
			l.flying = append(l.flying[:i], l.flying[i+1:]...)
			break
		}
	}
	if l.closed {
		close(c.work)
	} else {
		l.parked = append(l.parked, c)
	}
}

// delivered ends the handing over of a carrier's answers.
func (l *lane) delivered(c *carrier) {
	clear(c.back)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delivering--
	if l.atRest() && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

// atRest reports whether everything handed over so far was carried and answered.
func (l *lane) atRest() bool { return len(l.flying) == 0 && l.delivering == 0 }

// drain returns a channel that closes when everything handed over so far was
// carried and answered.
func (l *lane) drain() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.atRest() {
		rest := make(chan struct{})
		close(rest)
		return rest
	}
	if l.idle == nil {
		l.idle = make(chan struct{})
	}
	return l.idle
}

// close ends the carriers: the parked ones now, the others when they return.
// What is still queued is dropped; the number of dropped releases is returned. The
// observer is told that an open circuit is no more.
func (l *lane) close() (dropped int) {
	l.mu.Lock()
	was := l.open()
	l.closed = true
	for _, queued := range l.queue {
		if queued.flight.command.operation == OperationRelease {
			dropped++
		}
	}
	l.queue = nil
	for _, parked := range l.parked {
		close(parked.work)
	}
	l.parked = nil
	l.mu.Unlock()
	l.reportCircuit(was, false)
	return dropped
}
