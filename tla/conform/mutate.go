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
	apply  mutate
}

// mutate is how a mutation changes a trace.
type mutate = func(events []tla.Event, p tla.TraceParameters) changed

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
	{"wrong owner", "a release that found another token, or none, claims to have removed the key", answered(tla.EventDelete, tla.AnswerKept, tla.AnswerRemoved)},
	{"extension after lapse", "the deciding reply of an extension comes a TTL later", extensionAfterLapse},
	{"overstated validity", "a lease claims the allowance as validity", overstated(tla.EventGranted)},
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

// without removes the event at i, if there is one. The event that was at until is then
// impossible.
func without(events []tla.Event, i, until int) changed {
	if i < 0 {
		return changed{}
	}
	return changed{slices.Delete(slices.Clone(events), i, i+1), i, until - 1}
}

// with adds events right behind the one at i, if there is one. The last of them is impossible.
func with(events []tla.Event, i int, added ...tla.Event) changed {
	if i < 0 {
		return changed{}
	}
	return changed{slices.Insert(slices.Clone(events), i+1, added...), i + 1, i + len(added)}
}

// answers reports whether an event is the execution of a command whose answer another event
// of the same client reads from the same node.
func answers(e, read tla.Event, kind tla.EventKind) bool {
	return e.Kind == kind && e.Client == read.Client && e.Node == read.Node
}

// renews reports whether an answer means that the key has its whole time to live again.
func renews(answer tla.Answer) bool {
	return answer == tla.AnswerWon || answer == tla.AnswerExtended || answer == tla.AnswerToppedUp
}

func voteWithoutSet(events []tla.Event, _ tla.TraceParameters) changed {
	vote := index(events, 0, ofKind(tla.EventVoteRead))
	set := -1 // the last SET before the vote
	for i, e := range events[:max(vote, 0)] {
		if answers(e, events[vote], tla.EventSet) && e.Answer != tla.AnswerHeld {
			if set >= 0 && events[set].Attempt == e.Attempt {
				return changed{} // two SETs of one attempt: the other one is enough
			}
			set = i
		}
	}
	return without(events, set, vote)
}

func earlySecondHolder(events []tla.Event, p tla.TraceParameters) changed {
	busy := map[string]bool{}
	for i, e := range events {
		busy[e.Client] = e.Kind == tla.EventStart ||
			busy[e.Client] && e.Kind != tla.EventGivenUp && e.Kind != tla.EventReleased
		other := slices.IndexFunc(p.Clients, func(c string) bool { return !busy[c] })
		if e.Kind != tla.EventGranted || other < 0 {
			continue
		}
		start := tla.Event{At: e.At, Kind: tla.EventStart, Client: p.Clients[other], Attempt: len(events)}
		second := []tla.Event{start}
		for _, n := range p.Nodes {
			set, vote := start, tla.Event{At: e.At, Kind: tla.EventVoteRead, Client: start.Client, Node: n}
			set.Kind, set.Node, set.Answer = tla.EventSet, n, tla.AnswerWon
			second = append(second, set, vote)
		}
		return with(events, i, append(second, tla.Event{At: e.At, Kind: tla.EventGranted, Client: start.Client})...)
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
		if e.Node == node && renews(e.Answer) {
			since = e.At
		}
	}
	isSet, isCrash := ofKind(tla.EventSet, tla.AnswerWon, tla.AnswerHeld), ofKind(tla.EventCrash)
	again := index(events, crash+1, func(e *tla.Event) bool { return e.Node == node && (isSet(e) || isCrash(e)) })
	expires := since + p.TTL - p.ClockError - time.Millisecond
	if again < 0 || events[again].Answer != tla.AnswerWon || events[again].At >= expires {
		return changed{}
	}
	return without(events, crash, again)
}

func extensionAfterLapse(events []tla.Event, p tla.TraceParameters) changed {
	c := edited(events, index(events, 0, ofKind(tla.EventExtended)), func(*tla.Event) {})
	for i := c.first; i < len(c.events); i++ {
		c.events[i].At += p.TTL
	}
	return c
}

func earlyExpiry(events []tla.Event, _ tla.TraceParameters) changed {
	return repeated(events, ofKind(tla.EventSet, tla.AnswerWon), func(e tla.Event) tla.Event {
		return tla.Event{At: e.At, Kind: tla.EventExpire, Node: e.Node}
	})
}

// repeated adds an edited copy of the first event that matches right behind it.
func repeated(events []tla.Event, match func(*tla.Event) bool, edit func(tla.Event) tla.Event) changed {
	i := index(events, 0, match)
	if i < 0 {
		return changed{}
	}
	return with(events, i, edit(events[i]))
}

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
		return repeated(events, ofKind(behind), func(e tla.Event) tla.Event {
			return tla.Event{At: e.At, Kind: kind, Client: e.Client}
		})
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
	for _, e := range slices.Backward(events) {
		if e.Kind == tla.EventStart && e.Client == client {
			return e.Attempt
		}
	}
	return 0
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
	if votes != len(p.Nodes)/2+1 {
		return changed{}
	}
	return without(events, last, granted)
}

func extensionWithoutAnswer(events []tla.Event, _ tla.TraceParameters) changed {
	read := index(events, 0, ofKind(tla.EventExtensionRead))
	for i := read - 1; i >= 0; i-- {
		if answers(events[i], events[read], tla.EventExtend) && events[i].Answer == tla.AnswerExtended {
			return without(events, i, read)
		}
	}
	return changed{}
}

// olderToken names an attempt that never was in the first extension that is sent.
func olderToken(events []tla.Event, _ tla.TraceParameters) changed {
	sent := index(events, 0, ofKind(tla.EventExtendSent))
	return edited(events, sent, func(e *tla.Event) { e.Attempt += len(events) })
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
	for _, e := range events[:removed] {
		ofKey := e.Node == node && e.Client == client && e.Attempt == attempt
		if ofKey && renews(e.Answer) {
			since = e.At
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
	isFence := func(e tla.Event) bool { return e.Kind == tla.EventFence }
	kept := slices.DeleteFunc(slices.Clone(events[:granted]), isFence)
	return changed{append(kept, events[granted]), len(kept), len(kept)}
}

// fenceThatFalls repeats the first write-back that raised a counter.
func fenceThatFalls(events []tla.Event, _ tla.TraceParameters) changed {
	return repeated(events, ofKind(tla.EventFence, tla.AnswerRaised), func(e tla.Event) tla.Event { return e })
}
