package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// yesVotes counts the votes that a process has when a round ends.
func (t *teller) yesVotes(r *round) int { return len(t.agreed(r)) + len(t.standing(r)) }

// agreed lists the nodes that say yes in a round.
func (t *teller) agreed(r *round) []string {
	var nodes []string
	for _, q := range r.requests {
		if q.intime() && q.granted() && t.guarded(q) == nil {
			nodes = append(nodes, q.Node)
		}
	}
	return nodes
}

// standing lists the nodes that said yes in an earlier round of the same extension and
// that the later rounds do not ask again: an extension that lacks a quorum asks again
// only those that did not agree.
func (t *teller) standing(r *round) []string {
	if r.purpose != sim.PurposeExtend || r.operation == nil {
		return nil
	}
	var nodes []string
	for _, earlier := range r.operation.rounds {
		if earlier == r {
			break
		}
		if earlier.purpose == r.purpose && earlier.key == r.key {
			nodes = slices.DeleteFunc(nodes, func(node string) bool { return earlier.request(node) != nil })
			nodes = append(nodes, t.agreed(earlier)...)
		}
	}
	return slices.DeleteFunc(nodes, func(node string) bool { return r.request(node) != nil })
}

// vote is the words for one answer. Answers with equal ids are told together; those
// with smaller ranks come first.
type vote struct {
	rank     int
	id       string
	words    func(nodes string, n int) string
	requests []*request // those that were answered so
}

// voteGroups returns the answers of a round, with the nodes that said the same.
func (t *teller) voteGroups(r *round) []vote {
	var groups []vote
	for _, q := range r.requests {
		v := t.vote(q)
		i := slices.IndexFunc(groups, func(g vote) bool { return g.id == v.id })
		if i < 0 {
			i, groups = len(groups), append(groups, v)
		}
		groups[i].requests = append(groups[i].requests, q)
	}
	slices.SortStableFunc(groups, func(a, b vote) int { return a.rank - b.rank })
	return groups
}

// votes returns the words for the answers of a round. Nodes that said the same are
// named together.
func (t *teller) votes(r *round) string {
	var parts []string
	for _, g := range t.voteGroups(r) {
		parts = append(parts, t.say(g.words(t.run.nodeNames(nodesOf(g.requests)), len(g.requests)), r, g.requests))
	}
	return strings.Join(parts, "; ")
}

// sameVotes returns a text that is equal for rounds in which the nodes said the same.
func (t *teller) sameVotes(r *round) string {
	var parts []string
	for _, g := range t.voteGroups(r) {
		parts = append(parts, g.id+": "+t.run.nodeNames(nodesOf(g.requests)))
	}
	return strings.Join(parts, "; ")
}

func (t *teller) vote(q *request) vote {
	because := because(q.fault())
	form := func(rank int, one, many string) vote {
		return vote{rank: rank, id: one + because, words: func(nodes string, n int) string {
			return nodes + " " + words.Plural(n, one, many) + because
		}}
	}
	switch q.outcome() {
	case refused:
		return form(4, "is down", "are down")
	case unreachable:
		return form(5, "cannot be reached", "cannot be reached")
	case unconnected:
		return form(5, "is not connected in time", "are not connected in time")
	case requestLost:
		return vote{rank: 6, id: "request lost" + because, words: func(nodes string, n int) string {
			return words.Plural(n, "the request to ", "the requests to ") + nodes + words.Plural(n, " is lost", " are lost") + because
		}}
	case replyLost:
		if q.granted() {
			return form(7, "agrees, but the answer is lost", "agree, but the answers are lost")
		}
		return form(7, "answers, but the answer is lost", "answer, but the answers are lost")
	case silent:
		return form(8, "does not answer", "do not answer")
	}
	one, many := q.voteWords()
	if t.crashedSince(q) {
		one, many = one+" (sent before its crash)", many+" (sent before they crashed)"
	}
	if after := t.horizon(q.round); q.round.purpose == sim.PurposeRelease && after != none && q.executed() > after {
		return form(3, "gets it later", "get it later")
	}
	if !q.intime() && q.round.purpose.AboutLock() && q.round.purpose != sim.PurposeRelease {
		return form(3, one+" too late to matter", many+" too late to matter")
	}
	if found := t.guarded(q); found != nil {
		return t.guardVote(q.round.process, found)
	}
	rank := 2
	if q.granted() {
		rank = 1
	}
	return form(rank, one, many)
}

// crashedSince reports whether a node crashed between its answer and the decision, so
// that a reader learns of the crash first.
func (t *teller) crashedSince(q *request) bool {
	until := q.replied()
	if q.round.decided != nil {
		until = max(until, q.round.decided.At)
	}
	return slices.ContainsFunc(t.d.stretches, func(s *stretch) bool {
		return s.begin.Kind == sim.Crash && s.begin.Node == q.Node && q.executed() <= s.from && s.from < until
	})
}

// forTTL says for how long a key was set: " for 10 s".
func forTTL(ends, at time.Duration) string {
	if ends == sim.Forever {
		return " for ever"
	}
	return " for " + words.Period(ends-at)
}

// voteWords returns the words for an answer that arrived, for one node and for several.
func (q *request) voteWords() (one, many string) {
	yes, owner, process := q.granted(), "", q.round.process
	kept := q.Effect != nil && q.Effect.After.Exists()
	if q.Effect != nil {
		owner = q.Effect.Before.Owner
	}
	whose := keyOf(owner, "another key")
	if owner == process {
		whose = "an older key of " + owner
	}
	switch purpose := q.round.purpose; purpose {
	case sim.PurposeAcquire, sim.PurposeExtend:
		switch {
		case yes && q.Effect != nil && q.Effect.Gained() && owner != "" && owner != process:
			return "replaces the key of " + owner, "replace the key of " + owner
		case yes && q.Effect != nil && q.Effect.Gained() && purpose == sim.PurposeExtend:
			again := " its key again" + forTTL(q.Effect.After.Ends, q.executed())
			return "sets" + again, "set" + again
		case yes:
			return "says yes", "say yes"
		case q.Effect != nil && !kept && purpose == sim.PurposeExtend:
			return "says no (it has no key)", "say no (they have no key)"
		case kept:
			return "says no (it has " + whose + ")", "say no (they have " + whose + ")"
		case q.answer() != "":
			return "says no (" + q.answer() + ")", "say no (" + q.answer() + ")"
		}
		return "says no", "say no"
	case sim.PurposeRelease:
		switch {
		case yes && owner != process && owner != "":
			return "deletes the key of " + owner, "delete the key of " + owner
		case yes:
			return "deletes its key", "delete its key"
		case q.Effect != nil && q.Effect.Gained():
			again := " its key again" + forTTL(q.Effect.After.Ends, q.executed())
			return "sets" + again, "set" + again
		case kept && q.Effect.After.Owner == process:
			if q.Effect.After.Value == q.Token() {
				return "keeps its key (" + q.answer() + ")", "keep its key (" + q.answer() + ")"
			}
			return "keeps another key of " + process, "keep another key of " + process
		case kept:
			return "keeps the key of " + q.Effect.After.Owner, "keep the key of " + q.Effect.After.Owner
		}
		return "has nothing to delete", "have nothing to delete"
	}
	return "answers", "answer"
}

// renewal is a restart of a node for which a restart guard ignores the node's vote.
type renewal struct {
	up    time.Duration // how long the node had been up
	known time.Duration // how long the client had known of it; equal to up when it had not asked the node before
}

// guarded returns the restart for which the lock's guard ignores a vote, or nil when
// the vote counts. The guard waits from the moment at which its client saw that the
// node had restarted. A client that asks the node for the first time uses the
// node's uptime instead.
func (t *teller) guarded(q *request) *renewal {
	r := q.round
	if t.run.Guard == 0 || r.purpose != sim.PurposeAcquire && r.purpose != sim.PurposeExtend || !q.granted() {
		return nil
	}
	at := max(q.executed(), q.replied())
	for _, s := range t.d.stretches {
		if s.begin.Kind != sim.Crash || s.begin.Node != q.Node || s.end == nil || s.until > q.executed() {
			continue
		}
		found := renewal{up: at - s.until, known: at - s.until}
		if seen := t.d.seen(r.process, s); seen != none {
			found.known = max(0, at-seen)
		}
		if found.known < t.run.Guard {
			return &found
		}
	}
	return nil
}

// seen returns when a process got its first INFO from a node after an outage. It
// returns none when the process had not asked the node before the outage.
func (d *digest) seen(process string, outage *stretch) time.Duration {
	before, first := false, none
	for _, r := range d.rounds {
		q := r.request(outage.begin.Node)
		if r.process != process || q == nil || q.Command != "INFO" || q.replied() == none {
			continue
		}
		before = before || q.executed() < outage.from
		if q.executed() >= outage.until && (first == none || q.replied() < first) {
			first = q.replied()
		}
	}
	if !before {
		return none
	}
	return first
}

// guardVote returns the words for votes that the restart guard ignores. Times are
// given for a single node only. They do not make repeated attempts different.
func (t *teller) guardVote(client string, found *renewal) vote {
	return vote{rank: 2, id: "guarded", words: func(nodes string, n int) string {
		least := "less than " + words.Period(t.run.Guard)
		switch {
		case n > 1:
			return fmt.Sprintf("%s restarted %s ago, as far as %s knows: their votes do not count", nodes, least, client)
		case found.up < t.run.Guard:
			return fmt.Sprintf("%s has been up for %s, %s: its vote does not count", nodes, words.Period(found.up), least)
		}
		return fmt.Sprintf("%s restarted, and %s has known for %s, %s: its vote does not count", nodes, client, words.Period(found.known), least)
	}}
}
