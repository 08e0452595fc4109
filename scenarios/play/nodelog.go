package play

import (
	"cmp"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
)

// execute notes what a command did to a lock's key. It compares the key before and after,
// so that it works for the commands of any subject.
func (t *traceReader) execute(e *sim.Event, change *sim.KeyChange) {
	if e.Key == "" || !t.isResource(e.Key) {
		return
	}
	before, after := change.Before.Value, e.Value
	n := checker.NodeEvent{
		Node: e.Node, AtNS: int64(e.At), Client: e.Process, Resource: e.Key, Result: e.Detail, Event: int64(e.Seq),
		Asked: t.asked(e),
	}
	if sent, ok := t.sent[e.Message]; ok {
		n.SentNS = checker.At(int64(sent))
	}
	switch {
	case after != "" && after != before:
		n.What, n.Token, n.TTLNS = checker.NodeSet, after, max(int64(e.TTL), 0)
	case after == "" && before != "":
		n.What, n.Token = checker.NodeDelete, before
	case isScript(e.Command) && n.Asked == "" && grown(change):
		n.Asked, n.What, n.Token, n.TTLNS = checker.ActionExtend, checker.NodeExtend, after, max(int64(e.TTL), 0)
	case n.Asked == checker.ActionExtend && after != "":
		n.What, n.Token, n.TTLNS = checker.NodeExtend, after, max(int64(e.TTL), 0)
		if e.Detail != "1" && (!isScript(e.Command) || !grown(change)) {
			n.What, n.Token, n.TTLNS = checker.NodeRefuse, "", 0
		}
	default:
		n.What = checker.NodeRefuse
	}
	n.Token = cmp.Or(t.tokens[n.Token], n.Token)
	sent := n.AtNS
	if n.SentNS != nil {
		sent = *n.SentNS
	}
	n.Lease = t.leaseOf(n.Client, n.Resource, n.Token, sent)
	t.history.NodeEvents = append(t.history.NodeEvents, n)
}

// leaseOf is the id of a client's lease that has the token; empty: none has. Where several
// have it, it is the last that was asked for when the command was sent. Leases stand in the order
// of their calls.
func (t *traceReader) leaseOf(who, resource, token string, sent int64) string {
	if token == "" {
		return ""
	}
	id := ""
	for i := range t.history.Leases {
		l := &t.history.Leases[i]
		if l.Token == token && l.Client == who && l.Resource == resource && (id == "" || t.calls[l.Operation] <= sent) {
			id = l.ID
		}
	}
	return id
}

// isResource reports whether a key is that of a lock: an operation names it.
func (t *traceReader) isResource(key string) bool {
	for i := range t.history.Operations {
		if t.history.Operations[i].Resource == key {
			return true
		}
	}
	return false
}

// asked is what a command asks for. The name of a script that nobody has registered says
// nothing: then it is what the client's open call asks for, or an extension if the key's TTL
// has grown.
func (t *traceReader) asked(e *sim.Event) checker.Action {
	if !isScript(e.Command) {
		return actionOf(e.Command)
	}
	return checker.Action(t.open[e.Process])
}

func isScript(command string) bool { return command == "EVAL" || command == "EVALSHA" }

// grown reports whether a command gave a key a later end; a node's clock that errs does not
// look so.
func grown(c *sim.KeyChange) bool {
	return c.Before.Exists() && c.Before.Value == c.After.Value && c.After.Ends-c.Before.Ends > 10*time.Millisecond
}

// actionOf is what a command or script asks for; empty when that is not known.
func actionOf(command string) checker.Action {
	if purpose := sim.PurposeOf(command); purpose.AboutLock() {
		return checker.Action(purpose)
	}
	return ""
}
