package faults

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/sim"
)

// anyone is the word for every client or every node.
const anyone = "any"

// ParsePattern reads a pattern. Its errors say what was found and what is allowed.
func ParsePattern(text string) (Pattern, error) {
	tokens := strings.Fields(text)
	if len(tokens) < 2 {
		return Pattern{}, fmt.Errorf("found %q; allowed: <client or node> <what it did>, or <fault> began | ended", text)
	}
	if last := tokens[len(tokens)-1]; slices.Contains(faultWords, last) {
		name := strings.Join(tokens[:len(tokens)-1], " ")
		if err := checkName(name); err != nil {
			return Pattern{}, err
		}
		return Pattern{Fault: name, Word: last}, nil
	}
	p := Pattern{Subject: tokens[0], Word: tokens[1]}
	if !isWord(p.Subject) || p.Subject == All {
		return Pattern{}, fmt.Errorf("found %q; allowed: a client's name, a node's name (n1, n2, …) or any", p.Subject)
	}
	w, found := p.word()
	if !found {
		return Pattern{}, fmt.Errorf("found %q after %q; %s", p.Word, p.Subject, Allowed(p.Word, p.words()))
	}
	rest, err := p.parseArguments(w, tokens[2:])
	if err != nil {
		return Pattern{}, err
	}
	if len(rest) > 0 {
		return Pattern{}, fmt.Errorf("found %q after %q; allowed: %s", rest[0],
			strings.Join(tokens[:len(tokens)-len(rest)], " "), w.arguments())
	}
	return p, nil
}

// parseArguments reads what may follow a word and returns what is left.
func (p *Pattern) parseArguments(w word, tokens []string) ([]string, error) {
	take := func() (string, error) {
		if len(tokens) == 0 || !isWord(tokens[0]) {
			return "", fmt.Errorf("%q needs a name behind it; allowed: %s", p.Subject+" "+p.Word, w.arguments())
		}
		token := tokens[0]
		tokens = tokens[1:]
		return token, nil
	}
	var err error
	if w.operation && len(tokens) > 0 && slices.Contains(operations, tokens[0]) {
		p.Operation, tokens = tokens[0], tokens[1:]
	}
	if w.command && len(tokens) > 0 && tokens[0] != w.peer {
		if p.Command, err = take(); err != nil {
			return nil, err
		}
	}
	if w.resource {
		if w.operation && len(tokens) > 0 && tokens[0] == "of" {
			tokens = tokens[1:]
			p.Resource, err = take()
		} else if !w.operation && len(tokens) > 0 {
			p.Resource, err = take()
		}
		if err != nil {
			return nil, err
		}
	}
	if w.peer != "" && len(tokens) > 0 && tokens[0] == w.peer {
		tokens = tokens[1:]
		if p.Peer, err = take(); err != nil {
			return nil, err
		}
		if isNodeName(p.Peer) != (w.peerSort() == "node") || p.Peer == anyone || p.Peer == All {
			return nil, fmt.Errorf("found %q behind %q; allowed: the name of a %s", p.Peer, w.peer, w.peerSort())
		}
	}
	return tokens, nil
}

// arguments says what may follow a word.
func (w word) arguments() string {
	var parts []string
	if w.operation {
		parts = append(parts, "an operation ("+strings.Join(operations, ", ")+")")
	}
	if w.command {
		parts = append(parts, "a command's name")
	}
	if w.resource && w.operation {
		parts = append(parts, `"of" and a resource`)
	} else if w.resource {
		parts = append(parts, "a resource")
	}
	if w.peer != "" {
		parts = append(parts, fmt.Sprintf("%q and the name of a %s", w.peer, w.peerSort()))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ") + ", or nothing"
}

// peerSort is "node" or "client".
func (w word) peerSort() string {
	if slices.Contains([]sim.Kind{sim.Deliver, sim.Execute, sim.Reply, sim.Refuse}, w.kind) {
		return "client"
	}
	return "node"
}

// String is the inverse of ParsePattern; the zero pattern is "".
func (p Pattern) String() string {
	if p.IsZero() {
		return ""
	}
	if p.Fault != "" {
		return p.Fault + " " + p.Word
	}
	w, _ := p.word()
	text := []string{p.Subject, p.Word}
	if p.Operation != "" {
		text = append(text, p.Operation)
	}
	if p.Command != "" {
		text = append(text, p.Command)
	}
	if p.Resource != "" {
		if w.operation {
			text = append(text, "of")
		}
		text = append(text, p.Resource)
	}
	if p.Peer != "" {
		text = append(text, w.peer, p.Peer)
	}
	return strings.Join(text, " ")
}

// MarshalText is String, for plans.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = Pattern{}
		return nil
	}
	parsed, err := ParsePattern(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// Match reports whether an event is one that the pattern speaks of. Patterns
// about other faults match no event: beginnings and ends are not events.
func (p Pattern) Match(e sim.Event) bool {
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
		(w.detail == "" || slices.Contains(strings.Split(w.detail, "|"), e.Detail)) &&
		(w.its == "" || w.its == e.Command) &&
		(p.Subject == anyone || p.Subject == subject) &&
		(p.Peer == "" || p.Peer == peer) &&
		(p.Operation == "" || p.Operation == operation) &&
		(p.Resource == "" || p.Resource == e.Resource) &&
		(p.Command == "" || strings.EqualFold(p.Command, e.Command))
}

// aboutNode says whose event it is: "any crashed" speaks of both sorts.
func (p Pattern) aboutNode(e sim.Event) bool {
	if p.Subject != anyone {
		return isNodeName(p.Subject)
	}
	_, client := find(clientWords, p.Word)
	_, node := find(nodeWords, p.Word)
	if client && node {
		return e.Process == ""
	}
	return node
}

// word finds what the pattern's word means for its subject.
func (p Pattern) word() (word, bool) {
	if p.Subject == anyone {
		if w, found := find(clientWords, p.Word); found {
			return w, true
		}
		return find(nodeWords, p.Word)
	}
	if isNodeName(p.Subject) {
		return find(nodeWords, p.Word)
	}
	return find(clientWords, p.Word)
}

// words are the words that the pattern's subject allows.
func (p Pattern) words() []string {
	var list []string
	if p.Subject == anyone || !isNodeName(p.Subject) {
		for _, w := range clientWords {
			list = append(list, w.text)
		}
	}
	if p.Subject == anyone || isNodeName(p.Subject) {
		for _, w := range nodeWords {
			if !slices.Contains(list, w.text) {
				list = append(list, w.text)
			}
		}
	}
	return list
}

// TriggerWords lists what clients and nodes can be waited for to do, each word once.
func TriggerWords() []string {
	var list []string
	for _, w := range slices.Concat(clientWords, nodeWords) {
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

// isWord reports whether s can be a name: a letter, then letters, digits, _ or -.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && (i == 0 || s[i] != '_' && s[i] != '-' && (s[i] < '0' || s[i] > '9')) {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isNodeName reports whether s has the form of a node's name: n1, n2, …
func isNodeName(s string) bool { return len(s) > 1 && s[0] == 'n' && allDigits(s[1:]) }

// CheckClientName says what is wrong with a client's name; nil when nothing is.
func CheckClientName(name string) error {
	if !isWord(name) || isNodeName(name) || name == All || name == anyone {
		return fmt.Errorf("found %q; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", name)
	}
	return nil
}

// checkName says what is wrong with a fault's name.
func checkName(name string) error {
	valid := name != "" && isLetter(name[0]) && strings.Join(strings.Fields(name), " ") == name
	for i := 0; i < len(name) && valid; i++ {
		c := name[i]
		valid = isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte(" _.'-", c) >= 0
	}
	if !valid {
		return fmt.Errorf("found %q; allowed for a fault's name: a letter, then letters, digits, single blanks and _ . ' -", name)
	}
	return nil
}
