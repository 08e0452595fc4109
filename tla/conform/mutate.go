package conform

import (
	"slices"
	"time"

	"redlocklab/tla"
)

// Mutation changes one thing in a trace so that no correct lock could have left it.
type Mutation struct {
	Name   string
	Change string // in plain words
	apply  func(events []tla.Event, p tla.TraceParameters) changed
}

// changed is a trace in which something is impossible: the events before first
// are as they were, and the one at latest cannot be explained, if none before it.
// Without events, the mutation does not fit the trace.
type changed struct {
	events        []tla.Event
	first, latest int
}

// Mutations are the changes that must be rejected, each in the traces that have
// what it changes.
var Mutations = []Mutation{
	{"vote without SET", "a SET whose vote was counted never executed", voteWithoutSet},
	{"early second holder", "another client is granted the lock while the first one holds", earlySecondHolder},
	{"lost crash", "a node forgets a key, and the trace has no crash", lostCrash},
	{"wrong owner", "a release that found another token, or none, claims to have removed the key", wrongOwner},
	{"extension after lapse", "the deciding reply of an extension comes a TTL later", extensionAfterLapse},
	{"overstated validity", "a lease claims the allowance as validity", overstatedValidity},
	{"early expiry", "a key goes as soon as it is set", earlyExpiry},
	{"missing vote", "one vote of a granted attempt, of as few as suffice, was never read", missingVote},
	{"refusal counted", "a SET that found another token claims to have found its own", answered(tla.EventSet, tla.AnswerHeld, tla.AnswerOwn)},
	{"overwritten key", "a SET that found a key claims to have won", answered(tla.EventSet, tla.AnswerHeld, tla.AnswerWon)},
	{"lost deletion", "a release that removed its key claims to have found none", answered(tla.EventDelete, tla.AnswerRemoved, tla.AnswerKept)},
	{"foreign extension", "an extension that found no key of its own claims to have extended it", answered(tla.EventExtend, tla.AnswerKept, tla.AnswerExtended)},
	{"lost extension", "an extension of a key that was there claims to have found none", answered(tla.EventExtend, tla.AnswerExtended, tla.AnswerKept)},
	{"overstated extension", "an extended lease claims the allowance as validity", overstated(tla.EventExtended)},
	{"extension without answer", "an extension that is counted was never executed", extensionWithoutAnswer},
	{"second grant", "an attempt that was given up is granted", inserted(tla.EventGivenUp, tla.EventGranted)},
	{"extension after release", "a lease that was released is extended", inserted(tla.EventReleased, tla.EventExtended)},
	{"SET sent after release", "package redlock sends a SET when its lease was released", sentAfter(tla.EventReleased, tla.EventSetSent)},
	{"SET sent after giving up", "package redlock sends a SET when its attempt was given up", sentAfter(tla.EventGivenUp, tla.EventSetSent)},
	{"renewal sent after release", "package redlock sends an extension when its lease was released", sentAfter(tla.EventReleased, tla.EventExtendSent)},
	{"renewal of an older token", "an extension is sent with the token of another attempt", olderToken},
	{"release sent while holding", "a release leaves a client that holds", sentAfter(tla.EventGranted, tla.EventDeleteSent)},
	{"release that never left", "a key expires that its client was not asked to remove", releaseThatNeverLeft},
	{"fence without write-back", "a lease is granted and no counter has its fencing token", fenceWithoutWriteBack},
	{"fence that falls", "a write-back lowers a counter", fenceThatFalls},
}

// index finds the first event from i on.
func index(events []tla.Event, i int, match func(*tla.Event) bool) int {
	for ; i < len(events); i++ {
		if match(&events[i]) {
			return i
		}
	}
	return -1
}

func ofKind(kind tla.EventKind, answers ...tla.Answer) func(*tla.Event) bool {
	return func(e *tla.Event) bool {
		return e.Kind == kind && (len(answers) == 0 || slices.Contains(answers, e.Answer))
	}
}

// edited changes the event at i, if there is one, so that it is impossible.
func edited(events []tla.Event, i int, edit func(*tla.Event)) changed {
	if i < 0 {
		return changed{}
	}
	events = slices.Clone(events)
	edit(&events[i])
	return changed{events, i, i}
}

func voteWithoutSet(events []tla.Event, _ tla.TraceParameters) changed {
	vote := index(events, 0, ofKind(tla.EventVoteRead))
	if vote < 0 {
		return changed{}
	}
	set := -1 // the last SET before the vote
	for i, e := range events[:vote] {
		if e.Kind == tla.EventSet && e.Client == events[vote].Client && e.Node == events[vote].Node && e.Answer != tla.AnswerHeld {
			if set >= 0 && events[set].Attempt == e.Attempt {
				return changed{} // two SETs of one attempt: the other one is enough
			}
			set = i
		}
	}
	if set < 0 {
		return changed{}
	}
	return changed{slices.Delete(slices.Clone(events), set, set+1), set, vote - 1}
}

func earlySecondHolder(events []tla.Event, p tla.TraceParameters) changed {
	resting := map[string]bool{}
	for _, c := range p.Clients {
		resting[c] = true
	}
	for i, e := range events {
		switch e.Kind {
		case tla.EventStart:
			resting[e.Client] = false
		case tla.EventGivenUp, tla.EventReleased:
			resting[e.Client] = true
		case tla.EventGranted:
			for _, other := range p.Clients {
				if !resting[other] {
					continue
				}
				second := []tla.Event{{At: e.At, Kind: tla.EventStart, Client: other, Attempt: len(events)}}
				for _, n := range p.Nodes {
					second = append(second,
						tla.Event{At: e.At, Kind: tla.EventSet, Client: other, Node: n, Attempt: len(events), Answer: tla.AnswerWon},
						tla.Event{At: e.At, Kind: tla.EventVoteRead, Client: other, Node: n})
				}
				second = append(second, tla.Event{At: e.At, Kind: tla.EventGranted, Client: other})
				return changed{slices.Insert(slices.Clone(events), i+1, second...), i + 1, i + len(second)}
			}
		}
	}
	return changed{}
}

// lostCrash leaves a crash out whose node then grants the key again: too early
// for the key to have run out.
func lostCrash(events []tla.Event, p tla.TraceParameters) changed {
	crash := index(events, 0, ofKind(tla.EventCrash, tla.AnswerForgot))
	if crash < 0 {
		return changed{}
	}
	node := events[crash].Node
	var since time.Duration
	for _, e := range events[:crash] {
		if e.Node == node && slices.Contains([]tla.Answer{tla.AnswerWon, tla.AnswerExtended, tla.AnswerToppedUp}, e.Answer) {
			since = e.At
		}
	}
	again := index(events, crash+1, func(e *tla.Event) bool {
		return e.Node == node && (ofKind(tla.EventSet, tla.AnswerWon)(e) || ofKind(tla.EventSet, tla.AnswerHeld)(e) || ofKind(tla.EventCrash)(e))
	})
	if again < 0 || events[again].Answer != tla.AnswerWon || events[again].At >= since+p.TTL-p.ClockError-time.Millisecond {
		return changed{}
	}
	return changed{slices.Delete(slices.Clone(events), crash, crash+1), crash, again - 1}
}

func wrongOwner(events []tla.Event, _ tla.TraceParameters) changed {
	return edited(events, index(events, 0, ofKind(tla.EventDelete, tla.AnswerKept)), func(e *tla.Event) { e.Answer = tla.AnswerRemoved })
}

func extensionAfterLapse(events []tla.Event, p tla.TraceParameters) changed {
	c := edited(events, index(events, 0, ofKind(tla.EventExtended)), func(*tla.Event) {})
	for i := c.first; i < len(c.events); i++ {
		c.events[i].At += p.TTL
	}
	return c
}

func overstatedValidity(events []tla.Event, p tla.TraceParameters) changed {
	return overstated(tla.EventGranted)(events, p)
}

func earlyExpiry(events []tla.Event, _ tla.TraceParameters) changed {
	i := index(events, 0, ofKind(tla.EventSet, tla.AnswerWon))
	if i < 0 {
		return changed{}
	}
	expiry := tla.Event{At: events[i].At, Kind: tla.EventExpire, Node: events[i].Node}
	return changed{slices.Insert(slices.Clone(events), i+1, expiry), i + 1, i + 1}
}

// mutate is how a mutation changes a trace.
type mutate = func([]tla.Event, tla.TraceParameters) changed

// overstated adds the allowance to what the first event of a kind claims to have left.
func overstated(kind tla.EventKind) mutate {
	return func(events []tla.Event, p tla.TraceParameters) changed {
		if 2*p.ClockError+time.Millisecond >= p.Allowance {
			return changed{} // the clocks err by more than what is claimed
		}
		i := index(events, 0, func(e *tla.Event) bool { return e.Kind == kind && e.Left > 0 })
		return edited(events, i, func(e *tla.Event) { e.Left += p.Allowance })
	}
}

// answered gives the first event of a kind that has one answer another one.
func answered(kind tla.EventKind, from, to tla.Answer) mutate {
	return func(events []tla.Event, _ tla.TraceParameters) changed {
		return edited(events, index(events, 0, ofKind(kind, from)), func(e *tla.Event) { e.Answer = to })
	}
}

// inserted adds an event of another kind right behind the first one of a kind.
func inserted(behind, kind tla.EventKind) mutate {
	return func(events []tla.Event, _ tla.TraceParameters) changed {
		i := index(events, 0, ofKind(behind))
		if i < 0 {
			return changed{}
		}
		e := tla.Event{At: events[i].At, Kind: kind, Client: events[i].Client}
		return changed{slices.Insert(slices.Clone(events), i+1, e), i + 1, i + 1}
	}
}

// sentAfter lets a command of the same attempt leave right behind an event of a client.
func sentAfter(behind, kind tla.EventKind) mutate {
	return func(events []tla.Event, p tla.TraceParameters) changed {
		i := index(events, 0, ofKind(behind))
		if i < 0 || !p.Strict {
			return changed{}
		}
		c := inserted(behind, kind)(events, p)
		c.events[i+1].Node, c.events[i+1].Attempt = p.Nodes[0], attemptOf(events[:i], events[i].Client)
		return c
	}
}

// attemptOf is the number of a client's last attempt.
func attemptOf(events []tla.Event, client string) int {
	attempt := 0
	for _, e := range events {
		if e.Kind == tla.EventStart && e.Client == client {
			attempt = e.Attempt
		}
	}
	return attempt
}

// missingVote leaves out one vote of the first grant that as few as suffice decided.
func missingVote(events []tla.Event, p tla.TraceParameters) changed {
	granted := index(events, 0, ofKind(tla.EventGranted))
	votes, last := 0, -1
	for i := range max(granted, 0) {
		if e := events[i]; e.Client == events[granted].Client && e.Kind == tla.EventStart {
			votes = 0
		} else if e.Client == events[granted].Client && e.Kind == tla.EventVoteRead {
			votes, last = votes+1, i
		}
	}
	if granted < 0 || votes != len(p.Nodes)/2+1 {
		return changed{}
	}
	return changed{slices.Delete(slices.Clone(events), last, last+1), last, granted - 1}
}

func extensionWithoutAnswer(events []tla.Event, _ tla.TraceParameters) changed {
	read := index(events, 0, ofKind(tla.EventExtensionRead))
	for i := read - 1; i >= 0; i-- {
		if e := events[i]; e.Kind == tla.EventExtend && e.Client == events[read].Client && e.Node == events[read].Node && e.Answer == tla.AnswerExtended {
			return changed{slices.Delete(slices.Clone(events), i, i+1), i, read - 1}
		}
	}
	return changed{}
}

// olderToken names an attempt that never was in the first extension that is sent.
func olderToken(events []tla.Event, _ tla.TraceParameters) changed {
	return edited(events, index(events, 0, ofKind(tla.EventExtendSent)), func(e *tla.Event) { e.Attempt += len(events) })
}

// releaseThatNeverLeft lets a node lose nothing but every release of one key, which
// then expires.
func releaseThatNeverLeft(events []tla.Event, p tla.TraceParameters) changed {
	removed := index(events, 0, ofKind(tla.EventDelete, tla.AnswerRemoved))
	if removed < 0 || p.ClockError > p.TTL/100 {
		return changed{}
	}
	node, client, attempt := events[removed].Node, events[removed].Client, events[removed].Attempt
	var since time.Duration
	var kept []tla.Event
	for i, e := range events[:removed] {
		ofKey := e.Node == node && e.Client == client && e.Attempt == attempt
		if ofKey && (e.Answer == tla.AnswerWon || e.Answer == tla.AnswerExtended || e.Answer == tla.AnswerToppedUp) {
			since = events[i].At
		}
		if !ofKey || e.Kind != tla.EventDeleteSent {
			kept = append(kept, e)
		}
	}
	kept = append(kept, tla.Event{At: since + p.TTL, Kind: tla.EventExpire, Node: node})
	return changed{kept, len(kept) - 1, len(kept) - 1}
}

// fenceWithoutWriteBack leaves every write-back before the first grant out.
func fenceWithoutWriteBack(events []tla.Event, p tla.TraceParameters) changed {
	granted := index(events, 0, ofKind(tla.EventGranted))
	if granted < 0 || !p.Fenced {
		return changed{}
	}
	kept := slices.DeleteFunc(slices.Clone(events[:granted]), func(e tla.Event) bool { return e.Kind == tla.EventFence })
	return changed{append(kept, events[granted]), len(kept), len(kept)}
}

// fenceThatFalls repeats the first write-back that raised a counter.
func fenceThatFalls(events []tla.Event, _ tla.TraceParameters) changed {
	i := index(events, 0, ofKind(tla.EventFence, tla.AnswerRaised))
	if i < 0 {
		return changed{}
	}
	return changed{slices.Insert(slices.Clone(events), i+1, events[i]), i + 1, i + 1}
}
