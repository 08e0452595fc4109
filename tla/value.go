package tla

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is the kind of a Value.
type Kind string

// The kinds of values.
const (
	Word     Kind = "word" // a number, TRUE, FALSE or a model value
	Text     Kind = "text" // a string
	Set      Kind = "set"
	Tuple    Kind = "tuple"
	Function Kind = "function" // records too: their keys are of kind Text
)

// Value is a TLA+ value as TLC prints it.
type Value struct {
	Kind     Kind
	Text     string  // Word; Text, without quotes
	Elements []Value // Set, Tuple, in TLC's order
	Entries  []Entry // Function, in TLC's order
}

// Entry maps one element of a function's domain.
type Entry struct{ Key, Value Value }

// At returns the function's value at a record field, string or model value, and
// the zero Value outside its domain.
func (v Value) At(key string) Value {
	for _, entry := range v.Entries {
		if entry.Key.Text == key {
			return entry.Value
		}
	}
	return Value{}
}

// Has reports whether a set has a string or model value as an element.
func (v Value) Has(element string) bool {
	return slices.ContainsFunc(v.Elements, func(e Value) bool { return e.Text == element })
}

// maxDepth bounds the nesting that ParseValue accepts.
const maxDepth = 100

// ParseValue reads one TLA+ value in the form in which TLC prints it.
func ParseValue(text string) (Value, error) {
	parser := valueParser{text: text, rest: text}
	value := parser.value()
	if parser.rest = strings.TrimSpace(parser.rest); parser.rest != "" {
		parser.fail("end of value")
	}
	return value, parser.err
}

// valueParser reads values until the first error; after it, nothing matches.
type valueParser struct {
	text, rest string
	depth      int
	err        error
}

func (p *valueParser) fail(expected string) {
	if p.err == nil {
		p.err = fmt.Errorf("tla: value at byte %d: expected %s in %.40q", len(p.text)-len(p.rest), expected, p.rest)
	}
}

// take skips space and consumes token when it is next.
func (p *valueParser) take(token string) bool {
	if p.err != nil {
		return false
	}
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	rest, found := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return found
}

func (p *valueParser) value() (v Value) {
	p.depth++
	defer func() { p.depth-- }()
	element := func() { v.Elements = append(v.Elements, p.value()) }
	switch {
	case p.depth > maxDepth:
		p.fail("less nesting")
	case p.take("<<"):
		v.Kind = Tuple
		p.list(",", ">>", element)
	case p.take("{"):
		v.Kind = Set
		p.list(",", "}", element)
	case p.take("["):
		v.Kind = Function
		p.list(",", "]", func() { v.Entries = append(v.Entries, p.entry("|->")) })
	case p.take("("):
		v.Kind = Function
		p.list("@@", ")", func() { v.Entries = append(v.Entries, p.entry(":>")) })
	case p.take(`"`):
		v.Kind = Text
		text, rest, closed := strings.Cut(p.rest, `"`)
		if !closed {
			p.fail("closing quote")
		}
		v.Text, p.rest = text, rest
	default:
		v.Kind, v.Text = Word, wordAtStart.FindString(p.rest)
		if v.Text == "" {
			p.fail("a value")
		}
		p.rest = p.rest[len(v.Text):]
	}
	return v
}

var wordAtStart = regexp.MustCompile(`^[\w-]+`)

// list reads items until closing.
func (p *valueParser) list(separator, closing string, item func()) {
	if p.take(closing) {
		return
	}
	for {
		item()
		if p.take(closing) {
			return
		}
		if !p.take(separator) {
			p.fail(separator + " or " + closing)
			return
		}
	}
}

func (p *valueParser) entry(arrow string) (entry Entry) {
	entry.Key = p.value()
	if arrow == "|->" {
		entry.Key.Kind = Text
	}
	if !p.take(arrow) {
		p.fail(arrow)
	}
	entry.Value = p.value()
	return entry
}
