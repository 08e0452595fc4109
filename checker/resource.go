package checker

import (
	"fmt"
	"maps"
	"slices"
)

// ResourceResult holds the results of the third oracle: what the protected
// resource accepted that it should not have. It answers for each kind of register
// apart, and for the fencing tokens.
type ResourceResult struct {
	Unfenced     Result `json:"unfenced"`
	FencedWrites Result `json:"fenced_writes"`
	Fenced       Result `json:"fenced"`
	// Tokens is about the order of fencing tokens: a lease gets a larger one than
	// every lease that was acquired before its acquisition was called (RS-4).
	Tokens    Result           `json:"tokens"`
	Registers []RegisterResult `json:"registers"`
}

// RegisterResult counts what happened at one register of one resource.
type RegisterResult struct {
	Resource string   `json:"resource"`
	Register Register `json:"register"`
	Status   Status   `json:"status"`
	Accesses int      `json:"accesses"`
	Refused  int      `json:"refused"`
	// StaleWrites and StaleReads were accepted after a later lease, or a larger
	// token, had accessed the register. A stale read by itself does no harm. It
	// violates only a register that promises to refuse it.
	StaleWrites int `json:"stale_writes"`
	StaleReads  int `json:"stale_reads"`
	// LostUpdates counts the accepted writes over a value that their lease, which
	// had read the register before, did not see.
	LostUpdates int `json:"lost_updates"`
}

func judgeResource(idx *index) ResourceResult {
	result := ResourceResult{
		Unfenced:     newResult(OracleResourceUnfenced),
		FencedWrites: newResult(OracleResourceFencedWrites),
		Fenced:       newResult(OracleResourceFenced),
		Tokens:       newResult(OracleFencingTokens),
		Registers:    []RegisterResult{},
	}
	logs := map[registerKey]*registerLog{}
	for _, access := range idx.accesses {
		key := registerKey{access.Resource, access.Register}
		log := logs[key]
		if log == nil {
			log = &registerLog{idx: idx, result: result.of(access.Register), seenBy: map[string]int{},
				counts: RegisterResult{Resource: key.resource, Register: key.register, Status: Holds}}
			logs[key] = log
		}
		log.add(access)
	}
	for _, key := range slices.SortedFunc(maps.Keys(logs), compareRegisters) {
		result.Registers = append(result.Registers, logs[key].counts)
	}
	for _, resource := range idx.resources {
		judgeTokens(idx, resource, &result.Tokens)
	}
	return result
}

// of returns the result for a kind of register.
func (result *ResourceResult) of(register Register) *Result {
	switch register {
	case RegisterFenced:
		return &result.Fenced
	case RegisterFencedWrites:
		return &result.FencedWrites
	default:
		return &result.Unfenced
	}
}

// registerLog is what happened at one register so far, in the order of arrival.
type registerLog struct {
	idx    *index
	result *Result
	counts RegisterResult
	// highest is the accepted access with the largest token, latest the accepted
	// access by the lease that was acquired last.
	highest, latest *Access
	// changes counts accepted changes of the value, and lastChange is the last one.
	// seenBy has, for each holder, the count when it last read or changed the value.
	changes    int
	lastChange *Access
	seenBy     map[string]int
}

func (log *registerLog) add(access *Access) {
	log.result.Checked++
	log.counts.Accesses++
	if !access.Accepted {
		log.counts.Refused++
		return
	}
	log.checkStale(access)
	holder := access.Holder()
	seen, hasSeen := log.seenBy[holder]
	if access.Action == ActionWrite && hasSeen && seen < log.changes {
		log.counts.LostUpdates++
		log.found(SortLostUpdate, access, log.lastChange, fmt.Sprintf("the %s of %s was overwritten by %s, which had read the value before it",
			log.lastChange.Action, log.lastChange.Holder(), holder))
	}
	if access.Action != ActionRead {
		log.changes++
		log.lastChange = access
	}
	log.seenBy[holder] = log.changes
	if access.Fence != nil && (log.highest == nil || *access.Fence > *log.highest.Fence) {
		log.highest = access
	}
	lease := log.believed(access)
	if lease != nil && (log.latest == nil || log.acquiredNS(log.latest) < lease.AcquiredNS()) {
		log.latest = access
	}
}

// believed is the lease of an access. It is nil when there is none, or when it was
// over when it was learned of: that says nothing about when it was acquired.
func (log *registerLog) believed(access *Access) *Lease {
	if len(log.idx.beliefs[access.Lease]) == 0 {
		return nil
	}
	return log.idx.leases[access.Lease]
}

// acquiredNS is when the lease of an access was acquired.
func (log *registerLog) acquiredNS(access *Access) int64 {
	return log.idx.leases[access.Lease].AcquiredNS()
}

// checkStale looks for an earlier access with a larger token, or by a later lease.
func (log *registerLog) checkStale(access *Access) {
	var newer *Access
	var text string
	switch {
	case access.Fence != nil && log.highest != nil && *log.highest.Fence > *access.Fence:
		newer = log.highest
		text = fmt.Sprintf("with token %d was accepted after token %d of %s", *access.Fence, *newer.Fence, newer.Holder())
	case log.believed(access) != nil && log.latest != nil && log.acquiredNS(log.latest) > log.acquiredNS(access):
		newer = log.latest
		text = fmt.Sprintf("was accepted after the later lease %s", newer.Holder())
	default:
		return
	}
	text = fmt.Sprintf("a %s of %s %s had accessed the register at %s", access.Action, access.Holder(), text, instant(newer.AtNS))
	if access.Action == ActionRead {
		log.counts.StaleReads++
		if access.Register != RegisterFenced {
			return
		}
	} else {
		log.counts.StaleWrites++
	}
	log.found(SortStale, access, newer, text)
}

func (log *registerLog) found(sort string, access, earlier *Access, text string) {
	log.counts.Status = Violated
	finding := Finding{
		Sort: sort, Resource: access.Resource, register: access.Register, AtNS: access.AtNS,
		Events: events(earlier.Event, access.Event), Lines: []int{earlier.Line, access.Line},
		Text: fmt.Sprintf("%s (%s) at %s: %s", access.Resource, access.Register, instant(access.AtNS), text),
	}
	for _, each := range []*Access{earlier, access} {
		finding.Leases = mention(finding.Leases, each.Lease)
		finding.Operations = mention(finding.Operations, each.Operation)
	}
	log.result.add(finding)
}
