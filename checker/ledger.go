package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ledger says of every assumption whether the history kept it. It looks at
// facts, leases, votes and accesses, never at what an oracle said. Each fact
// breaks at most one assumption.
func ledger(idx *index) []Assumption {
	book := &bookkeeper{index: idx, breaks: map[string][]Break{}, votes: votes(idx)}
	for i := range idx.Facts {
		book.fact(&idx.Facts[i])
	}
	book.tokens()
	book.work()
	book.healing()
	var result []Assumption
	for _, id := range Assumptions {
		breaks := book.breaks[id]
		slices.SortStableFunc(breaks, func(a, b Break) int {
			return cmp.Or(cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.Line, b.Line))
		})
		assumption := Assumption{ID: id, Kept: len(breaks) == 0, Found: len(breaks), Breaks: breaks[:min(len(breaks), maxBreaks)]}
		result = append(result, assumption)
	}
	return result
}

type bookkeeper struct {
	*index
	breaks map[string][]Break
	// votes are the stretches in which a node held a vote, per node, by time.
	votes map[string][]vote
}

func (book *bookkeeper) broken(id string, at int64, fact *Fact, format string, arguments ...any) {
	book.breaks[id] = append(book.breaks[id], Break{AtNS: at, Event: fact.Event, Line: fact.Line, Reason: fmt.Sprintf(format, arguments...)})
}

// fact enters what a single fact breaks, if anything.
func (book *bookkeeper) fact(fact *Fact) {
	switch fact.Fact {
	case FactClockStep:
		book.clockStep(fact)
	case FactClockRate:
		book.clockRate(fact)
	case FactSuspended:
		book.suspended(fact)
	case FactForgot, FactRevived:
		book.amnesia(fact)
	case FactOwner:
		if fact.RemainingNS > 0 {
			book.broken(AssumptionOwner, fact.AtNS, fact, "a third party%s touched %s's key %q, which had %s to live",
				named(fact.Name), fact.Node, fact.Key, span(fact.RemainingNS))
		}
	case FactFailover, FactSameServer, FactMembership:
		book.distinct(fact)
	case FactCounterLost:
		book.broken(AssumptionCounter, fact.AtNS, fact, "%s lost its counter %q", fact.Node, fact.Key)
	case FactRetryFixed:
		book.broken(AssumptionRandom, fact.AtNS, fact, "%s retries after a fixed delay", fact.Client)
	case FactUnboundedExtension:
		book.broken(AssumptionBounded, fact.AtNS, fact, "%s extends without a bound", fact.Client)
	case FactPaused, FactFault:
		// A pause breaks A-WORK only through late work, a fault A-HEAL only
		// through a goal: see work and healing.
	}
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// amnesia judges a vote that a node forgot or brought back. The cause decides
// which assumption that is, so that one event breaks one assumption.
func (book *bookkeeper) amnesia(fact *Fact) {
	if fact.RemainingNS <= 0 {
		return
	}
	verb := "forgot"
	if fact.Fact == FactRevived {
		verb = "brought back"
	}
	text := fmt.Sprintf("%s %s the vote%s for %q, which had %s to live", fact.Node, verb, named(fact.Token), fact.Key, span(fact.RemainingNS))
	switch fact.Cause {
	case CauseFailover:
		book.broken(AssumptionDistinct, fact.AtNS, fact, "%s: an asynchronous replica was promoted", text)
	case CauseClockStep:
		book.broken(AssumptionStep, fact.AtNS, fact, "%s: its restart was timed by a clock that was stepped", text)
	case CauseOwner:
		book.broken(AssumptionOwner, fact.AtNS, fact, "%s: a third party did it", text)
	case CauseCrash, CausePowerLoss, CauseRollback:
		book.broken(AssumptionVote, fact.AtNS, fact, "%s (%s)", text, strings.ReplaceAll(string(fact.Cause), "_", " "))
	}
}

// distinct judges facts about which servers the nodes are. They matter while a
// lease exists; two addresses of one server do from the first lease on.
func (book *bookkeeper) distinct(fact *Fact) {
	window := interval{fact.AtNS, fact.AtNS + 1}
	text := fmt.Sprintf("%s failed over to an asynchronous replica", fact.Node)
	switch fact.Fact {
	case FactSameServer:
		window.until = forever
		if fact.UntilNS != nil {
			window.until = *fact.UntilNS
		}
		text = strings.Join(fact.Nodes, " and ") + " are one server"
	case FactMembership:
		text = "the set of nodes became " + strings.Join(fact.Nodes, ", ")
	}
	lease, at := book.leaseDuring(window, "")
	if fact.Fact == FactFailover && lease == nil {
		if held, ok := book.voteDuring(fact.Node, window); ok {
			book.broken(AssumptionDistinct, held.from, fact, "%s while it held a vote of %s", text, held.client)
			return
		}
	}
	if lease != nil {
		book.broken(AssumptionDistinct, at, fact, "%s while %s existed", text, lease.ID)
	}
}

// leaseDuring finds the lease whose life meets the window first, and when. An
// empty client means any client's.
func (book *bookkeeper) leaseDuring(window interval, client string) (found *Lease, at int64) {
	for i := range book.Leases {
		lease := &book.Leases[i]
		life := book.life(lease)
		if client != "" && lease.Client != client || !life.overlaps(window) {
			continue
		}
		if met := max(life.from, window.from); found == nil || met < at {
			found, at = lease, met
		}
	}
	return found, at
}

// tokens enters A-TOKEN: two acquisitions, of one client or of two, that used
// the same token. A lease and its own acquisition are one attempt.
func (book *bookkeeper) tokens() {
	type use struct {
		token, attempt, client string
		at, event              int64
		line                   int
	}
	var uses []use
	for i := range book.Leases {
		lease := &book.Leases[i]
		attempt := "lease " + lease.ID
		if operation := book.acquired[lease.ID]; operation != nil {
			attempt = "op " + operation.ID
		}
		uses = append(uses, use{lease.Token, attempt, lease.Client, book.callOf(lease), lease.Validity[0].Event, lease.Line})
	}
	for i := range book.Operations {
		if operation := &book.Operations[i]; operation.Action == ActionAcquire {
			uses = append(uses, use{operation.Token, "op " + operation.ID, operation.Client, operation.CallNS, operation.Event, operation.Line})
		}
	}
	slices.SortStableFunc(uses, func(a, b use) int { return cmp.Compare(a.at, b.at) })
	first := map[string]use{}
	seen := map[[2]string]bool{}
	for _, next := range uses {
		key := [2]string{next.token, next.attempt}
		if next.token == "" || seen[key] {
			continue
		}
		seen[key] = true
		earlier, repeated := first[next.token]
		if !repeated {
			first[next.token] = next
			continue
		}
		book.breaks[AssumptionToken] = append(book.breaks[AssumptionToken], Break{
			AtNS: next.at, Event: next.event, Line: next.line,
			Reason: fmt.Sprintf("%s of %s uses the token %q that %s of %s used", next.attempt, next.client, next.token, earlier.attempt, earlier.client),
		})
	}
}
