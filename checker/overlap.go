package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// OverlapResult is the result of the first oracle: no two leases of one resource
// are believed at the same true time (MX-1).
type OverlapResult struct {
	Result
	// Margins has one entry per resource with a lease, by name.
	Margins []Margin `json:"margins"`
}

// Margin is the smallest margin between two leases of one resource. A margin is
// the time from the end of one belief to the start of a later one. It is negative
// when they overlap.
type Margin struct {
	Resource string `json:"resource"`
	Leases   int    `json:"leases"`
	// MarginNS is the smallest margin. It is absent when fewer than two leases
	// were believed.
	MarginNS *int64 `json:"margin_ns,omitempty"`
	// First and Second are the leases with that margin; AtNS is when the second begins.
	First  string `json:"first,omitempty"`
	Second string `json:"second,omitempty"`
	AtNS   int64  `json:"at_ns"`
	// LapsedMarginNS is the smallest margin after a belief that ended by time, not
	// by release. It tells how close the lock came to being wrong about time.
	LapsedMarginNS *int64 `json:"lapsed_margin_ns,omitempty"`
	// TokenMarginNS is the smallest margin between leases in the order of their
	// fencing tokens. It is absent when fewer than two believed leases have one.
	TokenMarginNS *int64 `json:"token_margin_ns,omitempty"`
}

// WorstMargin returns the smallest margin of all resources; ok is false when
// there is none.
func (result OverlapResult) WorstMargin() (worst Margin, ok bool) {
	for _, margin := range result.Margins {
		if less(margin.MarginNS, worst.MarginNS) {
			worst, ok = margin, true
		}
	}
	return worst, ok
}

// WorstLapsedMarginNS returns the smallest margin of all resources after a belief
// that ended by time; nil when there is none.
func (result OverlapResult) WorstLapsedMarginNS() *int64 {
	var worst *int64
	for _, margin := range result.Margins {
		if less(margin.LapsedMarginNS, worst) {
			worst = margin.LapsedMarginNS
		}
	}
	return worst
}

// less compares margins; one that is absent is larger than all others.
func less(a, b *int64) bool { return a != nil && (b == nil || *a < *b) }

// belief is one interval in which a lease was believed.
type belief struct {
	interval
	lease *Lease
}

func judgeOverlap(idx *index) OverlapResult {
	result := OverlapResult{Result: newResult(OracleOverlap), Margins: []Margin{}}
	for _, resource := range idx.resources {
		leases := idx.leasesOf[resource]
		var beliefs []belief
		for _, lease := range leases {
			for _, believed := range idx.beliefs[lease.ID] {
				beliefs = append(beliefs, belief{believed, lease})
			}
		}
		result.Checked += len(beliefs)
		margin := Margin{Resource: resource, Leases: len(leases)}
		sweep(beliefs, func(first, second belief, marginNS int64) {
			if less(&marginNS, margin.MarginNS) {
				margin.MarginNS, margin.AtNS = &marginNS, second.from
				margin.First, margin.Second = first.lease.ID, second.lease.ID
			}
			lapsed := first.until < orForever(first.lease.ReleasedNS)
			if lapsed && less(&marginNS, margin.LapsedMarginNS) {
				margin.LapsedMarginNS = &marginNS
			}
			if marginNS < 0 {
				result.add(overlapFinding(first, second, -marginNS))
			}
		})
		margin.TokenMarginNS = tokenMargin(idx, leases)
		result.Margins = append(result.Margins, margin)
	}
	return result
}

// sweep compares each belief with one that started earlier and belongs to
// another lease: the one that ends last. It reports the pair and its margin: the
// start of the second minus the end of the first, or minus the end of the second
// if that comes sooner. No other earlier belief has a smaller margin to the
// second, so the smallest margin reported is the smallest of all pairs. Sweep
// takes O(n log n): of the earlier beliefs it keeps the one that ends last, and
// the one that ends last among those of other leases.
func sweep(beliefs []belief, report func(first, second belief, marginNS int64)) {
	slices.SortStableFunc(beliefs, func(a, b belief) int { return cmp.Compare(a.from, b.from) })
	var latest, latestOther belief
	for _, second := range beliefs {
		first := latest
		if first.lease == second.lease {
			first = latestOther
		}
		if first.lease != nil {
			report(first, second, second.from-min(first.until, second.until))
		}
		switch {
		case latest.lease == second.lease || latest.lease == nil:
			if latest.lease == nil || second.until > latest.until {
				latest = second
			}
		case second.until > latest.until:
			latest, latestOther = second, latest
		case latestOther.lease == nil || second.until > latestOther.until:
			latestOther = second
		}
	}
}

func overlapFinding(first, second belief, overlapNS int64) Finding {
	return Finding{
		Sort: SortOverlap, Resource: second.lease.Resource, AtNS: second.from,
		Leases: []string{first.lease.ID, second.lease.ID},
		Events: events(eventAt(first.lease, first.from), eventAt(second.lease, second.from)),
		Lines:  []int{first.lease.Line, second.lease.Line},
		Text: fmt.Sprintf("%s is believed from %s to %s, %s from %s to %s: both hold %s for %s",
			first.lease.ID, instant(first.from), instant(first.until),
			second.lease.ID, instant(second.from), instant(second.until), second.lease.Resource, span(overlapNS)),
	}
}

// eventAt is the trace event of the validity that became known at an instant.
func eventAt(lease *Lease, at int64) int64 {
	for _, validity := range lease.Validity {
		if validity.AtNS == at {
			return validity.Event
		}
	}
	return 0
}

// tokenMargin is the smallest margin between the believed leases of one resource,
// in the order of their fencing tokens.
func tokenMargin(idx *index, leases []*Lease) *int64 {
	var fenced []*Lease
	for _, lease := range leases {
		if lease.Fence != nil && len(idx.beliefs[lease.ID]) > 0 {
			fenced = append(fenced, lease)
		}
	}
	slices.SortStableFunc(fenced, func(a, b *Lease) int { return cmp.Compare(*a.Fence, *b.Fence) })
	var worst *int64
	var latestEnd int64
	for i, lease := range fenced {
		if margin := idx.beliefs[lease.ID][0].from - latestEnd; i > 0 && less(&margin, worst) {
			worst = &margin
		}
		latestEnd = max(latestEnd, idx.endOf(lease))
	}
	return worst
}
