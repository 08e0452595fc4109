package sim

import (
	"strings"
	"time"

	"redlocklab/sim/resp"
)

// Purposes says what each command of a run is for, also where its name does not say it, as with
// a script that nobody has registered. Such a command is for what it does to its key:
//
//   - it gives the key a new value: an acquisition;
//   - it removes the key: a release;
//   - it gives the key a later end: an extension, or in an open acquisition, an acquisition by the
//     client that had the key already.
//
// A command that did nothing, or that has not been executed yet, is for the operation that is
// open. While none is, a command on the key of the process's own living lease is an extension,
// as of a watchdog. An EVALSHA that the node answers with NOSCRIPT is for nothing. Before its
// answer, that is assumed of a node that has run no script with as many words.
//
// The zero value is ready for the first event of a trace. It keeps pointers to the events.
type Purposes struct {
	reader Reader
	ran    map[string]map[int]bool // node → numbers of words of scripts that it has run
	did    map[int]Purpose         // by message: what its execution showed
}

// anyScript stands for all scripts, of a node that was given some to keep.
const anyScript = -1

// Apply moves on by one event, which must be the next of the trace, and returns what the event's
// command is for.
func (p *Purposes) Apply(e *Event) Purpose {
	if p.ran == nil {
		p.ran, p.did = map[string]map[int]bool{}, map[int]Purpose{}
	}
	step := p.reader.Apply(e)
	switch {
	case e.Node != "" && (e.Kind == Restart || e.Kind == NodeCall && e.Command == "SCRIPT"):
		delete(p.ran, e.Node)
	case e.Kind == Execute && e.Command == "SCRIPT":
		p.remember(e.Node, anyScript)
	}
	named, q := PurposeOf(e.Command), step.Request
	if named != PurposeUnknown || q == nil {
		return named
	}
	if e.Kind == Execute && q.Executed == e {
		p.did[q.Message] = p.effect(q)
	}
	if did, executed := p.did[q.Message]; executed {
		return did
	}
	words := len(strings.Fields(q.Sent.Detail))
	if q.Command == "EVALSHA" && !p.ran[q.Node][words] && !p.ran[q.Node][anyScript] {
		return PurposeUnknown
	}
	return p.expected(q)
}

func (p *Purposes) remember(node string, words int) {
	if p.ran[node] == nil {
		p.ran[node] = map[int]bool{}
	}
	p.ran[node][words] = true
}

// effect is what the execution of a request shows.
func (p *Purposes) effect(q *Request) Purpose {
	if strings.HasPrefix(q.Executed.Detail, "NOSCRIPT") {
		return PurposeUnknown
	}
	if resp.IsEval(q.Command) {
		p.remember(q.Node, len(strings.Fields(q.Sent.Detail)))
	}
	switch c := q.Effect; {
	case c == nil:
	case c.Gained():
		return PurposeAcquire
	case c.Lost():
		return PurposeRelease
	case c.Grown() && q.Purpose != PurposeAcquire:
		return PurposeExtend
	}
	return p.expected(q)
}

// expected is what a request is for, as far as its operation and its process's lease tell.
func (p *Purposes) expected(q *Request) Purpose {
	if q.Purpose != PurposeUnknown {
		return q.Purpose
	}
	l := p.reader.Latest(q.Process)
	if l != nil && l.Released == nil && l.Lapsed == nil && q.Key != "" {
		return PurposeExtend
	}
	return PurposeUnknown
}

// sameEnd is by how much two readings of a key's end may differ because of the node's clock.
const sameEnd = 10 * time.Millisecond

// Grown reports whether a key kept its value and got a later end. A node's clock that errs does
// not look so.
func (c *KeyChange) Grown() bool {
	return c.Before.Exists() && c.Before.Value == c.After.Value && c.After.Ends-c.Before.Ends > sameEnd
}
