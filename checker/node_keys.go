package checker

import (
	"cmp"
	"fmt"
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
// is the only order and no search is needed. The deeds of third parties are not
// commands of clients, and are not judged here.
func judgeNodeKeys(ledger *ledgerBuilder) []keyResult {
	idx := ledger.index
	type key struct{ node, resource string }
	setBy := map[key]*NodeEvent{} // the set that made the key, if that is known
	lives := map[key]int64{}      // until when that key certainly lives
	results := map[string]*keyResult{}
	var order []string
	disturbances := idx.disturbances()
	for _, event := range idx.nodeEvents {
		for len(disturbances) > 0 && disturbances[0].AtNS <= event.AtNS {
			delete(setBy, key{disturbances[0].Node, disturbances[0].Key})
			disturbances = disturbances[1:]
		}
		result := results[event.Resource]
		if result == nil {
			result = &keyResult{PartitionResult: PartitionResult{Name: SortKey + " " + event.Resource, Status: Holds, Segments: 1}}
			results[event.Resource] = result
			order = append(order, event.Resource)
		}
		result.Calls++
		at := key{event.Node, event.Resource}
		set := setBy[at]
		replaced := event.What == NodeSet && event.AtNS < lives[at] && !ledger.unreliable(event.Node, set, event.AtNS)
		if set != nil && (event.What == NodeDelete || event.What == NodeExtend || replaced) {
			if lease := idx.foreignLease(set, event); lease != nil {
				result.findings = append(result.findings, foreignCommandFinding(event, set, lease))
			}
		}
		switch event.What {
		case NodeSet:
			setBy[at] = event
			lives[at] = ledger.certainlyUntil(event)
		case NodeExtend:
			lives[at] = ledger.certainlyUntil(event)
		case NodeDelete:
			delete(setBy, at)
		}
	}
	for _, resource := range idx.resources {
		if result := results[resource]; result != nil {
			result.findings = append(result.findings, judgeQuorum(ledger, resource)...)
		}
	}
	for _, result := range results {
		if len(result.findings) > 0 {
			result.Status = Violated
		}
	}
	slices.Sort(order)
	var list []keyResult
	for _, resource := range order {
		list = append(list, *results[resource])
	}
	return list
}

// certainlyUntil is until when a key lives at least, on a node whose clock errs by
// no more than A-RATE allows. A lifetime that the log does not tell is none.
func (idx *index) certainlyUntil(event *NodeEvent) int64 {
	return event.AtNS + event.TTLNS - drift(idx.Header.RateErrorPPM, event.TTLNS)
}

// unreliable reports whether the lifetime of a key that was set on a node says
// nothing by an instant: the clock of the node erred, it failed over, or another
// address is the same server.
func (idx *index) unreliable(node string, set *NodeEvent, at int64) bool {
	if set == nil {
		return true
	}
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

// disturbances lists, by time, the facts after which the node's log no longer
// says whose key the node holds.
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

// foreignLease returns the lease whose key a client's command changed, if it is
// the lease of another and was believed then. Otherwise it returns nil.
func (idx *index) foreignLease(set, event *NodeEvent) *Lease {
	lease := idx.leaseOf(set)
	if lease == nil || idx.clients[event.Client] == nil {
		return nil
	}
	foreign := event.Client != lease.Client || event.Lease != "" && event.Lease != lease.ID
	believed := slices.ContainsFunc(idx.beliefs[lease.ID], func(belief interval) bool { return belief.contains(event.AtNS) })
	if !foreign || !believed {
		return nil
	}
	return lease
}

// leaseOf finds the lease that a set voted for: the one that it names, or else
// the client's lease with the same token. It is nil when there is none.
func (idx *index) leaseOf(set *NodeEvent) *Lease {
	if set.Lease != "" {
		return idx.leases[set.Lease]
	}
	if set.Token == "" {
		return nil
	}
	for _, lease := range idx.byToken[tokenKey{set.Client, set.Resource, set.Token}] {
		if set.AtNS <= idx.endOf(lease) {
			return lease
		}
	}
	return nil
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
