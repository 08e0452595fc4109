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
	if 2*p.ClockError+time.Millisecond >= p.Allowance {
		return changed{} // the clocks err by more than what is claimed
	}
	granted := index(events, 0, func(e *tla.Event) bool { return e.Kind == tla.EventGranted && e.Left > 0 })
	return edited(events, granted, func(e *tla.Event) { e.Left += p.Allowance })
}

func earlyExpiry(events []tla.Event, _ tla.TraceParameters) changed {
	i := index(events, 0, ofKind(tla.EventSet, tla.AnswerWon))
	if i < 0 {
		return changed{}
	}
	expiry := tla.Event{At: events[i].At, Kind: tla.EventExpire, Node: events[i].Node}
	return changed{slices.Insert(slices.Clone(events), i+1, expiry), i + 1, i + 1}
}
