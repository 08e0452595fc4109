package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain/grammar"
	"redlocklab/sim/explain/purpose"
	"redlocklab/sim/explain/times"
)

// operation makes the entries of the rounds of one call, and entries for the call
// and its return unless a round tells them.
func (t *teller) operation(op *operation) {
	var told *round // tells the call; the last one of this purpose tells the return
	for _, r := range op.rounds {
		if r.purpose == op.purpose && r.purpose.AboutLock() {
			told = r
			break
		}
	}
	if told == nil {
		t.event(op.call, func() string { return callWords(op) })
	} else {
		told.events = append(told.events, op.call.Seq)
	}
	for _, r := range op.rounds {
		if r.cleans == nil {
			t.round(r)
		}
	}
	if op.returned != nil && told == nil {
		t.event(op.returned, func() string { return t.returned(op.process, op.returned) }).mark = holdsMark(op.returned)
	}
}

func callWords(op *operation) string {
	switch op.purpose {
	case sim.PurposeAcquire:
		return fmt.Sprintf("%s wants lock %s", op.process, op.resource)
	case sim.PurposeExtend:
		return fmt.Sprintf("%s wants to extend its lease on %s", op.process, op.resource)
	case sim.PurposeRelease:
		return fmt.Sprintf("%s gives %s back", op.process, op.resource)
	}
	words := fmt.Sprintf("%s begins to %s", op.process, op.name)
	if op.resource != "" {
		words += " at resource " + op.resource
	}
	return words
}

// holdsMark returns the mark of the line that tells how an operation returned.
func holdsMark(returned *sim.Event) Mark {
	if returned != nil && returned.Kind != sim.Failed {
		return MarkHolds
	}
	return MarkNone
}

// round makes the two entries of a round: the question and the answer.
func (t *teller) round(r *round) {
	var questions, answers []int
	first, lastSeq, lastAt := 0, 0, r.from
	for _, seq := range r.events {
		e := t.eventAt(seq)
		switch e.Kind {
		case sim.Call, sim.Dial, sim.Connect, sim.Send, sim.Deliver:
			questions = append(questions, seq)
			if first == 0 && e.Kind != sim.Call {
				first = seq
			}
		default:
			answers = append(answers, seq)
			lastSeq, lastAt = seq, e.At
		}
	}
	if r.purpose == sim.PurposeInspect && !slices.ContainsFunc(r.requests, func(q *request) bool { return q.outcome != answered }) {
		t.add(&entry{at: r.from, order: first, events: append(questions, answers...), process: r.process, kind: attempt, round: r,
			group: r.process + " " + t.question(r), times: 1, until: r.from, words: func() string { return t.question(r) }})
		return // that the nodes answer changes nothing
	}
	if r.next != nil && r.decided == nil && lastAt > r.next.from {
		lastAt, lastSeq = r.next.from, r.next.events[0]-1
	}
	kind := answer
	if r.decided != nil {
		answers = append(answers, r.decided.Seq)
		lastAt, lastSeq = r.decided.At, r.decided.Seq
	}
	if r.cleanup != nil {
		answers = append(answers, r.cleanup.events...)
	}
	group := ""
	if r.purpose == sim.PurposeAcquire {
		switch {
		case r.decided == nil && r.next != nil, r.decided != nil && r.decided.Kind == sim.Failed:
			kind, group = attempt, r.process+" "+r.key+" "+t.sameVotes(r)
		case r.decided != nil:
			kind = single
		}
	}
	if r.purpose == purpose.Other && r.operation != nil && r.next != nil {
		kind, group = attempt, r.process+" "+t.question(r)+" "+t.sameVotes(r)
	}
	if lastSeq == 0 {
		lastSeq = first
	}
	t.add(&entry{at: r.from, order: first, events: questions, process: r.process, kind: question, round: r, group: group,
		words: func() string { return t.question(r) }})
	t.add(&entry{at: lastAt, order: lastSeq, events: answers, process: r.process, kind: kind, round: r, group: group,
		decides: t.decides(r, lastSeq), mark: holdsMark(r.decided), times: 1, until: lastAt, words: func() string { return t.answer(r) }})
	t.late(r)
}

// decides returns the event after which everything that a round's answer says is
// true: the end of the round, or the last release that a node executed before the
// process's next operation. Later releases are told by late.
func (t *teller) decides(r *round, end int) int {
	after := none
	if r.decided != nil {
		after = t.nextStep(r)
	}
	for _, given := range []*round{r, r.cleanup} {
		if given == nil || given.purpose != sim.PurposeRelease {
			continue
		}
		for _, q := range given.requests {
			if after == none || q.executed <= after {
				end = max(end, q.executeSeq)
			}
		}
	}
	return end
}

func (t *teller) question(r *round) string {
	nodes := t.run.nodeNames(r.nodes())
	switch r.purpose {
	case sim.PurposeAcquire:
		words := fmt.Sprintf("%s asks %s for lock %s", r.process, nodes, r.key)
		if t.run.TTL > 0 {
			words += fmt.Sprintf(" (TTL %s)", times.Period(t.run.TTL))
		}
		return words
	case sim.PurposeExtend:
		return fmt.Sprintf("%s asks %s for more time on %s", r.process, nodes, r.key)
	case sim.PurposeRelease:
		return fmt.Sprintf("%s releases %s on %s", r.process, r.key, nodes)
	case sim.PurposeInspect:
		if !slices.ContainsFunc(r.requests, func(q *request) bool { return q.command != "INFO" }) {
			return fmt.Sprintf("%s asks %s how long %s been up", r.process, nodes, grammar.Plural(len(r.requests), "it has", "they have"))
		}
		return fmt.Sprintf("%s asks %s about %s", r.process, nodes, grammar.Plural(len(r.requests), "itself", "themselves"))
	}
	command := r.requests[0].command
	if r.key != "" {
		command += " of " + r.key
	}
	return fmt.Sprintf("%s sends %s to %s", r.process, command, nodes)
}

func (t *teller) answer(r *round) string {
	words := t.votes(r)
	if r.purpose == sim.PurposeInspect || r.purpose == purpose.Other {
		return words
	}
	if nodes := len(t.run.asked(r.process)); r.purpose != sim.PurposeRelease && nodes > 1 {
		n := t.yesVotes(r)
		verdict := "no quorum"
		if n >= t.run.quorum(r.process) {
			verdict = "a quorum"
		}
		words += ": "
		if before := t.standing(r); len(before) > 0 {
			words += fmt.Sprintf("with the earlier yes of %s, ", t.run.nodeNames(before))
		}
		words += fmt.Sprintf("%d of %d is %s", n, nodes, verdict)
	}
	switch {
	case r.decided != nil && (r.purpose != sim.PurposeRelease || r.decided.Kind == sim.Failed):
		words += t.conclude(r)
	case r.purpose == sim.PurposeAcquire && r.next != nil:
		words += "; " + r.process + " tries again"
	}
	if r.cleanup == nil {
		return words
	}
	if slices.ContainsFunc(r.cleanup.requests, (*request).granted) {
		return words + "; it gives back what it got (" + t.votes(r.cleanup) + ")"
	}
	return words + "; its clean-up finds nothing to delete"
}

// conclude says what the process concludes from the votes.
func (t *teller) conclude(r *round) string {
	enough := t.yesVotes(r) >= t.run.quorum(r.process)
	says := t.returned(r.process, r.decided)
	if r.purpose == sim.PurposeRelease {
		return "; " + says
	}
	switch won := r.decided.Kind == sim.Acquired || r.decided.Kind == sim.Extended; {
	case won && !enough:
		return ", and yet " + says
	case !won && enough:
		return ", but " + says
	}
	return ", " + says
}

// returned returns the words for the return of an operation.
func (t *teller) returned(process string, e *sim.Event) string {
	switch e.Kind {
	case sim.Acquired:
		return t.belief(process, e, "holds")
	case sim.Extended:
		return t.belief(process, e, "still holds")
	case sim.Released:
		return process + " has released " + e.Resource
	}
	name, class, _ := strings.Cut(e.Detail, ":")
	words := process + " does not get " + e.Resource
	if purpose.OfOperation(name) != sim.PurposeAcquire {
		words = fmt.Sprintf("%s's %s fails", process, strings.TrimSpace(name))
	}
	if class = strings.TrimSpace(class); class != "" {
		words += " (" + class + ")"
	}
	return words
}

// belief says which lock a client holds from this event on, and until when.
func (t *teller) belief(process string, e *sim.Event, verb string) string {
	words := fmt.Sprintf("%s %s %s", process, verb, e.Resource)
	if l := t.run.lease(e.Lease); l != nil && !l.Released && t.extended[e.Lease] <= e.Seq {
		words += " until " + times.Instant(l.Until)
	}
	if e.Lease != "" {
		words += " (lease " + e.Lease + ")"
	}
	return words
}

// late makes entries for requests that reached their node only after their process
// had called its next operation. Nobody waits for them, but they still have effects.
func (t *teller) late(r *round) {
	if r.decided == nil {
		return
	}
	after := t.nextStep(r)
	for _, q := range r.requests {
		if q.executed == none || q.executed <= after || after == none {
			continue
		}
		t.add(&entry{at: q.executed, order: q.executeSeq, process: r.process, node: q.node, words: func() string {
			what := "changes nothing"
			switch {
			case q.effect != nil && q.effect.Gained():
				what = fmt.Sprintf("sets the key of %s again", r.process)
			case q.effect != nil && q.effect.Lost():
				what = "deletes the key of " + q.effect.Before.Owner
			}
			return fmt.Sprintf("a request of %s from %s arrives at %s only now and %s", r.process, times.Instant(q.sent), q.node, what)
		}})
	}
}

// nextStep returns when the process called its next operation after a round, or
// none.
func (t *teller) nextStep(r *round) time.Duration {
	for i := r.decided.Seq; i < len(t.run.Events); i++ {
		if e := &t.run.Events[i]; e.Kind == sim.Call && e.Process == r.process {
			return e.At
		}
	}
	return none
}
