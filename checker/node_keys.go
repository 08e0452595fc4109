package checker

import (
	"fmt"
	"maps"
	"slices"
)

// judgeNodeKeys treats the key of a resource on each node as a lock with an
// owner: no client may remove, extend or replace the key of another's lease while
// that lease is believed (MX-5). A node executes one command at a time, so its log
// is the only order and no search is needed. What third parties do is not judged here.
func (result *LinearizabilityResult) judgeNodeKeys(ledger *ledgerBuilder) {
	idx := ledger.index
	commands, findings := map[string]int{}, map[string][]Finding{} // by resource
	for i, event := range idx.nodeEvents {
		commands[event.Resource]++
		life := idx.before[i]
		if life == nil || life.disturbed <= event.AtNS {
			continue // nobody knows whose key it was
		}
		replaced := event.What == NodeSet && event.AtNS < life.certain && !idx.unreliable(life.set, event.AtNS)
		if event.What == NodeDelete || event.What == NodeExtend || replaced {
			if lease := idx.foreignLease(life.set, event); lease != nil {
				found := foreignCommandFinding(event, life.set, lease)
				findings[event.Resource] = append(findings[event.Resource], found)
			}
		}
	}
	for _, resource := range slices.Sorted(maps.Keys(commands)) {
		keys := PartitionResult{Name: SortKey + " " + resource, Calls: commands[resource], Segments: 1}
		result.addPartition(keys, append(findings[resource], judgeQuorum(ledger, resource)...))
	}
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
	return Finding{
		Sort: SortKey, Resource: event.Resource, AtNS: event.AtNS,
		Leases: mention([]string{lease.ID}, event.Lease), Operations: mention(nil, event.Operation),
		Events: events(set.Event, event.Event), Lines: []int{set.Line, event.Line},
		Text: fmt.Sprintf("a command of %s %s the key of %s on %s at %s, while %s was believed", event.Client, verb, lease.ID, event.Node, instant(event.AtNS), lease.ID),
	}
}
