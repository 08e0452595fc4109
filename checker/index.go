package checker

import (
	"cmp"
	"maps"
	"slices"
)

// index is a history with what the ledger and the oracles look up in it. It is
// built once, and only for histories without problems.
type index struct {
	*History
	clients    map[string]*Client
	operations map[string]*Operation
	leases     map[string]*Lease
	// beliefs and acquired are keyed by lease. A lease whose acquisition is not
	// recorded is missing in acquired.
	beliefs  map[string][]interval
	acquired map[string]*Operation
	// lastReturn is when the last call on a lease returned.
	lastReturn map[string]int64
	// resources lists every resource with a lease, sorted. leasesOf lists its
	// leases by the return of their acquisition, lockOperations its operations
	// that name a lease.
	resources      []string
	leasesOf       map[string][]*Lease
	lockOperations map[string][]*Operation
	// byToken lists the leases of one client and resource with one token.
	byToken map[tokenKey][]*Lease
	// nodeEvents, accesses and facts hold the records in the order of time.
	nodeEvents []*NodeEvent
	accesses   []*Access
	facts      []*Fact
	// lives holds the lives of the keys on each node, and before, for each of nodeEvents, the
	// life that the key had until then, or nil. logged names the resources of which any node
	// logged a set.
	lives  map[string][]*keyLife
	before []*keyLife
	logged map[string]bool
	votes  map[string]*leaseVotes // by lease; see votesFor
}

// tokenKey identifies leases by what a node's log says of them when it does not
// name them.
type tokenKey struct{ client, resource, token string }

func newIndex(history *History) *index {
	idx := &index{
		History:    history,
		clients:    make(map[string]*Client),
		operations: make(map[string]*Operation, len(history.Operations)),
		leases:     make(map[string]*Lease, len(history.Leases)),
		beliefs:    make(map[string][]interval, len(history.Leases)),
		acquired:   make(map[string]*Operation, len(history.Leases)),
		leasesOf:   make(map[string][]*Lease),
		byToken:    make(map[tokenKey][]*Lease),
		lives:      make(map[string][]*keyLife),
		logged:     make(map[string]bool),

		lastReturn:     make(map[string]int64, len(history.Leases)),
		lockOperations: make(map[string][]*Operation),
	}
	for client := range each(history.Header.Clients) {
		idx.clients[client.Name] = client
	}
	idx.addOperations()
	idx.addLeases()
	idx.nodeEvents = byTime(history.NodeEvents, func(event *NodeEvent) int64 { return event.AtNS })
	idx.accesses = byTime(history.Accesses, func(access *Access) int64 { return access.AtNS })
	idx.facts = byTime(history.Facts, func(fact *Fact) int64 { return fact.AtNS })
	idx.readLives()
	return idx
}

func (idx *index) addOperations() {
	for operation := range each(idx.Operations) {
		idx.operations[operation.ID] = operation
		if operation.Lease == "" {
			continue
		}
		if operation.ReturnNS != nil {
			idx.lastReturn[operation.Lease] = max(idx.lastReturn[operation.Lease], *operation.ReturnNS)
		}
		if operation.Action == ActionAcquire {
			idx.acquired[operation.Lease] = operation
		}
		if !operation.Action.OnResource() {
			idx.lockOperations[operation.Resource] = append(idx.lockOperations[operation.Resource], operation)
		}
	}
}

func (idx *index) addLeases() {
	for lease := range each(idx.Leases) {
		idx.leases[lease.ID] = lease
		idx.beliefs[lease.ID] = beliefsOf(lease)
		if operation := idx.operations[lease.Operation]; operation != nil {
			idx.acquired[lease.ID] = operation
		}
	}
	for _, lease := range byTime(idx.Leases, (*Lease).AcquiredNS) {
		idx.leasesOf[lease.Resource] = append(idx.leasesOf[lease.Resource], lease)
		key := tokenKey{lease.Client, lease.Resource, lease.Token}
		idx.byToken[key] = append(idx.byToken[key], lease)
	}
	idx.resources = slices.Sorted(maps.Keys(idx.leasesOf))
}

// byTime returns pointers to records, in the order of their times.
func byTime[T any](records []T, at func(*T) int64) []*T {
	return slices.SortedStableFunc(each(records), func(a, b *T) int { return cmp.Compare(at(a), at(b)) })
}

// callOf is when the acquisition of a lease was called. If that is not recorded,
// it is when the acquisition returned.
func (idx *index) callOf(lease *Lease) int64 {
	if operation := idx.acquired[lease.ID]; operation != nil {
		return operation.CallNS
	}
	return lease.AcquiredNS()
}

// endOf is when the last belief in a lease ended.
func (idx *index) endOf(lease *Lease) int64 {
	if beliefs := idx.beliefs[lease.ID]; len(beliefs) > 0 {
		return beliefs[len(beliefs)-1].until
	}
	return lease.AcquiredNS()
}

// existence is the interval in which a lease exists. Validity is measured from
// before the first message, so it begins at the call of the acquisition.
func (idx *index) existence(lease *Lease) interval {
	return interval{idx.callOf(lease), idx.endOf(lease)}
}
