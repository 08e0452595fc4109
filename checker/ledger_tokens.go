package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// tokenUse is one attempt to acquire a lock, with the token that it used.
type tokenUse struct {
	token, attempt, client, resource string
	lease                            *Lease // nil: the attempt failed
	life                             interval
	at, event                        int64
	line                             int
}

// repeatedTokens records a break of A-TOKEN for each attempt whose token an
// earlier attempt had used, of the same client or another.
func (l *ledgerBuilder) repeatedTokens() {
	first := map[string]tokenUse{}
	seen := map[[2]string]bool{}
	for _, use := range l.uses {
		key := [2]string{use.token, use.attempt}
		if use.token == "" || seen[key] {
			continue
		}
		seen[key] = true
		earlier, repeated := first[use.token]
		if !repeated {
			first[use.token] = use
			continue
		}
		l.breaks[AssumptionToken] = append(l.breaks[AssumptionToken], Break{
			AtNS: use.at, Event: use.event, Line: use.line, Subject: use.client, Key: use.resource,
			Reason: fmt.Sprintf("%s of %s uses the token %q that %s of %s used", use.attempt, use.client, use.token, earlier.attempt, earlier.client),
		})
	}
}

// tokenUses lists the tokens of leases and acquisitions, by the time of the call.
// A lease and its own acquisition are one attempt.
func tokenUses(idx *index) []tokenUse {
	var uses []tokenUse
	for lease := range each(idx.Leases) {
		attempt := "lease " + lease.ID
		if operation := idx.acquired[lease.ID]; operation != nil {
			attempt = "op " + operation.ID
		}
		uses = append(uses, tokenUse{
			token: lease.Token, attempt: attempt, client: lease.Client, resource: lease.Resource, lease: lease,
			life: idx.life(lease), at: idx.callOf(lease), event: lease.Validity[0].Event, line: lease.Line,
		})
	}
	for operation := range each(idx.Operations) {
		if operation.Action == ActionAcquire {
			life := interval{operation.CallNS, min(orForever(operation.ReturnNS), forever-1) + 1}
			uses = append(uses, tokenUse{
				token: operation.Token, attempt: "op " + operation.ID, client: operation.Client,
				resource: operation.Resource, lease: idx.leases[operation.Lease],
				life: life, at: operation.CallNS, event: operation.Event, line: operation.Line,
			})
		}
	}
	slices.SortStableFunc(uses, func(a, b tokenUse) int { return cmp.Compare(a.at, b.at) })
	return uses
}

// life is the time in which a lease is live: while it exists, and until its last
// call has returned.
func (idx *index) life(lease *Lease) interval {
	life := idx.existence(lease)
	life.until = max(life.until, idx.lastReturn[lease.ID]) + 1 // what happens at that instant counts
	return life
}

// largestToken is the largest fencing token that came to a fenced register of a resource
// before an instant; 0: none.
func (l *ledgerBuilder) largestToken(resource string, before int64) int64 {
	var largest int64
	for _, access := range l.accesses {
		compared := access.Register != RegisterUnfenced && access.Accepted && access.Fence != nil
		if compared && access.Resource == resource && access.AtNS <= before {
			largest = max(largest, *access.Fence)
		}
	}
	return largest
}
