package redlock

import "time"

// execute sends a batch and reads the replies. It returns when they had been read, and
// whether the node answered at least one request.
func (q *nodeQueue) execute(s *sender, batch []*request) (now time.Duration, healthy bool) {
	q.exchange(s, batch)
	q.resend(s, batch)
	q.verifyIdentity(s, batch)
	now = q.locker.settings.clock.Now()
	for _, r := range batch {
		healthy = healthy || r.err == nil
	}
	return now, healthy
}

// resend sends again the requests that the node could not execute: scripts that it did
// not know, now with their source; plain commands that its server is too old for; and
// requests whose connection broke. Sending twice is safe, because only a reply that
// proves the token's presence or absence counts (claim MX-11).
func (q *nodeQueue) resend(s *sender, batch []*request) {
	// A server too old for a plain command may also lack the script, and the
	// connection may fail both times: four repetitions are the most.
	for range 4 {
		var again []*request
		for _, r := range batch {
			if next, worth := q.resendForm(r); worth && r.stillWanted() {
				r.form = next
				again = append(again, r)
			}
		}
		if len(again) == 0 {
			return
		}
		q.exchange(s, again)
	}
}

// resendForm returns whether a request should be sent again, and in which form.
func (q *nodeQueue) resendForm(r *request) (form, bool) {
	switch {
	case r.err != nil:
		return r.form, r.claimResend()
	case r.form == formDigest && r.reply.hasErrorPrefix("NOSCRIPT"):
		return formSource, true
	case r.form == formPlain && q.refusedPlain(r):
		return formDigest, true
	default:
		return r.form, false
	}
}

// verifyIdentity asks for the server's run id again if the driver dialled during the
// batch. Otherwise the restart guard could not count the votes in it.
func (q *nodeQueue) verifyIdentity(s *sender, batch []*request) {
	if q.locker.settings.guardTTL == 0 {
		return
	}
	for range 2 {
		unverified := false
		for _, r := range batch {
			unverified = unverified || (r.err == nil && !r.verified)
		}
		if !unverified || !q.server.needsInfo(true) {
			return
		}
		q.exchange(s, nil)
	}
}

// deliver records the outcome of a request whose reply was read at now. It also sends
// the releases that follow from it, even when no caller waits for the round any more.
func (q *nodeQueue) deliver(r *request, now time.Duration) {
	f := r.fanout
	outcome, cause := q.outcomeOf(r, now)
	if outcome == OutcomeGranted && f.command.returnsCounter() {
		f.recordCounter(r.reply.integer) // before the vote that may decide the round
	}
	if f.command.operation == OperationRelease {
		switch f.tokenState.recordRelease(r.node, outcome, f) {
		case releaseCounts:
			f.recordAnswer(r.node, outcome, cause, now)
		case releaseAgain:
			q.locker.repeatRelease(f.tokenState, r.node, f, now)
		case releaseWaits:
		}
		return
	}
	f.recordAnswer(r.node, outcome, cause, now)
	set := outcome == OutcomeGranted || outcome == OutcomeGuarded ||
		(f.command.operation == OperationExtend && outcome == OutcomeMissing)
	again, confirmed := f.tokenState.recordSet(r.node, f.command.operation, set)
	for _, release := range again {
		q.locker.repeatRelease(f.tokenState, r.node, release, now)
	}
	for _, release := range confirmed {
		release.recordAnswer(r.node, OutcomeMissing, nil, now)
	}
}

// outcomeOf returns what a reply proves, and the cause where it proves nothing.
func (q *nodeQueue) outcomeOf(r *request, now time.Duration) (NodeOutcome, error) {
	if r.err != nil {
		return outcomeOfError(r.err), r.err
	}
	outcome, cause := r.fanout.command.outcome(r.form, &r.reply)
	if ambiguity := r.ambiguity(outcome); ambiguity != nil {
		return OutcomeGuarded, ambiguity
	}
	operation := r.fanout.command.operation
	if outcome != OutcomeGranted || operation == OperationRelease {
		return outcome, cause
	}
	if q.locker.sameServer.Load() {
		return OutcomeServer, q.locker.servers.clashError()
	}
	if q.locker.settings.guardTTL > 0 && operation != OperationCheck {
		if refusal := q.server.admit(now, r.verified); refusal != nil {
			return OutcomeGuarded, refusal
		}
	}
	return outcome, cause
}
