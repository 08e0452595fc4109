package diagnosis

import (
	"fmt"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
)

// longer is a key that got a longer TTL than the scenario's, where the right one would have
// ended in time for the goal that was missed.
func (d *run) longer(f *checker.Finding) Bug {
	asked, goal := d.Plan.Lock.TTL, d.goal(f)
	if goal == nil {
		return Bug{}
	}
	for i := range d.deeds {
		x := &d.deeds[i]
		if ttl := x.After.Ends - x.at; x.Gained() && x.After.Ends != sim.Forever && ttl > asked+asked/50+time.Millisecond && x.at+asked <= time.Duration(goal.FromNS+goal.WithinNS) {
			return Bug{Kind: "keys get a longer TTL than was asked for", Event: x.event, Text: fmt.Sprintf("%s: %s sets %s for %s; the TTL to use is %s",
				x.when(), x.who(), keyed(x.Key, x.After.Value), period(ttl), period(asked))}
		}
	}
	return Bug{}
}

// left is a key that belongs to no living lease and was in the way of a missed goal.
func (d *run) left(f *checker.Finding) Bug {
	goal := d.goal(f)
	if goal == nil || goal.Action != checker.ActionAcquire {
		return Bug{}
	}
	from, until := time.Duration(goal.FromNS), time.Duration(min(goal.FromNS+goal.WithinNS, d.History.Header.EndNS))
	var keys sim.Keys
	blocked := map[string]int{} // nodes by value, at the end of the goal's window
	var last sim.KeyState
	var where string
	apply := func() {
		for i := range d.Events {
			if d.Events[i].At > until {
				break
			}
			keys.Apply(&d.Events[i])
		}
	}
	apply()
	for _, node := range d.History.Header.Nodes {
		for _, name := range keys.On(node) {
			state := keys.At(node, name)
			holder := d.holder(state.Value, until)
			if goal.Resource != "" && !about(name, goal.Resource) || holder != nil && d.got[holder.ID] <= until || state.Ends <= from {
				continue
			}
			if blocked[state.Value]++; last.Value == "" || blocked[state.Value] > blocked[last.Value] {
				last, where = state, name
			}
		}
	}
	if last.Value == "" {
		return Bug{}
	}
	var set *deed // the first of those that set the keys that are there: tokens may be used again
	for i := range d.deeds {
		x := &d.deeds[i]
		if x.After.Value == last.Value && x.Gained() && x.at <= until && (set == nil || d.operationAt(x.client, x.at) != d.operationAt(set.client, set.at)) {
			set = x
		}
	}
	if set == nil {
		return Bug{}
	}
	text := fmt.Sprintf("%s: %s's key %s is still on %d of %d nodes; it was set at %s for %s",
		instant(until), last.Owner, keyed(where, last.Value), blocked[last.Value], d.nodes, instant(set.at), left(set.After.Ends, set.at))
	for i := range d.History.Leases {
		if l := &d.History.Leases[i]; d.tokens[l.ID] == last.Value && set.at >= d.calls[l.ID] && set.at <= end(l) && d.got[l.ID] <= until {
			if l.ReleasedNS != nil {
				return Bug{Kind: "a release leaves keys behind", Event: set.event, Text: text + fmt.Sprintf("; %s released its lease %s at %s", l.Client, l.ID, instant(time.Duration(*l.ReleasedNS)))}
			}
			return Bug{Kind: "the keys of a lease that is over stay", Event: set.event, Text: text + fmt.Sprintf("; the lease %s ended at %s", l.ID, instant(end(l)))}
		}
	}
	if l := d.holder(last.Value, until); l != nil {
		return Bug{Kind: "an acquisition goes on for too long while its keys keep others out", Event: set.event,
			Text: text + fmt.Sprintf("; %s called at %s, and got its lease %s only at %s", l.Client, instant(d.calls[l.ID]), l.ID, instant(d.got[l.ID]))}
	}
	return Bug{Kind: "an attempt that failed leaves its keys behind", Event: set.event, Text: text + "; no lease belongs to it"}
}

// refusedItself is an attempt that failed because it found its own key: the command was sent
// again, and the first one had set the key.
func (d *run) refusedItself(f *checker.Finding) Bug {
	for i := range d.Events {
		e := &d.Events[i]
		if e.Kind != sim.Execute || e.Value == "" || int64(e.At) > f.AtNS {
			continue
		}
		for j := range d.deeds {
			x := &d.deeds[j]
			if x.After.Value == e.Value && x.client == e.Process && x.Gained() && x.Node == e.Node && x.event < e.Seq && x.during == "acquire" && d.operationAt(e.Process, e.At) == d.operationAt(x.client, x.at) && d.failedAt(e.Process, e.At) {
				return Bug{Kind: "an attempt is refused by its own key", Event: e.Seq, Text: fmt.Sprintf("%s on %s: a command of %s finds %s, which %s's earlier command had set at %s; the answer to that one was lost, and the attempt fails",
					instant(e.At), e.Node, e.Process, keyed(e.Key, e.Value), e.Process, instant(x.at))}
			}
		}
	}
	return Bug{}
}

// operationAt is the id of the operation of a client that is open at an instant.
func (d *run) operationAt(client string, at time.Duration) string {
	for i := range d.History.Operations {
		o := &d.History.Operations[i]
		if o.Client == client && o.CallNS <= int64(at) && (o.ReturnNS == nil || *o.ReturnNS >= int64(at)) {
			return o.ID
		}
	}
	return ""
}

// failedAt reports whether that operation fails.
func (d *run) failedAt(client string, at time.Duration) bool {
	id := d.operationAt(client, at)
	for i := range d.History.Operations {
		if o := &d.History.Operations[i]; o.ID == id {
			return o.Outcome == checker.OutcomeFail
		}
	}
	return false
}
