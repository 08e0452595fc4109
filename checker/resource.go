package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// ResourceResult is the answer of the third oracle: what the protected resource
// let through. Registers beside each other are judged apart.
type ResourceResult struct {
	Result
	Registers []RegisterResult `json:"registers"`
	// TokensBackwards counts leases whose fencing token is not larger than that
	// of a lease acquired before them (RS-4).
	TokensBackwards int `json:"tokens_backwards"`
}

// RegisterResult is the answer for one register of one resource.
type RegisterResult struct {
	Resource string   `json:"resource"`
	Register Register `json:"register"`
	Status   Status   `json:"status"`
	Accesses int      `json:"accesses"`
	Refused  int      `json:"refused"`
	// StaleWrites and StaleReads were accepted after a later lease, or a larger
	// token, had touched the register. A stale read harms nobody by itself: it
	// violates only a register that promises to refuse it.
	StaleWrites int `json:"stale_writes"`
	StaleReads  int `json:"stale_reads"`
	// LostUpdates are accepted writes over a value that their lease never saw.
	LostUpdates int `json:"lost_updates"`
}

// The sorts of findings at the resource.
const (
	sortStale           = "stale_access"
	sortLostUpdate      = "lost_update"
	sortTokensBackwards = "tokens_backwards"
)

func judgeResource(idx *index) ResourceResult {
	result := ResourceResult{Result: Result{Status: Holds}, Registers: []RegisterResult{}}
	type place struct {
		resource string
		register Register
	}
	watches := map[place]*watch{}
	var places []place
	for _, access := range idx.accessTime {
		at := place{access.Resource, access.Register}
		if watches[at] == nil {
			watches[at] = &watch{idx: idx, out: &result.Result, known: map[string]int{},
				answer: RegisterResult{Resource: at.resource, Register: at.register, Status: Holds}}
			places = append(places, at)
		}
		watches[at].see(access)
		result.Checked++
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.register, b.register))
	})
	for _, at := range places {
		result.Registers = append(result.Registers, watches[at].answer)
	}
	for _, resource := range idx.resources {
		result.judgeTokens(idx, resource)
	}
	return result
}

// watch follows one register through its accepted accesses, in the order of
// their arrival.
type watch struct {
	idx    *index
	out    *Result
	answer RegisterResult
	// highest is the access with the largest token, latest that of the lease
	// acquired last.
	highest, latest *Access
	// writes counts changes; lastWriter is who made the last one. known is, per
	// holder, the count when it last saw or set the value.
	writes     int
	lastWriter *Access
	known      map[string]int
}

func (w *watch) see(access *Access) {
	w.answer.Accesses++
	if !access.Accepted {
		w.answer.Refused++
		return
	}
	w.stale(access)
	holder := access.holder()
	seen, hasSeen := w.known[holder]
	if access.Action == ActionWrite && hasSeen && seen < w.writes {
		w.answer.LostUpdates++
		w.found(sortLostUpdate, access, w.lastWriter, fmt.Sprintf("the %s of %s was overwritten by %s, which had read the value before it",
			w.lastWriter.Action, w.lastWriter.holder(), holder))
	}
	if access.Action != ActionRead {
		w.writes++
		w.lastWriter = access
	}
	w.known[holder] = w.writes
	if access.Fence != nil && (w.highest == nil || *access.Fence > *w.highest.Fence) {
		w.highest = access
	}
	if lease := w.idx.leases[access.Lease]; lease != nil && (w.latest == nil || w.acquiredAfter(lease, w.latest)) {
		w.latest = access
	}
}

// holder names whose access it is: its lease's, or without one the client's.
func (access *Access) holder() string {
	if access.Lease != "" {
		return access.Lease
	}
	return access.Client
}

func (w *watch) acquiredAfter(lease *Lease, other *Access) bool {
	return lease.Validity[0].AtNS > w.idx.leases[other.Lease].Validity[0].AtNS
}

// stale judges an accepted access against those that came before it.
func (w *watch) stale(access *Access) {
	var newer *Access
	var text string
	lease := w.idx.leases[access.Lease]
	switch {
	case access.Fence != nil && w.highest != nil && *w.highest.Fence > *access.Fence:
		newer = w.highest
		text = fmt.Sprintf("with token %d was accepted after token %d of %s", *access.Fence, *newer.Fence, newer.holder())
	case lease != nil && w.latest != nil && w.idx.leases[w.latest.Lease].Validity[0].AtNS > lease.Validity[0].AtNS:
		newer = w.latest
		text = fmt.Sprintf("was accepted after the later lease %s", newer.holder())
	default:
		return
	}
	text = fmt.Sprintf("a %s of %s %s had touched the register at %s", access.Action, access.holder(), text, instant(newer.AtNS))
	if access.Action == ActionRead {
		w.answer.StaleReads++
		if access.Register != RegisterFenced {
			return
		}
	} else {
		w.answer.StaleWrites++
	}
	w.found(sortStale, access, newer, text)
}

func (w *watch) found(sort string, access, earlier *Access, text string) {
	w.answer.Status = Violated
	finding := Finding{
		Sort: sort, Resource: access.Resource, AtNS: access.AtNS,
		Events: events(earlier.Event, access.Event), Lines: []int{earlier.Line, access.Line},
		Text: fmt.Sprintf("%s (%s) at %s: %s", access.Resource, access.Register, instant(access.AtNS), text),
	}
	for _, each := range []*Access{earlier, access} {
		if each.Lease != "" && !slices.Contains(finding.Leases, each.Lease) {
			finding.Leases = append(finding.Leases, each.Lease)
		}
		if each.Operation != "" && !slices.Contains(finding.Operations, each.Operation) {
			finding.Operations = append(finding.Operations, each.Operation)
		}
	}
	w.out.add(finding)
}

// judgeTokens: of two leases of a resource, the one whose acquisition was
// called after the other's had returned must have the larger fencing token.
func (result *ResourceResult) judgeTokens(idx *index, resource string) {
	var byReturn []*Lease
	for _, lease := range idx.leasesOf[resource] {
		if lease.Fence != nil {
			byReturn = append(byReturn, lease)
		}
	}
	byCall := slices.Clone(byReturn)
	slices.SortStableFunc(byCall, func(a, b *Lease) int { return cmp.Compare(idx.callOf(a), idx.callOf(b)) })
	var largest *Lease
	returned := 0
	for _, lease := range byCall {
		for returned < len(byReturn) && byReturn[returned].Validity[0].AtNS < idx.callOf(lease) {
			if largest == nil || *byReturn[returned].Fence > *largest.Fence {
				largest = byReturn[returned]
			}
			returned++
		}
		result.Checked++
		if largest == nil || *lease.Fence > *largest.Fence {
			continue
		}
		result.TokensBackwards++
		result.add(Finding{
			Sort: sortTokensBackwards, Resource: resource, AtNS: lease.Validity[0].AtNS, Leases: []string{largest.ID, lease.ID},
			Events: events(largest.Validity[0].Event, lease.Validity[0].Event), Lines: []int{largest.Line, lease.Line},
			Text: fmt.Sprintf("%s got token %d after %s had got token %d", lease.ID, *lease.Fence, largest.ID, *largest.Fence),
		})
	}
}
