package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// newLedger finds every break of an assumption in a history. It reads facts,
// leases, votes and accesses, never what an oracle found. Each fact breaks at
// most one assumption.
func newLedger(idx *index) *ledgerBuilder {
	builder := &ledgerBuilder{index: idx, breaks: map[string][]Break{}, uses: tokenUses(idx)}
	for fact := range each(idx.Facts) {
		builder.fact(fact)
	}
	builder.differingWalls()
	builder.repeatedTokens()
	builder.lateWork()
	builder.unmetGoals()
	return builder
}

// assumptions says of every assumption whether the history kept it, with its first breaks.
func (l *ledgerBuilder) assumptions(most int) []Assumption {
	var result []Assumption
	for _, id := range assumptions {
		breaks := l.breaks[id]
		slices.SortStableFunc(breaks, func(a, b Break) int {
			return cmp.Or(cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.Line, b.Line))
		})
		result = append(result, Assumption{
			ID: id, Kept: len(breaks) == 0, Found: len(breaks), Breaks: breaks[:min(len(breaks), most)],
		})
	}
	return result
}

type ledgerBuilder struct {
	*index
	breaks map[string][]Break
	uses   []tokenUse
}

func (l *ledgerBuilder) broken(id string, at int64, fact *Fact, format string, arguments ...any) {
	entry := Break{
		AtNS: at, Event: fact.Event, Line: fact.Line, Reason: fmt.Sprintf(format, arguments...),
		Subject: cmp.Or(fact.Who+fact.Node+fact.Client, strings.Join(fact.Nodes, " ")), Key: fact.Key,
		UntilNS: fact.UntilNS, SizeNS: fact.DeltaNS + fact.RemainingNS, ErrorPPM: fact.ErrorPPM, fact: fact,
	}
	l.breaks[id] = append(l.breaks[id], entry)
}

// fact records what a single fact breaks, if anything.
func (l *ledgerBuilder) fact(fact *Fact) {
	switch fact.Fact {
	case FactClockStep:
		l.clockStep(fact)
	case FactClockRate:
		l.clockRate(fact)
	case FactSuspended:
		l.suspended(fact)
	case FactForgot, FactRevived:
		l.forgottenVote(fact)
	case FactOwner:
		if fact.RemainingNS > 0 {
			l.broken(AssumptionOwner, fact.AtNS, fact, "a third party%s touched %s's key %q, which had %s to live",
				inBrackets(fact.Name), fact.Node, fact.Key, span(fact.RemainingNS))
		}
	case FactFailover, FactSameServer, FactMembership:
		l.changedNodes(fact)
	case FactCounterLost:
		l.broken(AssumptionCounter, fact.AtNS, fact, "%s lost its counter %q", fact.Node, fact.Key)
	case FactMarkLost:
		if seen := l.largestToken(fact.Key, fact.AtNS); seen > 0 {
			l.broken(AssumptionCounter, fact.AtNS, fact, "the resource %q forgot that it had seen token %d", fact.Key, seen)
		}
	case FactRetryFixed:
		l.broken(AssumptionRandom, fact.AtNS, fact, "%s retries after a fixed delay", fact.Client)
	case FactUnboundedExtension:
		l.broken(AssumptionBounded, fact.AtNS, fact, "%s extends without a bound", fact.Client)
	case FactPaused, FactFault, FactSlowLink, FactLost, FactFewTries, FactWallDiffers:
		// A pause breaks A-WORK through late work, a fault, a slow link or a loss breaks A-HEAL and too
		// few tries A-TRIES through an unmet goal, and a difference of wall clocks breaks A-WALL unless what made
		// it broke A-STEP or A-RATE: see lateWork, unmetGoals and differingWalls.
	}
}

// forgottenVote records a vote that a node forgot or brought back. The cause
// decides which assumption that breaks.
func (l *ledgerBuilder) forgottenVote(fact *Fact) {
	if fact.RemainingNS <= 0 {
		return
	}
	verb := "forgot"
	if fact.Fact == FactRevived {
		verb = "brought back"
	}
	text := fmt.Sprintf("%s %s the vote%s for %q, which had %s to live", fact.Node, verb, inBrackets(fact.Token), fact.Key, span(fact.RemainingNS))
	switch fact.Cause {
	case CauseFailover:
		l.broken(AssumptionDistinct, fact.AtNS, fact, "%s: an asynchronous replica was promoted", text)
	case CauseClockStep:
		l.broken(AssumptionStep, fact.AtNS, fact, "%s: its restart was timed by a clock that was stepped", text)
	case CauseOwner:
		l.broken(AssumptionOwner, fact.AtNS, fact, "%s: a third party did it", text)
	case CauseCrash, CausePowerLoss, CauseRollback:
		l.broken(AssumptionVote, fact.AtNS, fact, "%s (%s)", text, strings.ReplaceAll(string(fact.Cause), "_", " "))
	}
}

// changedNodes records facts about which servers the nodes are. They break
// A-DISTINCT while a lease exists, or the node holds a vote.
func (l *ledgerBuilder) changedNodes(fact *Fact) {
	window := interval{fact.AtNS, fact.AtNS + 1}
	text := fmt.Sprintf("%s failed over to an asynchronous replica", fact.Node)
	switch fact.Fact {
	case FactSameServer:
		window = lasting(fact)
		text = strings.Join(fact.Nodes, " and ") + " are one server"
	case FactMembership:
		text = "the set of nodes became " + strings.Join(fact.Nodes, ", ")
	}
	lease, at := l.leaseDuring(window, "")
	if lease != nil {
		l.broken(AssumptionDistinct, at, fact, "%s while %s existed", text, lease.ID)
		return
	}
	for _, node := range append([]string{fact.Node}, fact.Nodes...) {
		votes := fact.Fact != FactMembership || node == fact.Node // the others are the nodes now
		if client, at, ok := l.voteDuring(node, window); votes && ok {
			l.broken(AssumptionDistinct, at, fact, "%s while %s held a vote of %s", text, node, client)
			return
		}
	}
}

// leaseDuring finds the lease that exists first in a window, and from when on it
// exists there. An empty client means any client's.
func (l *ledgerBuilder) leaseDuring(window interval, client string) (found *Lease, at int64) {
	for lease := range each(l.Leases) {
		existence := l.existence(lease)
		if client != "" && lease.Client != client || !existence.overlaps(window) {
			continue
		}
		if from := max(existence.from, window.from); found == nil || from < at {
			found, at = lease, from
		}
	}
	return found, at
}
