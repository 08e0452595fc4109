package redlock

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// request is the command of one fanout to one node.
type request struct {
	fanout *fanout
	node   int
	form   form

	first      wireCommand  // as the driver sees the first sending
	wire       *wireCommand // as it sees the last
	written    bool         // the driver was given the words at least once
	held       bool         // the last sending was refused: it was too late
	resent     bool         // sent again after its connection broke
	redialled  bool         // sent again after there was no connection; releases only
	generation int          // of a release: the token's outcomes on the node before it was sent

	reply  reply
	server serverInfo // as reported over the same connection as the reply; zero if not asked
	err    error      // the driver's error

	outcome NodeOutcome
	cause   error // where the outcome proves nothing
}

// wireCommand is one sending of a request as the driver sees it. The driver calls Args when
// it writes a command to a connection, after it has dialled and at each sending. So that is
// where the package looks at the time. Hooks of the client may call Args, too, before and
// after the exchange: see request.conclude.
type wireCommand struct {
	redis.Cmder
	request *request
	written atomic.Bool // Args returned the words
	held    atomic.Bool // Args returned heldWords
}

// NoRetry keeps the driver from sending the command twice: the second answer would
// prove nothing. Package redlock sends again by itself, and knows it then.
func (*wireCommand) NoRetry() bool { return true }

// Args returns the words of the command, or those of a PING if it may not be sent any
// more.
func (c *wireCommand) Args() []any {
	if !c.request.mayBeSent() {
		c.held.Store(true)
		return heldWords
	}
	c.written.Store(true)
	return c.Cmder.Args()
}

// nextWire returns the command for the next sending. Each has one of its own, because a hook
// may still look at the last.
func (r *request) nextWire() *wireCommand {
	r.wire = &r.first
	if r.first.Cmder != nil {
		r.wire = &wireCommand{}
	}
	r.wire.request = r
	return r.wire
}

// conclude records what was sent, once the reply was read. If words were refused to a hook
// alone, the reply is not the one to heldWords.
func (r *request) conclude() {
	r.written = r.written || r.wire.written.Load()
	r.held = r.wire.held.Load() && (r.err != nil || r.reply.is("PONG"))
}

// heldWords are sent in place of a command that may not be sent any more.
var heldWords = []any{"PING"}

// errTooLate is the cause of a request that was not sent because its time was over.
var errTooLate = errors.New("redlock: not sent, because its time was over")

// mayBeSent reports whether the request is still wanted and in time (claim MX-8). It
// reads the Clock.
func (r *request) mayBeSent() bool {
	f := r.fanout
	if f.command.operation == OperationRelease {
		return true
	}
	now := f.locker.settings.clock.Now()
	return r.wantedAt(now) && now < f.deadline
}

// noDeadline is the deadline of commands that may be sent at any time.
const noDeadline = time.Duration(1<<63 - 1)

// wantedAt reports whether somebody wanted the request until now. A release is always
// wanted. Other commands are until their round is given up, or the lease has ended.
// Goroutines that race with the caller who gives a round up name the time; see moment. Others
// ask with noDeadline whether it is wanted still.
func (r *request) wantedAt(now time.Duration) bool {
	f := r.fanout
	return f.command.operation == OperationRelease || (!f.abandoned.before(now) && !f.tokenState.stopped.before(now))
}

// claimResend reports whether a failed request may be sent again, and marks it as sent
// again. It may be, once, after an established connection broke. A fencing command may not:
// a counter that is not lower could be this lease's own number or another's. A release
// may be once more when there was no connection: the node must get it (claim MX-3), and
// no caller waits for it longer than its round lasts.
func (r *request) claimResend() bool {
	operation := r.fanout.command.operation
	switch {
	case !r.resent && operation != OperationFence && brokenConnection(r.err):
		r.resent = true
		return true
	case !r.redialled && operation == OperationRelease && neverSent(r.err):
		r.redialled = true
		return true
	default:
		return false
	}
}
