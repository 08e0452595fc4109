package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// OverlapResult is the answer of the first oracle: no two beliefs in one
// resource overlap in true time (MX-1).
type OverlapResult struct {
	Result
	// Margins holds one entry per resource with a lease, by name.
	Margins []Margin `json:"margins"`
}

// Margin is the worst margin between two leases of one resource.
type Margin struct {
	Resource string `json:"resource"`
	Leases   int    `json:"leases"`
	// MarginNS is positive for the smallest gap between the end of one belief
	// and the start of a later one, negative for the longest overlap. Absent
	// when fewer than two leases were ever believed.
	MarginNS *int64 `json:"margin_ns,omitempty"`
	// First and Second are the leases that it lies between.
	First  string `json:"first,omitempty"`
	Second string `json:"second,omitempty"`
	AtNS   int64  `json:"at_ns"`
	// LapsedMarginNS is the smallest margin behind a belief that time ended, and not
	// a release: how close the lock came to being wrong about time.
	LapsedMarginNS *int64 `json:"lapsed_margin_ns,omitempty"`
	// TokenMarginNS is the same between leases that follow one another in the
	// order of their fencing tokens: the start of the one with the larger token
	// minus the end of the one with the smaller. Absent without two tokens.
	TokenMarginNS *int64 `json:"token_margin_ns,omitempty"`
}

// WorstMargin returns the smallest margin of all resources; ok is false when
// there is none.
func (result OverlapResult) WorstMargin() (worst Margin, ok bool) {
	for _, margin := range result.Margins {
		if margin.MarginNS != nil && (!ok || *margin.MarginNS < *worst.MarginNS) {
			worst, ok = margin, true
		}
	}
	return worst, ok
}

// belief is one stretch of one lease.
type belief struct {
	interval
	lease *Lease
}

func judgeOverlap(idx *index) OverlapResult {
	result := OverlapResult{Result: Result{Status: Holds}, Margins: []Margin{}}
	for _, resource := range idx.resources {
		leases := idx.leasesOf[resource]
		var beliefs []belief
		for _, lease := range leases {
			for _, stretch := range idx.beliefs[lease.ID] {
				beliefs = append(beliefs, belief{stretch, lease})
			}
		}
		result.Checked += len(beliefs)
		margin := Margin{Resource: resource, Leases: len(leases)}
		sweep(beliefs, func(first, second belief, marginNS int64) {
			if margin.MarginNS == nil || marginNS < *margin.MarginNS {
				margin.MarginNS, margin.First, margin.Second, margin.AtNS = &marginNS, first.lease.ID, second.lease.ID, second.from
			}
			if lapsed := first.lease.ReleasedNS == nil || first.until < *first.lease.ReleasedNS; lapsed && (margin.LapsedMarginNS == nil || marginNS < *margin.LapsedMarginNS) {
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

// sweep calls report once for every belief but the first ones, with the
// earlier started belief of another lease that ends last, and the margin
// between the two: start of the second minus the end of the first, or of the
// second if that comes sooner. The smallest margin reported is the smallest of
// all pairs, because for one second belief no other first one ends later. It
// takes O(n log n): of all earlier beliefs only the latest end, and the latest
// end of any other lease, are kept.
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
		Sort: sortOverlap, Resource: second.lease.Resource, AtNS: second.from,
		Leases: []string{first.lease.ID, second.lease.ID},
		Events: events(first.lease.eventAt(first.from), second.lease.eventAt(second.from)),
		Lines:  []int{first.lease.Line, second.lease.Line},
		Text: fmt.Sprintf("%s is believed from %s to %s, %s from %s to %s: both hold %s for %s",
			first.lease.ID, instant(first.from), instant(first.until),
			second.lease.ID, instant(second.from), instant(second.until), second.lease.Resource, span(overlapNS)),
	}
}

// eventAt is the trace event of the validity that was learned at an instant.
func (lease *Lease) eventAt(at int64) int64 {
	for _, validity := range lease.Validity {
		if validity.AtNS == at {
			return validity.Event
		}
	}
	return 0
}

// tokenMargin orders the believed leases of one resource by fencing token.
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
		if i > 0 {
			if margin := idx.beliefs[lease.ID][0].from - latestEnd; worst == nil || margin < *worst {
				worst = &margin
			}
		}
		latestEnd = max(latestEnd, idx.endOf(lease))
	}
	return worst
}

// events drops the numbers that say "no event".
func events(numbers ...int64) []int64 {
	var known []int64
	for _, number := range numbers {
		if number > 0 && !slices.Contains(known, number) {
			known = append(known, number)
		}
	}
	return known
}
