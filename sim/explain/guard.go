package explain

import (
	"fmt"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain/times"
)

// renewal is a restart of a node for which a restart guard ignores the node's vote.
type renewal struct {
	up    time.Duration // how long the node had been up
	known time.Duration // how long the client had known of the restart; equal to up when it had not asked the node before
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
	at := max(q.executed, q.replied)
	for _, s := range t.d.stretches {
		if s.begin.Kind != sim.Crash || s.begin.Node != q.node || s.end == nil || s.until > q.executed {
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
		if r.process != process || q == nil || q.command != "INFO" || q.replied == none {
			continue
		}
		before = before || q.executed < outage.from
		if q.executed >= outage.until && (first == none || q.replied < first) {
			first = q.replied
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
		least := "less than " + times.Period(t.run.Guard)
		switch {
		case n > 1:
			return fmt.Sprintf("%s restarted %s ago, as far as %s knows: their votes do not count", nodes, least, client)
		case found.up < t.run.Guard:
			return fmt.Sprintf("%s has been up for %s, %s: its vote does not count", nodes, times.Period(found.up), least)
		}
		return fmt.Sprintf("%s restarted, and %s has known for %s, %s: its vote does not count", nodes, client, times.Period(found.known), least)
	}}
}
