package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// Bug says what a lock did wrong in one run, in words that its author can use.
type Bug struct {
	// Kind is the same in every run that shows the bug: it names no client, node or time.
	Kind string
	// Text is what happened in this run, with keys, tokens and TTLs.
	Text  string
	Event int // the number of the trace event that shows it; 0: none does
}

// BugOf words the first finding of a run without a footprint, preferably one of a safety oracle.
// Without such a finding the Bug is empty. It reads what commands did to keys, never their names:
// a script counts as a release if it deleted a key. The first of these that the trace shows is
// the answer:
//
//   - a client deleted, replaced or prolonged the key of another's living lease;
//   - an extension deleted its own keys;
//   - a lease was acquired with keys on fewer nodes than a quorum, or on none;
//   - a lease that had lapsed got its keys again;
//   - the keys of a lease ended before the lease did;
//   - keys that belong to no lease kept others from the lock;
//   - otherwise the oracle's own words.
//
// BugOf decides nothing: the checker has found the violation.
func BugOf(r *play.Result) Bug {
	if len(r.Verdict.Problems) > 0 {
		return Bug{Kind: "what the lock reports contradicts itself", Text: r.Verdict.Problems[0].String()}
	}
	var first *checker.Finding
	var oracle checker.Oracle
	for _, result := range r.Verdict.Results() {
		for i := range result.Findings {
			f := &result.Findings[i]
			safer := oracle == checker.OracleLiveness && result.Oracle != checker.OracleLiveness
			if len(f.ExplainedBy) == 0 && (first == nil || safer) {
				first, oracle = f, result.Oracle
			}
		}
	}
	if first == nil {
		return Bug{}
	}
	d := read(r, first)
	rules := []func() Bug{d.foreignKey, d.ownKeyDeleted, d.tooFewKeys, d.keysAgain, d.keysEnded}
	if oracle == checker.OracleLiveness {
		rules = []func() Bug{d.foreignKey, d.keysAgain, d.longerTTL, d.keysLeft, d.ownKeyRefuses}
	}
	for _, rule := range rules {
		if bug := rule(); bug.Kind != "" {
			return bug
		}
	}
	kind := unexplained[oracle]
	if d.goal != nil {
		kind = d.missed()
	}
	return Bug{Kind: kind, Text: first.Text}
}

// missed is the kind of a bug of which the trace shows only that a goal was missed.
func (d *reading) missed() string {
	goal, f := d.goal, d.finding
	call := map[checker.Action]string{
		checker.ActionAcquire: "an acquisition", checker.ActionExtend: "an extension", checker.ActionRelease: "a release",
	}[goal.Action]
	call = cmp.Or(call, "a "+string(goal.Action))
	late := goal.Form == checker.GoalEachReturns
	for _, o := range d.History.Operations {
		named := len(f.Operations) > 0 && f.Operations[0] == o.ID && goal.Form != checker.GoalSome
		late = late || named && (o.ReturnNS == nil || *o.ReturnNS > o.CallNS+goal.WithinNS)
	}
	if late {
		return call + " takes longer than it may"
	}
	switch {
	case goal.Form == checker.GoalEachSucceeds:
		return call + " fails that should succeed"
	case goal.Form == checker.GoalEachFails:
		return call + " succeeds that should fail"
	case goal.Form == checker.GoalNeverSent:
		return "a command for " + call + " is sent when it should not be"
	case goal.Form == checker.GoalSentInTime:
		return "a command for " + call + " is sent when its lease has ended"
	case goal.Form == checker.GoalEachClears:
		return call + " leaves a key behind"
	case goal.Action == checker.ActionAcquire:
		return "a free lock is not acquired in time"
	}
	return call + " does not succeed in time"
}

// unexplained holds the kinds of bugs of which the trace shows only what the oracle says.
var unexplained = map[checker.Oracle]string{
	checker.OracleOverlap:              "two clients hold the lock at once",
	checker.OracleLinearizability:      "calls return what no lock could return",
	checker.OracleResourceUnfenced:     "the protected resource was changed under two leases at once",
	checker.OracleResourceFencedWrites: "a fence at the resource's writes does not protect it",
	checker.OracleResourceFenced:       "a fence at every access does not protect the resource",
	checker.OracleFencingTokens:        "fencing tokens do not grow",
}

// foreignKey looks for a command of a client on the key of a lease that another believed in.
func (d *reading) foreignKey() Bug {
	for x := range d.commands(d.at) {
		owner := d.holder(x.Before.Value, x.at)
		if owner == nil || owner.Client == x.client {
			continue
		}
		during := fmt.Sprintf("believed in its lease %s until %s", owner.ID, words.Instant(owner.end))
		if x.at < owner.got {
			during = fmt.Sprintf("acquired its lease %s with it, until %s", owner.ID, words.Instant(owner.got))
		}
		theirs := fmt.Sprintf("%s's key %s, which had %s left, while %s %s",
			owner.Client, x.before(), lifetime(x.Before.Ends, x.at), owner.Client, during)
		switch change := x.After.Ends - x.Before.Ends; {
		case x.Lost():
			return x.bug("a client deletes another client's key", "deletes %s", theirs)
		case x.Gained():
			kind := "a client replaces another client's key by its own"
			a, b := d.token(x.Before.Value), d.token(x.After.Value)
			if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
				kind = "a token that is a prefix of another counts as the same"
			}
			return x.bug(kind, "replaces %s; it sets %s for %s", theirs, x.after(), lifetime(x.After.Ends, x.at))
		case max(change, -change) >= d.Plan.Lock.TTL/20: // more than a clock errs
			return x.bug("a client changes the TTL of another client's key",
				"sets the TTL of %s to %s", theirs, lifetime(x.After.Ends, x.at))
		}
	}
	return Bug{}
}

// ownKeyDeleted looks for a key that an extension of its own holder deleted. An extension by less
// than a millisecond does so.
func (d *reading) ownKeyDeleted() Bug {
	for x := range d.commands(d.at) {
		owner := d.holder(x.Before.Value, x.at)
		if owner != nil && owner.Client == x.client && x.during == "extend" && x.Lost() {
			return x.bug("an extension deletes the keys that it should prolong",
				"deletes its own key %s, which had %s left; the TTL to use is %s",
				x.before(), lifetime(x.Before.Ends, x.at), words.Period(d.Plan.Lock.TTL))
		}
	}
	return Bug{}
}

// tooFewKeys looks for a lease of the finding that was acquired with too few keys.
func (d *reading) tooFewKeys() Bug {
	for _, l := range d.named() {
		nodes := d.holding(l.value, l.got)
		if len(nodes) >= d.quorum() || d.expired(l, l.got) {
			continue
		}
		kind, on := "an acquisition succeeds with keys on fewer nodes than a quorum", strings.Join(nodes, ", ")
		if len(nodes) == 0 {
			kind, on = "an acquisition succeeds without a key", "none"
		}
		return Bug{Kind: kind, Text: fmt.Sprintf(
			"%s: %s returns from its acquisition and believes until %s; its key %s is on %s of %d nodes, and %d are a quorum",
			words.Instant(l.got), l.Client, words.Instant(l.promised), keyed(l.Resource, l.value), on,
			len(d.History.Header.Nodes), d.quorum())}
	}
	return Bug{}
}

// keysAgain looks for a key that was set again after it had run out.
func (d *reading) keysAgain() Bug {
	for x := range d.commands(d.at) {
		prolonged := x.Before.Exists() && x.Before.Value == x.After.Value
		if x.during == "acquire" || !x.Gained() || prolonged {
			continue
		}
		for _, l := range d.leases {
			later := l.got != 0 && x.at > l.got && x.sent > l.got
			if l.value != x.After.Value || l.Client != x.client || !later {
				continue
			}
			kind, over := "an extension sets keys again that had lapsed", "validity ended"
			if l.ReleasedNS != nil && time.Duration(*l.ReleasedNS) <= x.sent {
				kind, over = "an extension sets keys again after the release", "release was called"
			} else if !d.expired(l, x.at) {
				continue
			}
			return x.bug(kind, "sets its key %s again for %s; its lease %s was over: its %s at %s", x.after(),
				lifetime(x.After.Ends, x.at), l.ID, over, words.Instant(min(l.end, l.promised)))
		}
	}
	return Bug{}
}

// keysEnded looks for a lease of the finding whose keys ended before it did, although nothing but
// time ended them.
func (d *reading) keysEnded() Bug {
	for _, l := range d.named() {
		var set *effect
		for x := range d.commands(l.got) {
			if x.client == l.Client && x.Gained() && x.After.Value == l.value {
				set = x
				break
			}
		}
		ended := len(d.holding(l.value, d.at)) < d.quorum() && d.expired(l, d.at)
		if set == nil || l.end <= d.at || !ended || set.After.Ends == sim.Forever {
			continue
		}
		ttl := set.After.Ends - set.at
		kind, more := "the validity leaves too little for clock errors", ""
		context := l.promised - l.got
		switch full := d.Plan.Lock.TTL; {
		case d.estimated(l.Client) && len(l.Validity) == 1:
			kind = "leases report no end, and the whole TTL is longer than their keys may live"
		case context >= play.UnknownEnd && context < 2*play.UnknownEnd: // a clock that stands has another end
			kind = "the context of a lease ends after its keys"
		case len(l.Validity) > 1:
			kind = "an extension prolongs the lease for longer than its keys"
		case ttl < full-time.Millisecond:
			kind, more = "keys get a shorter TTL than the lease", "; the lease counts "+words.Period(full)
		case l.end-set.sent > ttl+ttl*time.Duration(d.Plan.Lock.RateErrorPPM)/1e6: // longer than its clock may err
			kind = "the validity counts from the reply, not from before the request"
			more = fmt.Sprintf("; %s called at %s, got the lock at %s, and believes for %s from there",
				l.Client, words.Instant(l.called), words.Instant(l.got), words.Period(l.end-l.got))
		}
		return Bug{Kind: kind, Event: set.event, Text: fmt.Sprintf(
			"%s: %s believes until %s; its keys (%s, set %s after its call, with a TTL of %s) have ended%s",
			words.Instant(d.at), l.Client, words.Instant(l.end), set.after(),
			words.Period(set.at-l.called), words.Period(ttl), more)}
	}
	return Bug{}
}

// estimated reports whether a client's leases report no end, so that the laboratory counts
// the TTL.
func (d *reading) estimated(client string) bool {
	return slices.ContainsFunc(d.History.Header.Clients, func(c checker.Client) bool {
		return c.Name == client && c.Validity == checker.ValidityLaboratory
	})
}
