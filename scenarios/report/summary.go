package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios"
)

// summary is what a practitioner can act on. The advice is ours; each line
// carries what the runs behind it came to.
func (in *Input) summary(d *document) {
	d.line("## In ten lines")
	d.line("")
	for i, l := range []struct{ advice, evidence string }{
		{"With its assumptions kept, Redlock excludes, and package redlock keeps all eleven promises", in.of("SY-10", "MX-")},
		{"Each safety assumption is needed: a clock that is stepped or runs far off, a vote that is forgotten, nodes that are not distinct, an operator's DEL, a shared token each make two holders of the textbook algorithm", in.of("SY-0", "BA-")},
		{"Nodes that may come back empty: use AOF `always`, or keep them out for the largest TTL, or let every client refuse young nodes (the restart guard of package redlock)", in.of("SY-10", "RP-1", "RP-2", "RP-3", "RP-4")},
		{"A replica that is promoted asynchronously forgets votes, also inside one of N nodes: without the guard that is a second holder", in.of("SY-10", "BA-5")},
		{"Measure validity on a clock that nobody steps and that counts suspension; the customary 1 % + 2 ms covers clocks that err by 0.45 % each", in.of("SY-10", "BA-6", "BA-7", "BA-8")},
		{"A right lock does not make late effects right: after a pause or in a slow network a write arrives when the lease is over. Only a fence that the resource checks on every access, reads included, makes that harmless", in.of("SY-10", "RS-", "RP-5")},
		{"One instance with SET NX PX and compare-and-delete is enough where losing the lock with the instance is acceptable; it takes nothing off for clocks that err", in.of("SY-1", "")},
		{"Older recipes (plain DEL, GET and DEL, SETNX with timestamps, no elapsed-time check, fractional quorums) lose the lock with nothing broken", in.systems("SY-2", "SY-3", "SY-4", "SY-5", "SY-6", "SY-7", "SY-8", "SY-9")},
		{"redsync and redislock, unmodified, under the same suite", in.systems("SY-11")},
		{"Retry after a random delay, release whatever was sent, bound extensions: then somebody wins within a few rounds, also with a minority down", in.of("SY-10", "LV-")},
	} {
		d.line("%d. %s (%s).", i+1, l.advice, l.evidence)
	}
	d.line("")
}

// measured reports whether a claim's numbers are its verdict: its runs win and lose nothing.
func measured(claim string) bool {
	return slices.ContainsFunc(scenarios.Claims(), func(c scenarios.Claim) bool {
		return c.ID == claim && c.Kind == scenarios.KindMeasured
	})
}

// of sums up a subject's cells of the claims that begin so.
func (in *Input) of(subject string, claims ...string) string {
	t := in.cells(func(c *Cell) bool {
		return c.name() == subject && !measured(c.Claim) && slices.ContainsFunc(claims, func(claim string) bool {
			return c.Claim == claim || strings.HasSuffix(claim, "-") && strings.HasPrefix(c.Claim, claim) || claim == ""
		})
	})
	return t.sentence(subject)
}

// systems sums up what several systems lose with nothing broken.
func (in *Input) systems(ids ...string) string {
	var parts []string
	for _, s := range scenarios.Systems() {
		if !slices.Contains(ids, s.System()) {
			continue
		}
		t := in.cells(func(c *Cell) bool { return c.name() == s.Name && !measured(c.Claim) })
		name := s.Name
		if s.Alias != "" {
			name = s.Alias
		}
		parts = append(parts, t.sentence(name))
	}
	if len(parts) == 0 {
		return "not played"
	}
	return strings.Join(parts, "; ")
}

// sentence says what the runs of a subject came to.
func (t *tally) sentence(subject string) string {
	switch {
	case t.runs == 0:
		return subject + ": not played"
	case t.violated == 0:
		return fmt.Sprintf("%s: no violation in %d runs", subject, t.runs)
	case t.bare == 0:
		return fmt.Sprintf("%s: %d of %d runs violated, all with an assumption broken (%s)", subject, t.violated, t.runs, strings.Join(t.broken, ", "))
	default:
		return fmt.Sprintf("%s: %d of %d runs violated, %d of them with nothing broken", subject, t.violated, t.runs, t.bare)
	}
}
