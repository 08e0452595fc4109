package cause

import (
	"fmt"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// longerTTL looks for a key that got a longer TTL than the scenario's, where the right one would
// have ended in time for the goal that was missed.
func (d *reading) longerTTL() Bug {
	if d.goal == nil {
		return Bug{}
	}
	asked := d.Plan.Lock.TTL
	for x := range d.commands(time.Duration(d.goal.FromNS+d.goal.WithinNS) - asked) {
		ttl := x.After.Ends - x.at
		if x.Gained() && x.After.Ends != sim.Forever && ttl > asked+asked/50+time.Millisecond {
			return x.bug("keys get a longer TTL than was asked for", "sets %s for %s; the TTL to use is %s",
				x.after(), words.Period(ttl), words.Period(asked))
		}
	}
	return Bug{}
}

// keysLeft looks for a key that belongs to no living lease and was in the way of a missed goal.
func (d *reading) keysLeft() Bug {
	goal := d.goal
	if goal == nil || goal.Action != checker.ActionAcquire {
		return Bug{}
	}
	until := time.Duration(min(goal.FromNS+goal.WithinNS, d.History.Header.EndNS))
	key, on := d.blocking(time.Duration(goal.FromNS), until)
	if key == nil {
		return Bug{}
	}
	var set *effect // the first of those that set the keys that are there: tokens may be used again
	for x := range d.commands(until) {
		if x.After.Value != key.After.Value || !x.Gained() {
			continue
		}
		if set == nil || d.operationAt(x.client, x.at) != d.operationAt(set.client, set.at) {
			set = x
		}
	}
	if set == nil {
		return Bug{}
	}
	kind, why := "an attempt that failed leaves its keys behind", "no lease belongs to it"
	if l := d.holder(key.After.Value, until); l != nil {
		kind = "an acquisition goes on for too long while its keys keep others out"
		why = fmt.Sprintf("%s called at %s, and got its lease %s only at %s",
			l.Client, words.Instant(l.called), l.ID, words.Instant(l.got))
	}
	for _, l := range d.leases {
		if l.value != key.After.Value || set.at < l.called || set.at > l.end || l.got > until {
			continue
		}
		kind, why = "the keys of a lease that is over stay", fmt.Sprintf("the lease %s ended at %s", l.ID, words.Instant(l.end))
		if l.ReleasedNS != nil {
			kind = "a release leaves keys behind"
			why = fmt.Sprintf("%s released its lease %s at %s", l.Client, l.ID, words.Instant(time.Duration(*l.ReleasedNS)))
		}
		break
	}
	return Bug{Kind: kind, Event: set.event, Text: fmt.Sprintf(
		"%s: %s's key %s is still on %d of %d nodes; it was set at %s for %s; %s",
		words.Instant(until), key.After.Owner, key.after(), on, len(d.History.Header.Nodes),
		words.Instant(set.at), lifetime(set.After.Ends, set.at), why)}
}

// blocking finds the key that is on most nodes at an instant, belongs to no lease then, and lived
// beyond another instant. It also returns the number of nodes.
func (d *reading) blocking(from, until time.Duration) (key *effect, on int) {
	var keys sim.Keys
	for i := range d.Events {
		if d.Events[i].At > until {
			break
		}
		keys.Apply(&d.Events[i])
	}
	nodes := map[string]int{} // by value
	for _, node := range d.History.Header.Nodes {
		for _, name := range keys.On(node) {
			state := keys.At(node, name)
			l := d.holder(state.Value, until)
			other := d.goal.Resource != "" && !isKeyOf(name, d.goal.Resource)
			if other || l != nil && l.got <= until || state.Ends <= from {
				continue
			}
			if nodes[state.Value]++; key == nil || key.After.Value == "" ||
				nodes[state.Value] > nodes[key.After.Value] {
				key = &effect{KeyChange: &sim.KeyChange{Key: name, After: state}}
			}
		}
	}
	if key == nil || key.After.Value == "" {
		return nil, 0
	}
	return key, nodes[key.After.Value]
}

// ownKeyRefuses looks for an attempt that failed because it found its own key: the command was
// sent again, and the first one had set the key.
func (d *reading) ownKeyRefuses() Bug {
	for _, e := range d.Events {
		if e.Kind != sim.Execute || e.Value == "" || e.At > d.at {
			continue
		}
		o := d.operationAt(e.Process, e.At)
		if o == nil || o.Outcome != checker.OutcomeFail {
			continue
		}
		for x := range d.commands(e.At) {
			same := x.client == e.Process && x.Node == e.Node && x.After.Value == e.Value &&
				d.operationAt(x.client, x.at) == o
			if same && x.event < e.Seq && x.Gained() && x.during == "acquire" {
				return Bug{Kind: "an attempt is refused by its own key", Event: e.Seq, Text: fmt.Sprintf(
					"%s on %s: a command of %s finds %s, which %s's earlier command had set at %s; "+
						"the answer to that one was lost, and the attempt fails",
					words.Instant(e.At), e.Node, e.Process, keyed(e.Key, e.Value), e.Process, words.Instant(x.at))}
			}
		}
	}
	return Bug{}
}

// operationAt is the operation of a client that is open at an instant; nil for none.
func (d *reading) operationAt(client string, at time.Duration) *checker.Operation {
	for i := range d.History.Operations {
		o := &d.History.Operations[i]
		if o.Client == client && o.CallNS <= int64(at) && (o.ReturnNS == nil || *o.ReturnNS >= int64(at)) {
			return o
		}
	}
	return nil
}
