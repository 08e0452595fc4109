package tla

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Value is a TLA+ value as TLC prints it. The pinned TLC (2.18) has neither -dumpTrace nor a
// module that writes JSON, so its text is all that there is to read.
type Value struct {
	// Opening is the bracket or quote that the value begins with: "<<", "{", "(" of a function
	// or a record, or `"`. It is empty for a number, TRUE, FALSE and a model value.
	Opening  string
	Text     string  // without quotes; empty where there are Elements or Entries
	Elements []Value // of a set or a tuple, in TLC's order
	Entries  []Entry // of a function, in TLC's order
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

// brackets are those of values with parts. Without an arrow the parts are elements.
var brackets = []struct{ opening, closing, separator, arrow string }{
	{"<<", ">>", ",", ""},
	{"{", "}", ",", ""},
	{"[", "]", ",", "|->"}, // a record
	{"(", ")", "@@", ":>"},
}

func (p *valueParser) value() (v Value) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.fail("less nesting")
		return v
	}
	for _, b := range brackets {
		if !p.take(b.opening) {
			continue
		}
		v.Opening = b.opening
		for first := true; p.err == nil && !p.take(b.closing); first = false {
			if !first && !p.take(b.separator) {
				p.fail(b.separator + " or " + b.closing)
			}
			p.part(&v, b.arrow)
		}
		if b.arrow != "" {
			v.Opening = "("
		}
		return v
	}
	if p.take(`"`) {
		text, rest, closed := strings.Cut(p.rest, `"`)
		if !closed {
			p.fail("closing quote")
		}
		v.Opening, v.Text, p.rest = `"`, text, rest
		return v
	}
	v.Text = wordAtStart.FindString(p.rest)
	if v.Text == "" {
		p.fail("a value")
	}
	p.rest = p.rest[len(v.Text):]
	return v
}

var wordAtStart = regexp.MustCompile(`^[\w-]+`)

// part reads an element, or a key and its value.
func (p *valueParser) part(v *Value, arrow string) {
	part := p.value()
	if arrow == "" {
		v.Elements = append(v.Elements, part)
		return
	}
	if arrow == "|->" {
		part.Opening = `"`
	}
	if !p.take(arrow) {
		p.fail(arrow)
	}
	v.Entries = append(v.Entries, Entry{part, p.value()})
}
