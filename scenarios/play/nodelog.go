package play

import (
	"cmp"
	"slices"

	"redlocklab/checker"
	"redlocklab/sim"
)

// execute notes what a command did to a lock's key. It compares the key before and after,
// so that it works for the commands of any subject.
func (t *traceReader) execute(step *sim.Step) {
	e, change := step.Event, step.Change
	if e.Key == "" || !t.isResource(e.Key) {
		return
	}
	n := checker.NodeEvent{
		Node: e.Node, AtNS: int64(e.At), Client: e.Process, Resource: e.Key, Result: e.Detail, Event: int64(e.Seq),
		What: checker.NodeRefuse,
	}
	purpose := sim.PurposeOf(e.Command)
	script := e.Command == "EVAL" || e.Command == "EVALSHA" // its name says nothing
	if q := step.Request; q != nil {
		n.SentNS = checker.At(int64(q.Sent.At))
		if script {
			purpose = q.Purpose
		}
	}
	if purpose.AboutLock() {
		n.Asked = checker.Action(purpose)
	}
	if script && n.Asked == "" && change.Grown() {
		n.Asked = checker.ActionExtend
	}
	switch {
	case change.Gained():
		n.What, n.Token, n.TTLNS = checker.NodeSet, e.Value, max(int64(e.TTL), 0)
	case change.Lost():
		n.What, n.Token = checker.NodeDelete, change.Before.Value
	case script && change.Grown(), // also of an acquisition that finds its own key
		n.Asked == checker.ActionExtend && change.After.Exists() && e.Detail == "1":
		n.What, n.Token, n.TTLNS = checker.NodeExtend, e.Value, max(int64(e.TTL), 0)
	}
	t.history.NodeEvents = append(t.history.NodeEvents, n)
}

// nameTokens replaces values of keys by the tokens that their leases report, and says which
// lease each command on a key is about.
func (t *traceReader) nameTokens() {
	for i := range t.history.Facts {
		f := &t.history.Facts[i]
		f.Token = cmp.Or(t.tokens[f.Token], f.Token)
	}
	for i := range t.history.NodeEvents {
		n := &t.history.NodeEvents[i]
		n.Token = cmp.Or(t.tokens[n.Token], n.Token)
		sent := n.AtNS
		if n.SentNS != nil {
			sent = *n.SentNS
		}
		n.Lease = t.leaseOf(n.Client, n.Resource, n.Token, sent)
	}
}

// leaseOf is the id of a client's lease that has the token; empty: none has. Where several
// have it, it is the last that was asked for when the command was sent. Leases stand in the order
// of their calls.
func (t *traceReader) leaseOf(who, resource, token string, sent int64) string {
	id := ""
	for i := range t.history.Leases {
		l := &t.history.Leases[i]
		same := token != "" && l.Token == token && l.Client == who && l.Resource == resource
		if same && (id == "" || t.calls[l.Operation] <= sent) {
			id = l.ID
		}
	}
	return id
}

// isResource reports whether a key is that of a lock: an operation names it.
func (t *traceReader) isResource(key string) bool {
	return slices.ContainsFunc(t.history.Operations, func(o checker.Operation) bool { return o.Resource == key })
}
