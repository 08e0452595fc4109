package explain

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/sim"
)

// token returns the value that the requests of a round carry or have written.
func (r *round) token() string {
	for _, q := range r.requests {
		if q.token != "" {
			return q.token
		}
	}
	return ""
}

// granted reports whether a node did what a request asked for.
func (r *round) granted(q *request) bool {
	if q.executed == none {
		return false
	}
	c := q.effect
	switch r.purpose {
	case sim.PurposeAcquire:
		if q.answer == "OK" {
			return true
		}
		return c != nil && c.After.Exists() && c.After.Owner == r.process && (c.Gained() || c.After.Value == r.token())
	case sim.PurposeExtend:
		return c != nil && c.After.Exists() && c.After.Owner == r.process && (c.Gained() || q.more)
	case sim.PurposeRelease:
		return c != nil && c.Lost()
	}
	return true
}

// intime reports whether the answer had arrived when the process decided.
func (r *round) intime(q *request) bool {
	return q.outcome == answered && (r.decided == nil || q.replied <= r.decided.At)
}

func (t *teller) yesVotes(r *round) int {
	n := 0
	for _, q := range r.requests {
		if r.intime(q) && r.granted(q) && t.guarded(r, q) == nil {
			n++
		}
	}
	return n
}

// votes returns the words for the answers of a round. Nodes that said the same are
// named together.
func (t *teller) votes(r *round) string {
	var parts []string
	for _, g := range t.voteGroups(r) {
		parts = append(parts, g.words(t.run.nodeNames(g.nodes), len(g.nodes)))
	}
	return strings.Join(parts, "; ")
}

// sameVotes returns a text that is equal for rounds in which the nodes said the same.
func (t *teller) sameVotes(r *round) string {
	var parts []string
	for _, g := range t.voteGroups(r) {
		parts = append(parts, g.id+": "+list(g.nodes))
	}
	return strings.Join(parts, "; ")
}

// voteGroup is nodes that said the same.
type voteGroup struct {
	vote
	nodes []string
}

func (t *teller) voteGroups(r *round) []voteGroup {
	var groups []voteGroup
	for _, v := range t.voteOrder(r) {
		g := voteGroup{vote: v}
		for _, q := range r.requests {
			if t.vote(r, q).id == v.id {
				g.nodes = append(g.nodes, q.node)
			}
		}
		slices.SortStableFunc(g.nodes, func(a, b string) int { return slices.Index(t.run.Nodes, a) - slices.Index(t.run.Nodes, b) })
		groups = append(groups, g)
	}
	return groups
}

// vote is the words for one answer. Answers with equal ids are told together; those
// with smaller ranks come first.
type vote struct {
	rank  int
	id    string
	words func(nodes string, n int) string
}

func (t *teller) voteOrder(r *round) []vote {
	var votes []vote
	for _, q := range r.requests {
		v := t.vote(r, q)
		if !slices.ContainsFunc(votes, func(o vote) bool { return o.id == v.id }) {
			votes = append(votes, v)
		}
	}
	slices.SortStableFunc(votes, func(a, b vote) int { return a.rank - b.rank })
	return votes
}

func (t *teller) vote(r *round, q *request) vote {
	because := ""
	if q.fault != "" {
		because = fmt.Sprintf(" (fault %q)", q.fault)
	}
	form := func(rank int, one, many string) vote {
		return vote{rank: rank, id: one + because, words: func(nodes string, n int) string {
			return nodes + " " + plural(n, one, many) + because
		}}
	}
	switch q.outcome {
	case refused:
		return form(4, "is down", "are down")
	case unreachable:
		return form(5, "cannot be reached", "cannot be reached")
	case requestLost:
		return vote{rank: 6, id: "request lost" + because, words: func(nodes string, n int) string {
			return plural(n, "the request to ", "the requests to ") + nodes + plural(n, " is lost", " are lost") + because
		}}
	case replyLost:
		if r.granted(q) {
			return form(7, "agrees, but the answer is lost", "agree, but the answers are lost")
		}
		return form(7, "answers, but the answer is lost", "answer, but the answers are lost")
	case silent:
		return form(8, "does not answer", "do not answer")
	}
	one, many := t.voteWords(r, q)
	if !r.intime(q) {
		return form(3, one+" too late to matter", many+" too late to matter")
	}
	if found := t.guarded(r, q); found != nil {
		return t.guardVote(r.process, found)
	}
	rank := 2
	if r.granted(q) {
		rank = 1
	}
	return form(rank, one, many)
}

// voteWords returns the words for an answer that arrived, for one node and for several.
func (t *teller) voteWords(r *round, q *request) (one, many string) {
	yes := r.granted(q)
	owner := ""
	if q.effect != nil {
		owner = q.effect.Before.Owner
	}
	whose := owner + "'s key"
	switch {
	case owner == r.process:
		whose = "an older key of " + owner
	case owner == "":
		whose = "another key"
	}
	switch r.purpose {
	case sim.PurposeAcquire, sim.PurposeExtend:
		switch {
		case yes:
			return "says yes", "say yes"
		case q.effect != nil && !q.effect.After.Exists() && r.purpose == sim.PurposeExtend:
			return "says no (it has no key)", "say no (they have no key)"
		case q.effect != nil && q.effect.After.Exists():
			return "says no (it has " + whose + ")", "say no (they have " + whose + ")"
		case q.answer != "":
			return "says no (" + q.answer + ")", "say no (" + q.answer + ")"
		}
		return "says no", "say no"
	case sim.PurposeRelease:
		switch {
		case yes && owner != r.process && owner != "":
			return "deletes the key of " + owner, "delete the key of " + owner
		case yes:
			return "deletes it", "delete it"
		case q.effect != nil && q.effect.After.Exists():
			return "keeps the key of " + q.effect.After.Owner, "keep the key of " + q.effect.After.Owner
		}
		return "has nothing to delete", "have nothing to delete"
	}
	return "answers", "answer"
}
