package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// judgeTokens checks the fencing tokens of one resource. The token of a lease must
// be larger than that of each lease whose acquisition had returned before its own
// was called, and of each whose belief was over when its own began. A lease that
// was over when it was learned of has no belief.
func judgeTokens(idx *index, resource string, result *Result) {
	var fenced, believed []*Lease
	for _, lease := range idx.leasesOf[resource] {
		if lease.Fence != nil {
			fenced = append(fenced, lease)
			if len(idx.beliefs[lease.ID]) > 0 {
				believed = append(believed, lease)
			}
		}
	}
	earlier := largestBefore(fenced, (*Lease).AcquiredNS, func(lease *Lease) int64 { return idx.callOf(lease) - 1 })
	before := largestBefore(believed, idx.endOf, func(lease *Lease) int64 { return idx.beliefs[lease.ID][0].from })
	for _, lease := range fenced {
		result.Checked++
		largest := earlier[lease]
		if other := before[lease]; largest == nil || other != nil && *other.Fence > *largest.Fence {
			largest = other
		}
		if largest == nil || *lease.Fence > *largest.Fence {
			continue
		}
		result.add(Finding{
			Sort: SortTokensBackwards, Resource: resource, AtNS: lease.AcquiredNS(),
			Leases: []string{largest.ID, lease.ID},
			Events: events(largest.Validity[0].Event, lease.Validity[0].Event), Lines: []int{largest.Line, lease.Line},
			Text: fmt.Sprintf("%s got token %d after %s had got token %d", lease.ID, *lease.Fence, largest.ID, *largest.Fence),
		})
	}
}

// largestBefore finds for each lease the one with the largest token among those
// that ended no later than it began.
func largestBefore(leases []*Lease, end, begin func(*Lease) int64) map[*Lease]*Lease {
	byEnd, byBegin := slices.Clone(leases), slices.Clone(leases)
	slices.SortStableFunc(byEnd, func(a, b *Lease) int { return cmp.Compare(end(a), end(b)) })
	slices.SortStableFunc(byBegin, func(a, b *Lease) int { return cmp.Compare(begin(a), begin(b)) })
	result := map[*Lease]*Lease{}
	var largest *Lease
	ended := 0
	for _, lease := range byBegin {
		for ; ended < len(byEnd) && end(byEnd[ended]) <= begin(lease); ended++ {
			if largest == nil || *byEnd[ended].Fence > *largest.Fence {
				largest = byEnd[ended]
			}
		}
		result[lease] = largest
	}
	return result
}
