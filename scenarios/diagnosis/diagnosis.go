package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Bug is what a lock did wrong in one run.
type Bug struct {
	// Kind is the cause in words that are the same in every run that it shows in.
	Kind string
	// Text is what happened in this run, with keys, tokens and TTLs.
	Text  string
	Event int // the number of the trace event that shows it; 0: none does
}

// Of says what the lock did wrong. Without an unexplained finding the Bug is empty.
func Of(r *play.Result) Bug {
	if len(r.Verdict.Problems) > 0 {
		return Bug{Kind: "what the lock reports contradicts itself", Text: r.Verdict.Problems[0].String()}
	}
	var first *checker.Finding
	var oracle checker.Oracle
	for _, result := range r.Verdict.Results() {
		for i := range result.Findings {
			f := &result.Findings[i]
			if len(f.ExplainedBy) == 0 && (first == nil || oracle == checker.OracleLiveness) {
				first, oracle = f, result.Oracle
			}
		}
	}
	if first == nil {
		return Bug{}
	}
	d := read(r)
	looks := []func(*checker.Finding) Bug{d.trespass, d.ownEnd, d.tooFew, d.revived, d.outlived}
	if oracle == checker.OracleLiveness {
		looks = []func(*checker.Finding) Bug{d.trespass, d.revived, d.longer, d.left, d.refusedItself}
	}
	for _, look := range looks {
		if bug := look(first); bug.Kind != "" {
			return bug
		}
	}
	if goal := d.goal(first); goal != nil {
		return Bug{Kind: d.missed(goal, first), Text: first.Text}
	}
	return Bug{Kind: unexplained[oracle], Text: first.Text}
}

// missed is the kind of a bug of which the trace shows no more than the goal that was missed.
func (d *run) missed(goal *checker.Goal, f *checker.Finding) string {
	call := map[checker.Action]string{checker.ActionAcquire: "an acquisition", checker.ActionExtend: "an extension", checker.ActionRelease: "a release"}[goal.Action]
	if call == "" {
		call = "a " + string(goal.Action)
	}
	late := goal.Form == checker.GoalEachReturns
	for i := range d.History.Operations {
		o := &d.History.Operations[i]
		named := len(f.Operations) > 0 && f.Operations[0] == o.ID && goal.Form != checker.GoalSome
		late = late || named && (o.ReturnNS == nil || *o.ReturnNS > o.CallNS+goal.WithinNS)
	}
	if late {
		return call + " takes longer than it may"
	}
	switch goal.Form {
	case checker.GoalEachSucceeds:
		return call + " fails that should succeed"
	case checker.GoalEachFails:
		return call + " succeeds that should fail"
	case checker.GoalNeverSent:
		return "a command for " + call + " is sent when it should not be"
	case checker.GoalSentInTime:
		return "a command for " + call + " is sent when its lease has ended"
	case checker.GoalEachClears:
		return call + " leaves a key behind"
	}
	if goal.Action == checker.ActionAcquire {
		return "a free lock is not acquired in time"
	}
	return call + " does not succeed in time"
}

// unexplained are the kinds of bugs of which the trace shows no more than the oracle says.
var unexplained = map[checker.Oracle]string{
	checker.OracleOverlap:              "two clients hold the lock at once",
	checker.OracleLinearizability:      "calls return what no lock could return",
	checker.OracleResourceUnfenced:     "the protected resource was changed under two leases at once",
	checker.OracleResourceFencedWrites: "a fence at the resource's writes does not protect it",
	checker.OracleResourceFenced:       "a fence at every access does not protect the resource",
	checker.OracleFencingTokens:        "fencing tokens do not grow",
}

// trespass is what a client did to the key of a lease that another believed in.
func (d *run) trespass(f *checker.Finding) Bug {
	for i := range d.deeds {
		x := &d.deeds[i]
		owner := d.holder(x.Before.Value, x.at)
		if owner == nil || owner.Client == x.client || x.at > time.Duration(f.AtNS) {
			continue
		}
		had := fmt.Sprintf("%s's key %s, which had %s left, while %s believed in its lease %s until %s",
			owner.Client, keyed(x.Key, x.Before.Value), left(x.Before.Ends, x.at), owner.Client, owner.ID, instant(end(owner)))
		if x.at < d.got[owner.ID] {
			had = fmt.Sprintf("%s's key %s, which had %s left, while %s acquired its lease %s with it, until %s",
				owner.Client, keyed(x.Key, x.Before.Value), left(x.Before.Ends, x.at), owner.Client, owner.ID, instant(d.got[owner.ID]))
		}
		bug := Bug{Event: x.event}
		switch {
		case x.Lost():
			bug.Kind = "a client deletes another client's key"
			bug.Text = fmt.Sprintf("%s: %s deletes %s", x.when(), x.who(), had)
		case x.Gained():
			bug.Kind = "a client replaces another client's key by its own"
			bug.Text = fmt.Sprintf("%s: %s replaces %s; it sets %s for %s", x.when(), x.who(), had, keyed(x.Key, x.After.Value), left(x.After.Ends, x.at))
			if a, b := d.token(x.Before.Value), d.token(x.After.Value); strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
				bug.Kind = "a token that is a prefix of another counts as the same"
			}
		case max(x.After.Ends-x.Before.Ends, x.Before.Ends-x.After.Ends) < d.Plan.Lock.TTL/20:
			continue // no more than a clock errs
		default:
			bug.Kind = "a client changes the TTL of another client's key"
			bug.Text = fmt.Sprintf("%s: %s sets the TTL of %s to %s", x.when(), x.who(), had, left(x.After.Ends, x.at))
		}
		return bug
	}
	return Bug{}
}

// ownEnd is a key that an extension of its own holder deleted: one by less than a millisecond
// does.
func (d *run) ownEnd(f *checker.Finding) Bug {
	for i := range d.deeds {
		x := &d.deeds[i]
		if owner := d.holder(x.Before.Value, x.at); owner != nil && owner.Client == x.client && x.during == "extend" && x.Lost() && x.at <= time.Duration(f.AtNS) {
			return Bug{Kind: "an extension deletes the keys that it should prolong", Event: x.event,
				Text: fmt.Sprintf("%s: %s deletes its own key %s, which had %s left; the TTL to use is %s", x.when(), x.who(), keyed(x.Key, x.Before.Value), left(x.Before.Ends, x.at), period(d.Plan.Lock.TTL))}
		}
	}
	return Bug{}
}

// tooFew is a lease of the finding that was acquired with too few keys.
func (d *run) tooFew(f *checker.Finding) Bug {
	for _, l := range d.leasesOf(f) {
		nodes := d.holding(d.tokens[l.ID], d.got[l.ID])
		if len(nodes) >= d.quorum() || d.expired(l, d.got[l.ID]) {
			continue
		}
		kind := "an acquisition succeeds with keys on fewer nodes than a quorum"
		if len(nodes) == 0 {
			kind = "an acquisition succeeds without a key"
		}
		return Bug{Kind: kind, Text: fmt.Sprintf("%s: %s returns from its acquisition and believes until %s; its key %s is on %s, and %d are a quorum",
			instant(d.got[l.ID]), l.Client, instant(validUntil(l)), keyed(l.Resource, d.tokens[l.ID]), nodesWords(nodes, d.nodes), d.quorum())}
	}
	return Bug{}
}

// expired reports whether keys of a lease have run out by an instant.
func (d *run) expired(l *checker.Lease, by time.Duration) bool {
	for i := range d.ends {
		if d.ends[i].Before.Value == d.tokens[l.ID] && d.ends[i].at <= by {
			return true
		}
	}
	return false
}

// revived is a key that was set again after it had run out.
func (d *run) revived(f *checker.Finding) Bug {
	for i := range d.deeds {
		x := &d.deeds[i]
		if x.during == "acquire" || !x.Gained() || x.Before.Exists() && x.Before.Value == x.After.Value || x.at > time.Duration(f.AtNS) {
			continue
		}
		for j := range d.History.Leases {
			l := &d.History.Leases[j]
			if d.tokens[l.ID] != x.After.Value || l.Client != x.client || d.got[l.ID] == 0 || x.at <= d.got[l.ID] || x.sent <= d.got[l.ID] {
				continue
			}
			kind, lapse := "an extension sets keys again that had lapsed", "validity ended"
			if l.ReleasedNS != nil && time.Duration(*l.ReleasedNS) <= x.sent {
				kind, lapse = "an extension sets keys again after the release", "release was called"
			} else if !d.expired(l, x.at) {
				continue
			}
			return Bug{Kind: kind, Event: x.event, Text: fmt.Sprintf("%s: %s sets its key %s again for %s; its lease %s was over: its %s at %s",
				x.when(), x.who(), keyed(x.Key, x.After.Value), left(x.After.Ends, x.at), l.ID, lapse, instant(min(end(l), validUntil(l))))}
		}
	}
	return Bug{}
}

// outlived is a lease of the finding whose keys ended before it did, although nothing but
// time ended them.
func (d *run) outlived(f *checker.Finding) Bug {
	for _, l := range d.leasesOf(f) {
		token := d.tokens[l.ID]
		var set *deed
		for i := range d.deeds {
			if x := &d.deeds[i]; x.client == l.Client && x.Gained() && x.After.Value == token && x.at <= d.got[l.ID] {
				set = x
				break
			}
		}
		at := time.Duration(f.AtNS)
		if set == nil || end(l) <= at || len(d.holding(token, at)) >= d.quorum() || !d.expired(l, at) {
			continue
		}
		if set.After.Ends == sim.Forever {
			continue
		}
		ttl, believes := set.After.Ends-set.at, end(l)
		shown := fmt.Sprintf("%s: %s believes until %s; its keys (%s, set %s after its call, with a TTL of %s) have ended",
			instant(at), l.Client, instant(believes), keyed(set.Key, token), period(set.at-d.calls[l.ID]), period(ttl))
		contexted := validUntil(l) - d.got[l.ID]
		switch full := d.Plan.Lock.TTL; {
		case d.estimated(l.Client) && len(l.Validity) == 1:
			return Bug{Kind: "leases report no end, and the whole TTL is longer than their keys may live", Event: set.event, Text: shown}
		case contexted >= play.UnknownEnd && contexted < 2*play.UnknownEnd: // a clock that stands has another end
			return Bug{Kind: "the context of a lease ends after its keys", Event: set.event, Text: shown}
		case len(l.Validity) > 1:
			return Bug{Kind: "an extension prolongs the lease for longer than its keys", Event: set.event, Text: shown}
		case ttl < full-time.Millisecond:
			return Bug{Kind: "keys get a shorter TTL than the lease", Event: set.event, Text: shown + fmt.Sprintf("; the lease counts %s", period(full))}
		case believes-set.sent > ttl+ttl*time.Duration(d.Plan.Lock.RateErrorPPM)/1e6: // longer than its clock may err
			return Bug{Kind: "the validity counts from the reply, not from before the request", Event: set.event,
				Text: shown + fmt.Sprintf("; %s called at %s, got the lock at %s, and believes for %s from there", l.Client, instant(d.calls[l.ID]), instant(d.got[l.ID]), period(believes-d.got[l.ID]))}
		}
		return Bug{Kind: "the validity leaves too little for clock errors", Event: set.event, Text: shown}
	}
	return Bug{}
}

// estimated reports whether a client's leases report no end, so that the laboratory counts
// the TTL.
func (d *run) estimated(client string) bool {
	return slices.ContainsFunc(d.History.Header.Clients, func(c checker.Client) bool {
		return c.Name == client && c.Validity == checker.ValidityLaboratory
	})
}

func (d *run) goal(f *checker.Finding) *checker.Goal {
	for i := range d.History.Goals {
		if d.History.Goals[i].ID == f.Goal {
			return &d.History.Goals[i]
		}
	}
	return nil
}

// leasesOf are the leases of a finding; all of its resource when it names none.
func (d *run) leasesOf(f *checker.Finding) (list []*checker.Lease) {
	for i := range d.History.Leases {
		l := &d.History.Leases[i]
		if len(f.Leases) == 0 && (f.Resource == "" || f.Resource == l.Resource) {
			list = append(list, l)
		}
		for _, id := range f.Leases {
			if id == l.ID {
				list = append(list, l)
			}
		}
	}
	return list
}
