package faults

import (
	"fmt"
	"slices"
	"strings"
)

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
	if !nameForm.MatchString(p.Subject) || p.Subject == All {
		return Pattern{}, fmt.Errorf("found %q; allowed: a client's name, a node's name (n1, n2, …) or any", p.Subject)
	}
	w, found := p.word()
	if !found {
		return Pattern{}, fmt.Errorf("found %q after %q; %s", p.Word, p.Subject, Allowed(p.Word, append(texts(p.words()), faultWords...)))
	}
	rest := tokens[2:]
	for i, a := range w.arguments {
		switch {
		case len(rest) == 0:
		case a.preposition == "":
			following := i+1 < len(w.arguments) && rest[0] == w.arguments[i+1].preposition
			if !following && a.valid(rest[0]) {
				*a.field(&p), rest = rest[0], rest[1:]
			}
		case rest[0] != a.preposition:
		case len(rest) == 1:
			return Pattern{}, fmt.Errorf("%q needs a name after it; allowed: %s", text, a.what)
		case !a.valid(rest[1]):
			return Pattern{}, fmt.Errorf("found %q after %q; allowed: %s", rest[1], a.preposition, a.what)
		default:
			*a.field(&p), rest = rest[1], rest[2:]
		}
	}
	if len(rest) > 0 {
		read := strings.Join(tokens[:len(tokens)-len(rest)], " ")
		return Pattern{}, fmt.Errorf("found %q after %q; allowed: %s", rest[0], read, w.allowed())
	}
	return p, nil
}

// allowed says what may follow a word.
func (w word) allowed() string {
	var parts []string
	for _, a := range w.arguments {
		if a.preposition != "" {
			parts = append(parts, fmt.Sprintf("%q and %s", a.preposition, a.what))
		} else {
			parts = append(parts, a.what)
		}
	}
	return strings.Join(append(parts, "nothing"), ", or ")
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
	for _, a := range w.arguments {
		if field := a.field(&p); *field != "" {
			text = append(text, a.preposition, *field)
			*field = ""
		}
	}
	// the word does not take them: a reader refuses them
	text = append(text, p.Operation, p.Command, p.Resource, p.Peer)
	return strings.Join(slices.DeleteFunc(text, func(s string) bool { return s == "" }), " ")
}

// MarshalText writes what String returns.
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
