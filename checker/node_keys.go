package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// keyResult is the answer for the keys of one resource on all nodes.
type keyResult struct {
	PartitionResult
	findings []Finding
}

// judgeNodeKeys looks at each node's key as an owner-aware lock of its own: no
// client may remove or extend the key of a lease that is not its own while that
// lease is believed (MX-5). A node executes one command at a time, so the order
// of its log is the only order and no search is needed. What third parties do
// is no command of a client and not judged here.
func judgeNodeKeys(idx *index) []keyResult {
	type key struct{ node, resource string }
	owner := map[key]*NodeEvent{}
	results := map[string]*keyResult{}
	var order []string
	disturbed := idx.disturbances()
	for _, event := range idx.nodeTime {
		for len(disturbed) > 0 && disturbed[0].AtNS <= event.AtNS {
			delete(owner, key{disturbed[0].Node, disturbed[0].Key})
			disturbed = disturbed[1:]
		}
		result := results[event.Resource]
		if result == nil {
			result = &keyResult{PartitionResult: PartitionResult{Name: sortKey + " " + event.Resource, Status: Holds, Segments: 1}}
			results[event.Resource] = result
			order = append(order, event.Resource)
		}
		result.Calls++
		at := key{event.Node, event.Resource}
		held := owner[at]
		if held != nil && (event.What == NodeDelete || event.What == NodeExtend) {
			if lease := idx.robbed(held, event); lease != nil {
				result.Status = Violated
				result.findings = append(result.findings, robbery(event, held, lease))
			}
		}
		switch event.What {
		case NodeSet:
			owner[at] = event
		case NodeDelete:
			delete(owner, at)
		}
	}
	slices.Sort(order)
	var list []keyResult
	for _, resource := range order {
		list = append(list, *results[resource])
	}
	return list
}

// disturbances are the facts after which nobody knows whose key a node holds,
// by time.
func (idx *index) disturbances() []*Fact {
	var result []*Fact
	for i := range idx.Facts {
		switch fact := &idx.Facts[i]; fact.Fact {
		case FactForgot, FactRevived, FactOwner:
			result = append(result, fact)
		}
	}
	slices.SortStableFunc(result, func(a, b *Fact) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return result
}

// robbed returns the believed lease whose key somebody else's command changed,
// nil if there is none.
func (idx *index) robbed(held, event *NodeEvent) *Lease {
	if idx.clients[event.Client] == nil {
		return nil
	}
	lease := idx.leaseOf(held)
	if lease == nil {
		return nil
	}
	foreign := event.Client != lease.Client || event.Lease != "" && event.Lease != lease.ID
	if !foreign {
		return nil
	}
	for _, stretch := range idx.beliefs[lease.ID] {
		if stretch.from <= event.AtNS && event.AtNS < stretch.until {
			return lease
		}
	}
	return nil
}

// leaseOf finds the lease that a set voted for: the one that it names, or the
// client's one with the same token.
func (idx *index) leaseOf(set *NodeEvent) *Lease {
	if set.Lease != "" {
		return idx.leases[set.Lease]
	}
	if set.Token == "" {
		return nil
	}
	for _, lease := range idx.byToken[tokenOf{set.Client, set.Resource, set.Token}] {
		if set.AtNS <= idx.endOf(lease) {
			return lease
		}
	}
	return nil
}

func robbery(event, held *NodeEvent, lease *Lease) Finding {
	verb := "removed"
	if event.What == NodeExtend {
		verb = "extended"
	}
	finding := Finding{
		Sort: sortKey, Resource: event.Resource, AtNS: event.AtNS, Leases: []string{lease.ID},
		Events: events(held.Event, event.Event), Lines: []int{held.Line, event.Line},
		Text: fmt.Sprintf("a command of %s %s the key of %s on %s at %s, while %s was believed", event.Client, verb, lease.ID, event.Node, instant(event.AtNS), lease.ID),
	}
	if event.Lease != "" {
		finding.Leases = append(finding.Leases, event.Lease)
	}
	if event.Operation != "" {
		finding.Operations = []string{event.Operation}
	}
	return finding
}
