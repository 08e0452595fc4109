package checker

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// forever stands for "not within this history".
const forever = math.MaxInt64

// interval is a half-open stretch of true time, [from, until).
type interval struct{ from, until int64 }

func (i interval) empty() bool { return i.from >= i.until }

func (i interval) overlaps(other interval) bool {
	return !i.empty() && !other.empty() && i.from < other.until && other.from < i.until
}

// beliefs returns when the holder was entitled to think that it holds: from
// each known validity on until its end, the next change of validity, or the
// call of release, whichever comes first. Stretches that touch are one. An
// extension that returned after the old end leaves a gap. A lease whose
// validity was over before its acquisition returned has none.
func (lease *Lease) beliefs() []interval {
	var result []interval
	for position := range lease.Validity {
		stretch := interval{lease.Validity[position].AtNS, lease.endAfter(position)}
		if position+1 < len(lease.Validity) {
			stretch.until = min(stretch.until, lease.Validity[position+1].AtNS)
		}
		if stretch.empty() {
			continue
		}
		if last := len(result) - 1; last >= 0 && result[last].until == stretch.from {
			result[last].until = stretch.until
			continue
		}
		result = append(result, stretch)
	}
	return result
}

// endAfter is the end of belief as it stands once the first position+1
// validities are known.
func (lease *Lease) endAfter(position int) int64 {
	end := lease.Validity[position].UntilNS
	if lease.ReleasedNS != nil {
		end = min(end, *lease.ReleasedNS)
	}
	return end
}

// index is a history with what the ledger and the oracles look up. It is
// built once, and only for histories without problems.
type index struct {
	*History
	clients    map[string]*Client
	operations map[string]*Operation
	leases     map[string]*Lease
	beliefs    map[string][]interval
	// acquired is the acquisition of each lease, where it is recorded.
	acquired map[string]*Operation
	// resources names every resource with a lease, sorted; leasesOf lists a
	// resource's leases by the start of their first validity.
	resources []string
	leasesOf  map[string][]*Lease
	// lockOperations lists a resource's operations that belong to a lease.
	lockOperations map[string][]*Operation
	// byToken lists a client's leases of one resource with one token.
	byToken map[tokenOf][]*Lease
	// nodeTime and accessTime hold the records in the order of time.
	nodeTime   []*NodeEvent
	accessTime []*Access
}

func newIndex(history *History) *index {
	idx := &index{
		History:    history,
		clients:    make(map[string]*Client),
		operations: make(map[string]*Operation, len(history.Operations)),
		leases:     make(map[string]*Lease, len(history.Leases)),
		beliefs:    make(map[string][]interval, len(history.Leases)),
		acquired:   make(map[string]*Operation, len(history.Leases)),
		leasesOf:   make(map[string][]*Lease),
		byToken:    make(map[tokenOf][]*Lease),

		lockOperations: make(map[string][]*Operation),
	}
	for i := range history.Header.Clients {
		idx.clients[history.Header.Clients[i].Name] = &history.Header.Clients[i]
	}
	for i := range history.Operations {
		operation := &history.Operations[i]
		idx.operations[operation.ID] = operation
		if operation.Action == ActionAcquire && operation.Lease != "" {
			idx.acquired[operation.Lease] = operation
		}
		if operation.Lease != "" && !operation.Action.onResource() {
			idx.lockOperations[operation.Resource] = append(idx.lockOperations[operation.Resource], operation)
		}
	}
	for i := range history.Leases {
		lease := &history.Leases[i]
		idx.leases[lease.ID] = lease
		idx.beliefs[lease.ID] = lease.beliefs()
		if operation := idx.operations[lease.Operation]; operation != nil {
			idx.acquired[lease.ID] = operation
		}
	}
	for i := range history.Leases {
		lease := &history.Leases[i]
		idx.leasesOf[lease.Resource] = append(idx.leasesOf[lease.Resource], lease)
	}
	idx.resources = slices.Sorted(maps.Keys(idx.leasesOf))
	for _, leases := range idx.leasesOf {
		slices.SortStableFunc(leases, func(a, b *Lease) int { return cmp.Compare(a.Validity[0].AtNS, b.Validity[0].AtNS) })
	}
	for _, resource := range idx.resources {
		for _, lease := range idx.leasesOf[resource] {
			key := tokenOf{lease.Client, resource, lease.Token}
			idx.byToken[key] = append(idx.byToken[key], lease)
		}
	}
	for i := range history.NodeEvents {
		idx.nodeTime = append(idx.nodeTime, &history.NodeEvents[i])
	}
	slices.SortStableFunc(idx.nodeTime, func(a, b *NodeEvent) int { return cmp.Compare(a.AtNS, b.AtNS) })
	for i := range history.Accesses {
		idx.accessTime = append(idx.accessTime, &history.Accesses[i])
	}
	slices.SortStableFunc(idx.accessTime, func(a, b *Access) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return idx
}

// tokenOf is how a node's log speaks of a lease that it does not name.
type tokenOf struct{ client, resource, token string }

// callOf is when the acquisition of a lease was called; where that is not
// recorded, when it returned.
func (idx *index) callOf(lease *Lease) int64 {
	if operation := idx.acquired[lease.ID]; operation != nil {
		return operation.CallNS
	}
	return lease.Validity[0].AtNS
}

// endOf is when the last belief in a lease ended.
func (idx *index) endOf(lease *Lease) int64 {
	if beliefs := idx.beliefs[lease.ID]; len(beliefs) > 0 {
		return beliefs[len(beliefs)-1].until
	}
	return lease.Validity[0].AtNS
}

// life is the stretch in which a lease exists as far as clocks matter to it:
// its validity is counted from before the first message, so it begins at the
// call of the acquisition.
func (idx *index) life(lease *Lease) interval {
	return interval{idx.callOf(lease), idx.endOf(lease)}
}
