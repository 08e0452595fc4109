package redlock

import (
	"errors"
	"time"
)

// execute sends a batch and reads the replies. It returns when they had been read, and
// whether the node answered at least one request.
func (q *nodeQueue) execute(s *sender, batch []*request) (now time.Duration, healthy bool) {
	q.exchange(s, batch)
	q.resend(s, batch)
	now = q.locker.settings.clock.Now()
	for _, r := range batch {
		healthy = healthy || r.err == nil
		r.outcome, r.cause = q.outcomeOf(r, now)
	}
	return now, healthy
}

// resend sends again the requests that the node could not execute: scripts that it did
// not know, now with their source; plain commands that its server is too old for; releases
// that deleted nothing, for the script tells why; and requests whose connection broke.
// Sending twice is safe, because only a reply that proves the token's presence or absence
// counts (claim MX-11). Each sending looks at the time anew; see wireCommand.
func (q *nodeQueue) resend(s *sender, batch []*request) {
	// A server too old for a plain command may also lack the script, and the
	// connection may fail both times: four repetitions are the most.
	for range 4 {
		var again []*request
		for _, r := range batch {
			if next, worth := q.resendForm(r); worth && r.wantedAt(q.locker.settings.clock.Now()) {
				r.form = next
				again = append(again, r)
			}
		}
		if len(again) == 0 {
			return
		}
		s.sentAt = q.locker.settings.clock.Now()
		q.exchange(s, again)
	}
}

func (q *nodeQueue) resendForm(r *request) (form, bool) {
	switch {
	case r.held:
		return r.form, false
	case r.err != nil:
		return r.form, r.claimResend()
	case r.form == formDigest && r.reply.hasErrorPrefix("NOSCRIPT"):
		return formSource, true
	case r.form.deletes() && (q.refusedDeletion(r) || r.reply.kind == replyInteger && r.reply.integer == 0):
		return formDigest, true
	case r.form == formPlain && q.refusedPlain(r):
		return formDigest, true
	default:
		return r.form, false
	}
}

// settle records what a command that may set the token has done, before the sender takes
// its next batch. A release in that batch then comes after it.
func (q *nodeQueue) settle(r *request, now time.Duration) {
	f := r.fanout
	if !f.command.sets() {
		return
	}
	set := r.written
	if r.err == nil && !r.resent && !r.held {
		// The one reply tells what the node did.
		set = r.reply.kind != replyError && r.outcome != OutcomeHeldByOther
	}
	release, confirmed := f.tokenState.recordSet(r.node, set)
	if release {
		q.releaseOwed(f.tokenState, now)
	}
	for _, waiting := range confirmed {
		waiting.recordAnswer(r.node, OutcomeMissing, nil, now)
	}
}

// deliver records the outcome of a request whose reply was read at now. It also sends
// what follows from it, even when no caller waits for the round any more.
func (q *nodeQueue) deliver(r *request, now time.Duration) {
	f := r.fanout
	if f.command.operation != OperationRelease {
		if f.recordAnswer(r.node, r.outcome, r.cause, now) {
			q.locker.restoreKeys(f, []int{r.node}, now)
		}
		return
	}
	counts, retry, confirmed := f.tokenState.recordRelease(r, r.outcome)
	if counts {
		f.recordAnswer(r.node, r.outcome, r.cause, now)
	}
	for _, waiting := range confirmed {
		if waiting != f {
			waiting.recordAnswer(r.node, r.outcome, nil, now)
		}
	}
	if retry {
		q.oweRelease(f.tokenState)
	}
}

func (q *nodeQueue) outcomeOf(r *request, now time.Duration) (NodeOutcome, error) {
	switch {
	case r.held:
		return OutcomeTimeout, errTooLate
	case r.err != nil:
		return outcomeOfError(r.err)
	}
	operation := r.fanout.command.operation
	outcome, cause := r.fanout.command.outcome(r.form, &r.reply)
	if outcome != OutcomeGranted || !operation.votes() && operation != OperationCheck {
		return outcome, cause
	}
	// One server must not vote as two nodes. So a vote counts only once its server has told which it is.
	if operation.votes() && q.single && len(q.locker.queues) > 1 && !q.server.settled.Load() {
		return OutcomeGuarded, errOpen
	}
	if clash := q.locker.servers.clashError(); clash != nil {
		return OutcomeServer, clash
	}
	if q.locker.settings.guardTTL > 0 {
		refusal := q.server.admit(now, &r.server)
		if refusal != nil && (operation.votes() || errors.Is(refusal, errNoRunID)) {
			return OutcomeGuarded, refusal
		}
	}
	return outcome, cause
}
