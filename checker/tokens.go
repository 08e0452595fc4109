package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// judgeTokens checks the fencing tokens of one resource: when the acquisition of
// a lease was called after another's had returned, its token must be larger.
func judgeTokens(idx *index, resource string, result *Result) {
	var byReturn []*Lease
	for _, lease := range idx.leasesOf[resource] {
		if lease.Fence != nil {
			byReturn = append(byReturn, lease)
		}
	}
	byCall := slices.Clone(byReturn)
	slices.SortStableFunc(byCall, func(a, b *Lease) int { return cmp.Compare(idx.callOf(a), idx.callOf(b)) })
	var largest *Lease // among those that returned before the call
	returned := 0
	for _, lease := range byCall {
		for returned < len(byReturn) && byReturn[returned].acquiredNS() < idx.callOf(lease) {
			if largest == nil || *byReturn[returned].Fence > *largest.Fence {
				largest = byReturn[returned]
			}
			returned++
		}
		result.Checked++
		if largest == nil || *lease.Fence > *largest.Fence {
			continue
		}
		result.add(Finding{
			Sort: SortTokensBackwards, Resource: resource, AtNS: lease.acquiredNS(), Leases: []string{largest.ID, lease.ID},
			Events: events(largest.Validity[0].Event, lease.Validity[0].Event), Lines: []int{largest.Line, lease.Line},
			Text: fmt.Sprintf("%s got token %d after %s had got token %d", lease.ID, *lease.Fence, largest.ID, *largest.Fence),
		})
	}
}
