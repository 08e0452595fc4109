package redlock

import (
	"errors"
	"time"
)

// carry executes a batch. It returns the time at which its answers were there and
// whether the node answered at all.
func (l *lane) carry(w *wire, batch []*call) (now time.Duration, healthy bool) {
	l.exchange(w, batch)
	l.repeat(w, batch)
	l.verify(w, batch)
	now = l.locker.settings.clock.Now()
	for _, c := range batch {
		healthy = healthy || c.err == nil
	}
	return now, healthy
}

// repeat sends again, once, what the node could not know: scripts by their
// source, plain commands that its server is too old for, and calls whose
// connection broke. Every command may be repeated safely, because only an answer
// that proves the token's presence or absence counts (claim MX-11).
func (l *lane) repeat(w *wire, batch []*call) {
	// A server too old for a plain command may then lack the script too, and a
	// connection that broke or was never there may hide either: four repetitions at
	// most.
	for range 4 {
		var again []*call
		for _, c := range batch {
			if next, worth := l.repeatForm(c); worth && c.wanted() {
				c.form = next
				again = append(again, c)
			}
		}
		if len(again) == 0 {
			return
		}
		l.exchange(w, again)
	}
}

// repeatForm says whether a call is worth another sending, and in which form.
func (l *lane) repeatForm(c *call) (form, bool) {
	switch {
	case c.err != nil:
		return c.form, c.worthAnother()
	case c.form == formDigest && c.reply.hasErrorPrefix("NOSCRIPT"):
		return formSource, true
	case c.form == formPlain && l.refusedPlain(c):
		return formDigest, true
	default:
		return c.form, false
	}
}

// worthAnother reports whether a call that failed is sent again: once when an
// established connection broke, and a release once more when it could not be
// sent at all, because it is owed to the node (claim MX-3) and nobody waits for
// it longer than its round lasts.
func (c *call) worthAnother() bool {
	switch {
	case !c.resent && brokenConnection(c.err):
		c.resent = true
		return true
	case !c.redialled && c.flight.command.operation == OperationRelease && neverSent(c.err):
		c.redialled = true
		return true
	default:
		return false
	}
}

// verify asks for the server's run id once more when the driver dialled while
// the batch was under way, so that its votes can count.
func (l *lane) verify(w *wire, batch []*call) {
	if l.locker.settings.guardTTL == 0 {
		return
	}
	for range 2 {
		open := false
		for _, c := range batch {
			open = open || (c.err == nil && !c.verified)
		}
		if !open || !l.witness.stale(true) {
			return
		}
		l.exchange(w, nil)
	}
}

// deliver takes the answer to a call, read at now, and looks after what follows
// from it even when nobody waits for the round any more.
func (l *lane) deliver(c *call, now time.Duration) {
	f := c.flight
	outcome, cause := l.judge(c, now)
	if outcome == OutcomeGranted && f.command.reads() {
		f.tell(c.reply.integer) // before the vote: the decision must know it
	}
	if f.command.operation == OperationRelease {
		switch f.tenure.released(c.node, outcome, f) {
		case releaseCounts:
			f.answer(c.node, outcome, cause, now)
		case releaseAgain:
			l.locker.repeatRelease(f.tenure, c.node, f, now)
		case releaseWaits:
		}
		return
	}
	f.answer(c.node, outcome, cause, now)
	landed := outcome == OutcomeGranted || outcome == OutcomeGuarded ||
		(f.command.operation == OperationExtend && outcome == OutcomeMissing)
	again, confirmed := f.tenure.settle(c.node, f.command.operation, landed)
	for _, release := range again {
		l.locker.repeatRelease(f.tenure, c.node, release, now)
	}
	for _, release := range confirmed {
		release.answer(c.node, OutcomeMissing, nil, now)
	}
}

var (
	errPutBack = errors.New("redlock: the extension was sent twice, and the first sending may have put the key back")
	errCounted = errors.New("redlock: the fencing token was sent twice, and the first sending may have raised the counter")
)

// doubt says why the answer to a second sending is no vote, or nil: the first,
// whose answer was lost, may have done itself what this one tells of. An
// extension that finds its token cannot tell a key that was kept from one that it
// put back. A fencing token that finds the counter raised cannot tell whose
// number that is; to take an equal one for its own could give two leases the same.
func (c *call) doubt(outcome Outcome) error {
	if !c.resent {
		return nil
	}
	switch operation := c.flight.command.operation; {
	case operation == OperationExtend && outcome == OutcomeGranted:
		return errPutBack
	case operation == OperationFence && c.reply.kind == replyInteger && c.reply.integer == counterNotLower:
		return errCounted
	default:
		return nil
	}
}

// judge says what an answer proves, and whether it may count.
func (l *lane) judge(c *call, now time.Duration) (Outcome, error) {
	if c.err != nil {
		return outcomeOfError(c.err), c.err
	}
	outcome, cause := c.flight.command.outcome(c.form, &c.reply)
	if doubt := c.doubt(outcome); doubt != nil {
		return OutcomeGuarded, doubt
	}
	operation := c.flight.command.operation
	if outcome != OutcomeGranted || operation == OperationRelease {
		return outcome, cause
	}
	if l.locker.clashed.Load() {
		return OutcomeServer, l.locker.registry.verdict()
	}
	if l.locker.settings.guardTTL > 0 && operation != OperationCheck {
		if refusal := l.witness.admit(now, c.verified); refusal != nil {
			return OutcomeGuarded, refusal
		}
	}
	return outcome, cause
}
