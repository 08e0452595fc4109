package redlock

import (
	"sync"
	"sync/atomic"
)

// call is one command to one node, as part of a flight (one round's fan-out).
type call struct {
	flight *flight
	node   int
	form   form
	resent bool // sent a second time after the connection failed
	reply  reply
	err    error // the driver's
}

// wanted reports whether the call may still be sent: a release always, anything
// that sets a token only until its attempt was given up or its token released.
func (c *call) wanted() bool {
	if c.flight.command.operation == OperationRelease {
		return true
	}
	return !c.flight.abandoned.Load() && !c.flight.tenure.ending.Load()
}

// lane carries calls to one node: a few long-lived carriers instead of a
// goroutine per command. A call that finds a free carrier goes at once; calls
// that find none gather and go together, as one pipeline, with the next carrier
// that returns. Load therefore makes batches, and idleness costs no latency.
//
// Who is carried when is decided under the mutex by the goroutine that calls
// send, or by the carrier that returns: never by who wakes first. Nothing waits
// for the network or reads a clock while it holds the mutex.
type lane struct {
	locker *Locker
	index  int
	node   Node
	raw    bool

	// What the server was seen to understand: SET with NX and GET (Redis 7.0),
	// and the conditional commands of Redis 8.4.
	withoutSetGet   atomic.Bool
	withConditional atomic.Bool

	mu       sync.Mutex
	queue    []*call
	parked   []*carrier
	carriers int
	busy     int
	closed   bool
	idle     chan struct{} // closed when the lane comes to rest after drain
}

// carrier is one goroutine that executes batches of calls, one after another.
type carrier struct {
	work  chan *call
	batch []*call
}

// send hands a call over. It never blocks on the network.
func (l *lane) send(c *call) {
	c.form = l.formOf(&c.flight.command)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.busy >= l.locker.settings.carriers {
		l.queue = append(l.queue, c)
		return
	}
	l.busy++
	c.flight.sending(c.node)
	if last := len(l.parked) - 1; last >= 0 {
		free := l.parked[last]
		l.parked = l.parked[:last]
		free.work <- c // has room: a parked carrier has nothing else to do
		return
	}
	l.carriers++
	fresh := &carrier{work: make(chan *call, 1)}
	fresh.work <- c
	go l.run(fresh)
}

// run is the life of a carrier.
func (l *lane) run(c *carrier) {
	for first := range c.work {
		c.batch = append(c.batch[:0], first)
		for len(c.batch) > 0 {
			l.carry(c.batch)
			c.batch = l.next(c)
		}
	}
}

// next takes what has gathered, or parks the carrier. Calls that nobody wants
// any more are dropped here, unsent.
func (l *lane) next(c *carrier) []*call {
	clear(c.batch)
	batch := c.batch[:0]
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := 0
	for ; taken < len(l.queue) && len(batch) < maximumBatch; taken++ {
		queued := l.queue[taken]
		if queued.wanted() {
			queued.flight.sending(queued.node)
			batch = append(batch, queued)
		}
	}
	rest := copy(l.queue, l.queue[taken:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	if len(batch) > 0 {
		return batch
	}
	l.busy--
	if l.closed {
		l.carriers--
		close(c.work)
	} else {
		l.parked = append(l.parked, c)
	}
	if l.busy == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return batch
}

// maximumBatch bounds one pipeline.
const maximumBatch = 256

// drain returns a channel that closes when everything handed over so far was
// carried.
func (l *lane) drain() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle == nil {
		l.idle = make(chan struct{})
		if l.busy == 0 {
			closed := l.idle
			l.idle = nil
			close(closed)
			return closed
		}
	}
	return l.idle
}

// close ends the carriers: the parked ones now, the others when they return.
// What is still queued is dropped; the number of dropped releases is returned.
func (l *lane) close() (dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0
	}
	l.closed = true
	for _, queued := range l.queue {
		if queued.flight.command.operation == OperationRelease {
			dropped++
		}
	}
	l.queue = nil
	for _, parked := range l.parked {
		l.carriers--
		close(parked.work)
	}
	l.parked = nil
	return dropped
}

// carry executes a batch and delivers its answers.
func (l *lane) carry(batch []*call) {
	l.exchange(batch)
	l.repeat(batch)
	now := l.locker.settings.clock.Now()
	for _, c := range batch {
		c.deliver(now)
	}
}

// repeat sends again, once, what the node could not know: scripts by their
// source, plain commands that its server is too old for, and calls whose
// connection broke. Every command may be repeated safely, because only an answer
// that proves the token's presence or absence counts (claim MX-11).
func (l *lane) repeat(batch []*call) {
	var again []*call
	for _, c := range batch {
		next, worth := l.repeatForm(c)
		if worth && c.wanted() {
			c.form = next
			again = append(again, c)
		}
	}
	if len(again) == 0 {
		return
	}
	l.exchange(again)
	// A server too old for the plain command may also lack the script.
	again = again[:0]
	for _, c := range batch {
		if c.form == formDigest && c.err == nil && c.reply.hasErrorPrefix("NOSCRIPT") && c.wanted() {
			c.form = formSource
			again = append(again, c)
		}
	}
	if len(again) > 0 {
		l.exchange(again)
	}
}

// repeatForm says whether a call is worth a second sending, and in which form.
func (l *lane) repeatForm(c *call) (form, bool) {
	switch {
	case c.err != nil:
		if c.resent || !brokenConnection(c.err) {
			return c.form, false
		}
		c.resent = true
		return c.form, true
	case c.form == formDigest && c.reply.hasErrorPrefix("NOSCRIPT"):
		return formSource, true
	case c.form == formPlain && l.refusedPlain(c):
		return formDigest, true
	default:
		return c.form, false
	}
}
