package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// operation makes the entries of the rounds of one call, and entries for the call
// and its return unless a round tells them.
func (t *teller) operation(op *operation) {
	// The first round of its purpose tells the call, the last one the return.
	main := slices.IndexFunc(op.rounds, func(r *round) bool { return r.purpose == op.Purpose && r.purpose.AboutLock() })
	if main < 0 {
		t.event(op.Call, func() string { return callWords(op) })
	} else {
		op.rounds[main].events = append(op.rounds[main].events, op.Call.Seq)
	}
	for _, r := range op.rounds {
		if r.cleans == nil {
			t.round(r)
		}
	}
	if op.Return != nil && main < 0 {
		t.event(op.Return, func() string { return t.returned(op.Return) }).mark = holdsMark(op.Return)
	}
}

func callWords(op *operation) string {
	switch op.Purpose {
	case sim.PurposeAcquire:
		return fmt.Sprintf("%s wants lock %s", op.Process, op.Resource)
	case sim.PurposeExtend:
		return fmt.Sprintf("%s wants to extend its lease on %s", op.Process, op.Resource)
	case sim.PurposeRelease:
		return fmt.Sprintf("%s gives %s back", op.Process, op.Resource)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s begins to %s at resource %s", op.Process, op.Name, op.Resource), " at resource ")
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
	unanswered := func(q *request) bool { return q.outcome() != answered }
	if r.purpose == sim.PurposeInspect && !slices.ContainsFunc(r.requests, unanswered) {
		t.add(&entry{
			at: r.from, order: first, events: append(questions, answers...), process: r.process,
			kind: attempt, round: r, group: r.process + " " + t.questionWords(r), times: 1, until: r.from,
			words: func() string { return t.question(r) },
		})
		return // the answers of the nodes change nothing
	}
	kind := answer
	switch {
	case r.decided != nil:
		answers = append(answers, r.decided.Seq)
		lastAt, lastSeq = r.decided.At, r.decided.Seq
	case r.next != nil && lastAt > r.next.from:
		lastAt, lastSeq = r.next.from, r.next.events[0]-1
	}
	if r.cleanup != nil {
		answers = append(answers, r.cleanup.events...)
	}
	group := ""
	switch failed := r.decided == nil && r.next != nil || r.decided != nil && r.decided.Kind == sim.Failed; {
	case r.purpose == sim.PurposeAcquire && failed:
		kind, group = attempt, r.process+" "+r.key+" "+t.sameVotes(r)
	case r.purpose == sim.PurposeAcquire && r.decided != nil:
		kind = single
	case r.purpose == sim.PurposeUnknown && r.operation != nil && r.next != nil:
		kind, group = attempt, r.process+" "+t.question(r)+" "+t.sameVotes(r)
	}
	lastSeq = cmp.Or(lastSeq, first)
	t.add(&entry{
		at: r.from, order: first, events: questions, process: r.process, kind: question, round: r, group: group,
		words: func() string { return t.question(r) },
	})
	t.add(&entry{
		at: lastAt, order: lastSeq, events: answers, process: r.process, kind: kind, round: r, group: group,
		decides: t.decides(r, lastSeq), mark: holdsMark(r.decided), times: 1, until: lastAt,
		words: func() string { return t.answer(r) },
	})
	t.late(r)
}

// decides returns the event after which everything that a round's answer says is
// true: the end of the round, or the last release that a node executed before the
// process's next operation. Later releases are told by late.
func (t *teller) decides(r *round, end int) int {
	after := t.nextStep(r)
	for _, given := range []*round{r, r.cleanup} {
		if given == nil || given.purpose != sim.PurposeRelease {
			continue
		}
		for _, q := range given.requests {
			if after == none || q.executed() <= after {
				end = max(end, seqOf(q.Executed))
			}
		}
	}
	return end
}

func (t *teller) question(r *round) string {
	return t.say(t.questionWords(r), r, r.requests)
}

func (t *teller) questionWords(r *round) string {
	nodes := t.run.nodeNames(nodesOf(r.requests))
	switch r.purpose {
	case sim.PurposeAcquire:
		text := fmt.Sprintf("%s asks %s for lock %s", r.process, nodes, r.key)
		if t.run.TTL > 0 {
			text += fmt.Sprintf(" (TTL %s)", words.Period(t.run.TTL))
		}
		return text
	case sim.PurposeExtend:
		return fmt.Sprintf("%s asks %s for more time on %s", r.process, nodes, r.key)
	case sim.PurposeRelease:
		return fmt.Sprintf("%s releases %s on %s", r.process, r.key, nodes)
	case sim.PurposeInspect:
		if !slices.ContainsFunc(r.requests, func(q *request) bool { return q.Command != "INFO" }) {
			return fmt.Sprintf("%s asks %s how long %s been up", r.process, nodes, words.Plural(len(r.requests), "it has", "they have"))
		}
		return fmt.Sprintf("%s asks %s about %s", r.process, nodes, words.Plural(len(r.requests), "itself", "themselves"))
	}
	command := r.requests[0].Command
	if r.key != "" {
		command += " of " + r.key
	}
	return fmt.Sprintf("%s sends %s to %s", r.process, command, nodes)
}

func (t *teller) answer(r *round) string {
	text := t.votes(r)
	if r.purpose == sim.PurposeInspect || r.purpose == sim.PurposeUnknown {
		return text
	}
	if nodes := len(t.run.asked(r.process)); r.purpose != sim.PurposeRelease && nodes > 1 {
		n := t.yesVotes(r)
		verdict := "no quorum"
		if n >= t.run.quorum(r.process) {
			verdict = "a quorum"
		}
		text += ": "
		if before := t.standing(r); len(before) > 0 {
			text += fmt.Sprintf("with the earlier yes of %s, ", t.run.nodeNames(before))
		}
		text += t.say(fmt.Sprintf("%d of %d is %s", n, nodes, verdict), r, r.requests)
	}
	switch {
	case r.decided != nil && (r.purpose != sim.PurposeRelease || r.decided.Kind == sim.Failed):
		text += t.conclude(r)
	case r.purpose == sim.PurposeAcquire && r.next != nil:
		if len(t.run.asked(r.process)) > 1 && t.yesVotes(r) >= t.run.quorum(r.process) {
			if end := r.ended(); end > 0 {
				text += ", but it took " + words.Period(t.eventAt(end).At-r.from)
			}
		}
		text += "; " + t.say(r.process+" tries again", r, r.requests)
	}
	if r.cleanup == nil {
		return text
	}
	if slices.ContainsFunc(r.cleanup.requests, (*request).granted) {
		return text + "; it gives back what it got (" + t.votes(r.cleanup) + ")"
	}
	missing := func(q *request) bool { return q.Executed == nil || q.granted() }
	if slices.ContainsFunc(r.cleanup.requests, missing) {
		return text + "; it sends releases (" + t.votes(r.cleanup) + ")"
	}
	return text + "; " + t.say("its clean-up finds nothing to delete", r.cleanup, r.cleanup.requests)
}

// conclude returns the words for the process's conclusion from the votes.
func (t *teller) conclude(r *round) string {
	enough := t.yesVotes(r) >= t.run.quorum(r.process)
	says := t.returned(r.decided)
	t.claims = append(t.claims, claim{text: says, process: r.process, events: []int{r.decided.Seq}})
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
func (t *teller) returned(e *sim.Event) string {
	switch e.Kind {
	case sim.Acquired:
		return t.belief(e, "holds")
	case sim.Extended:
		return t.belief(e, "still holds")
	case sim.Released:
		return e.Process + " has released " + e.Resource
	}
	name, class, _ := strings.Cut(e.Detail, ":")
	text := e.Process + " does not get " + e.Resource
	if sim.Purpose(name) != sim.PurposeAcquire {
		text = fmt.Sprintf("%s's %s fails", e.Process, strings.TrimSpace(name))
	}
	if class = strings.TrimSpace(class); class != "" {
		text += " (" + class + ")"
	}
	return text
}

// belief says which lock a client holds from this event on, and until when.
func (t *teller) belief(e *sim.Event, verb string) string {
	text := fmt.Sprintf("%s %s %s", e.Process, verb, e.Resource)
	known := t.d.leases[e.Lease]
	last := known == nil || known.Terms[len(known.Terms)-1].Seq <= e.Seq
	if l := t.run.lease(e.Lease); l != nil && !l.Released && last {
		text += " until " + words.Instant(l.Until)
	}
	if e.Lease != "" {
		text += " (lease " + e.Lease + ")"
	}
	return text
}

// late makes entries for requests that reached their node only after their process went on
// to something else. Nobody waits for them, but they still have effects. Those of an attempt
// that another one followed are told only if they have one.
func (t *teller) late(r *round) {
	after := t.horizon(r)
	for _, q := range r.requests {
		what := "changes nothing"
		switch c := q.Effect; {
		case after == none || q.executed() <= after: // and if it never was
			continue
		case c != nil && c.Gained():
			what = fmt.Sprintf("sets the key of %s again", r.process)
		case c != nil && c.Lost():
			what = "deletes the key of " + c.Before.Owner
		case r.decided == nil:
			continue
		}
		t.add(&entry{
			at: q.executed(), order: seqOf(q.Executed), process: r.process, node: q.Node, words: func() string {
				return fmt.Sprintf("a request of %s from %s arrives at %s only now and %s", r.process, words.Instant(q.sent()), q.Node, what)
			},
		})
	}
}

// horizon returns when a process went on to something else after a round: to its next
// operation, or to its next attempt. It is none when it did not.
func (t *teller) horizon(r *round) time.Duration {
	r = cmp.Or(r.cleans, r)
	if r.decided == nil && r.purpose == sim.PurposeAcquire && r.next != nil {
		return r.next.from
	}
	return t.nextStep(r)
}

// nextStep returns when the process called its next operation after the decision of a
// round, or none.
func (t *teller) nextStep(r *round) time.Duration {
	for i := seqOf(r.decided); r.decided != nil && i < len(t.run.Events); i++ {
		if e := &t.run.Events[i]; e.Kind == sim.Call && e.Process == r.process {
			return e.At
		}
	}
	return none
}
