package explain

import (
	"fmt"
	"time"

	"redlocklab/sim"
)

// renewal is what a lock's restart guard minds of a node that said yes: it was started again.
type renewal struct {
	up    time.Duration // how long the node had been up again
	known time.Duration // how long the client had known; up, where it could not tell before
}

// guarded gives the restart for which the lock's guard does not count a yes; nil
// when it counts. The guard waits from when its client saw that the node is
// another than before; a client that meets the node for the first time goes by
// how long it has been up.
func (t *teller) guarded(r *round, q *request) *renewal {
	if t.run.Guard == 0 || r.purpose != sim.PurposeAcquire && r.purpose != sim.PurposeExtend || !r.granted(q) {
		return nil
	}
	at := max(q.executed, q.replied)
	for _, s := range t.d.down {
		if s.name != q.node || s.open || s.until > q.executed {
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

// seen is when a process that had asked a node about itself before an outage had
// its first answer after it; none when it had not asked before.
func (d *digest) seen(process string, outage *stretch) time.Duration {
	before, first := false, none
	for _, r := range d.rounds {
		q := r.request(outage.name)
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

// guardVote words a vote that the restart guard does not count. The times are
// said of one node, and do not tell repeated attempts apart.
func (t *teller) guardVote(client string, found *renewal) vote {
	return vote{rank: 2, id: "guarded", words: func(nodes string, n int) string {
		least := "less than " + period(t.run.Guard)
		switch {
		case n > 1:
			return fmt.Sprintf("%s restarted %s ago, as far as %s knows: their votes do not count", nodes, least, client)
		case found.up < t.run.Guard:
			return fmt.Sprintf("%s has been up for %s, %s: its vote does not count", nodes, period(found.up), least)
		}
		return fmt.Sprintf("%s restarted, and %s has known for %s, %s: its vote does not count", nodes, client, period(found.known), least)
	}}
}
