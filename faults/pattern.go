package faults

import (
	"slices"
	"strings"

	"redlocklab/sim"
)

// anyone is the word for every client or every node.
const anyone = "any"

// Pattern matches events of a trace, or the beginning or end of another fault.
// The zero pattern matches nothing. The package's documentation has the grammar;
// [ParsePattern] reads it, String writes it.
type Pattern struct {
	// Fault is the name of the other fault, for "… began" and "… ended".
	Fault string
	// Subject is the client or node that the pattern begins with; "any" is every
	// client or every node.
	Subject string
	// Word is what happened: one of the words of the grammar.
	Word string
	// Operation, Command, Resource and Peer narrow the match; empty is anything.
	// Peer is the client that a node dealt with, or the node that a client sent to.
	Operation string
	Command   string
	Resource  string
	Peer      string
}

// IsZero reports whether the pattern is the one that matches nothing.
func (p Pattern) IsZero() bool { return p == Pattern{} }

// Match reports whether the pattern matches an event. A pattern about another
// fault matches none: beginnings and ends are not events. A pattern with SET, or another
// command about a lock, matches each command for the same purpose whose name says nothing;
// [sim.Purposes] knows the purpose.
func (p Pattern) Match(e sim.Event, purpose sim.Purpose) bool {
	w, found := p.word()
	if p.Fault != "" || !found || e.Kind != w.kind {
		return false
	}
	subject, peer := e.Process, e.Node
	if p.aboutNode(e) {
		subject, peer = e.Node, e.Process
	}
	operation, _, _ := strings.Cut(e.Detail, ":")
	operation, _, _ = strings.Cut(operation, " ")
	return subject != "" &&
		(w.details == nil || slices.Contains(w.details, e.Detail)) &&
		(w.only == "" || w.only == e.Command) &&
		(p.Subject == anyone || p.Subject == subject) &&
		(p.Peer == "" || p.Peer == peer) &&
		(p.Operation == "" || p.Operation == operation) &&
		(p.Resource == "" || p.Resource == e.Resource) &&
		(p.Command == "" || strings.EqualFold(p.Command, e.Command) || p.means(e, purpose))
}

// means reports whether an event's command is for the same as the pattern's, and only what it does
// says so.
func (p Pattern) means(e sim.Event, purpose sim.Purpose) bool {
	return purpose.AboutLock() && sim.PurposeOf(e.Command) == sim.PurposeUnknown && purpose == p.purpose()
}

// purpose is what the pattern's command is for.
func (p Pattern) purpose() sim.Purpose {
	if named := sim.PurposeOf(p.Command); named != sim.PurposeUnknown {
		return named
	}
	return sim.PurposeOf(strings.ToUpper(p.Command))
}

// aboutNode reports whether the pattern's subject in an event is the node: "any
// crashed" matches both sorts.
func (p Pattern) aboutNode(e sim.Event) bool {
	if p.Subject != anyone {
		return isNodeName(p.Subject)
	}
	_, client := find(clientWords, p.Word)
	_, node := find(nodeWords, p.Word)
	return node && (!client || e.Process == "")
}

// word finds what the pattern's word means for its subject.
func (p Pattern) word() (word, bool) { return find(p.words(), p.Word) }

// words are the words that the pattern's subject allows.
func (p Pattern) words() []word {
	switch {
	case p.Subject == anyone:
		return triggerWords
	case isNodeName(p.Subject):
		return nodeWords
	}
	return clientWords
}

// TriggerWords lists what a pattern can wait for clients and nodes to do.
func TriggerWords() []string { return texts(triggerWords) }

// texts lists the words themselves, each once.
func texts(words []word) []string {
	var list []string
	for _, w := range words {
		if !slices.Contains(list, w.text) {
			list = append(list, w.text)
		}
	}
	return list
}

func find(words []word, text string) (word, bool) {
	for _, w := range words {
		if w.text == text {
			return w, true
		}
	}
	return word{}, false
}
