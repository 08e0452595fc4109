package checker

import (
	"fmt"
	"maps"
	"slices"
)

// keyResult is the result for the keys of one resource on all nodes.
type keyResult struct {
	PartitionResult
	findings []Finding
}

// judgeNodeKeys treats the key of a resource on each node as a lock with an
// owner: no client may remove, extend or replace the key of another's lease while
// that lease is believed (MX-5). A node executes one command at a time, so its log
// is the only order and no search is needed. What third parties do is not judged here.
func judgeNodeKeys(ledger *ledgerBuilder) []*keyResult {
	idx := ledger.index
	results := map[string]*keyResult{}
	for i, event := range idx.nodeEvents {
		result := results[event.Resource]
		if result == nil {
			name := SortKey + " " + event.Resource
			result = &keyResult{PartitionResult: PartitionResult{Name: name, Status: Holds, Segments: 1}}
			results[event.Resource] = result
		}
		result.Calls++
		life := idx.before[i]
		if life == nil || life.disturbed <= event.AtNS {
			continue // nobody knows whose key it was
		}
		replaced := event.What == NodeSet && event.AtNS < life.certain && !idx.unreliable(life.set, event.AtNS)
		if event.What == NodeDelete || event.What == NodeExtend || replaced {
			if lease := idx.foreignLease(life.set, event); lease != nil {
				result.findings = append(result.findings, foreignCommandFinding(event, life.set, lease))
			}
		}
	}
	for _, resource := range idx.resources {
		if result := results[resource]; result != nil {
			result.findings = append(result.findings, judgeQuorum(ledger, resource)...)
		}
	}
	var list []*keyResult
	for _, resource := range slices.Sorted(maps.Keys(results)) {
		if result := results[resource]; len(result.findings) > 0 {
			result.Status = Violated
		}
		list = append(list, results[resource])
	}
	return list
}

// unreliable reports whether the lifetime of a key proves nothing by an instant: the clock of
// its node erred, the node failed over, or another address is the same server.
func (idx *index) unreliable(set *NodeEvent, at int64) bool {
	node := set.Node
	during := interval{set.AtNS, at + 1}
	return slices.ContainsFunc(idx.Facts, func(fact Fact) bool {
		switch fact.Fact {
		case FactClockStep, FactFailover:
			return fact.Who+fact.Node == node && during.contains(fact.AtNS)
		case FactClockRate:
			return fact.Who == node && fact.ErrorPPM > idx.Header.RateErrorPPM && lasting(&fact).overlaps(during)
		case FactSameServer:
			return slices.Contains(fact.Nodes, node) && lasting(&fact).overlaps(during)
		}
		return false
	})
}

// foreignLease returns the lease whose key a client's command changed, if it is
// the lease of another and was believed then. Otherwise it returns nil.
func (idx *index) foreignLease(set, event *NodeEvent) *Lease {
	lease := idx.leaseOf(set)
	if lease == nil || idx.clients[event.Client] == nil {
		return nil
	}
	foreign := event.Client != lease.Client || event.Lease != "" && event.Lease != lease.ID
	atEvent := func(belief interval) bool { return belief.contains(event.AtNS) }
	if !foreign || !slices.ContainsFunc(idx.beliefs[lease.ID], atEvent) {
		return nil
	}
	return lease
}

func foreignCommandFinding(event, set *NodeEvent, lease *Lease) Finding {
	verb := map[NodeAction]string{NodeDelete: "removed", NodeExtend: "extended", NodeSet: "replaced"}[event.What]
	finding := Finding{
		Sort: SortKey, Resource: event.Resource, AtNS: event.AtNS, Leases: []string{lease.ID},
		Events: events(set.Event, event.Event), Lines: []int{set.Line, event.Line},
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
