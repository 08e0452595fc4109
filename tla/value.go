package tla

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of a Value.
type Kind string

// The kinds of values that TLC prints.
const (
	Number     Kind = "number"
	Text       Kind = "text" // a string
	Boolean    Kind = "boolean"
	ModelValue Kind = "model value"
	Set        Kind = "set"
	Tuple      Kind = "tuple"
	Function   Kind = "function" // records too: their keys are of kind Text
)

// Value is a TLA+ value as TLC prints it.
type Value struct {
	Kind     Kind
	Number   int     // Number; 1 for TRUE
	Text     string  // Text (without quotes), ModelValue, Boolean
	Elements []Value // Set, Tuple, in TLC's order
	Entries  []Entry // Function, in TLC's order
}

// Entry maps one element of a function's domain.
type Entry struct{ Key, Value Value }

// At returns the function's value at a record field, string or model value.
func (v Value) At(key string) (Value, bool) {
	for _, entry := range v.Entries {
		if entry.Key.Text == key {
			return entry.Value, true
		}
	}
	return Value{}, false
}

// String prints the value in TLA+ on one line; ParseValue reads it back.
func (v Value) String() string {
	join := func(values []Value) string {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = value.String()
		}
		return strings.Join(texts, ", ")
	}
	switch v.Kind {
	case Number:
		return strconv.Itoa(v.Number)
	case Text:
		return `"` + v.Text + `"`
	case Set:
		return "{" + join(v.Elements) + "}"
	case Tuple:
		return "<<" + join(v.Elements) + ">>"
	case Function:
		texts := make([]string, len(v.Entries))
		for i, entry := range v.Entries {
			texts[i] = entry.Key.String() + " :> " + entry.Value.String()
		}
		return "(" + strings.Join(texts, " @@ ") + ")"
	default:
		return v.Text
	}
}

// maxDepth bounds the nesting that ParseValue accepts.
const maxDepth = 100

// ParseValue reads one TLA+ value in the form in which TLC prints it.
func ParseValue(text string) (Value, error) {
	parser := valueParser{text: text}
	value, err := parser.value(0)
	if err != nil {
		return Value{}, err
	}
	parser.space()
	if parser.at != len(text) {
		return Value{}, parser.fail("end of value")
	}
	return value, nil
}

type valueParser struct {
	text string
	at   int
}

func (p *valueParser) fail(expected string) error {
	return fmt.Errorf("tla: value at byte %d: expected %s in %.40q", p.at, expected, p.text[p.at:])
}

func (p *valueParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take skips space and consumes token when it is next.
func (p *valueParser) take(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], token) {
		p.at += len(token)
		return true
	}
	return false
}

func (p *valueParser) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, p.fail("less nesting")
	}
	switch {
	case p.take("<<"):
		elements, err := p.list(">>", depth)
		return Value{Kind: Tuple, Elements: elements}, err
	case p.take("{"):
		elements, err := p.list("}", depth)
		return Value{Kind: Set, Elements: elements}, err
	case p.take("["):
		entries, err := p.entries("|->", ",", "]", depth)
		return Value{Kind: Function, Entries: entries}, err
	case p.take("("):
		entries, err := p.entries(":>", "@@", ")", depth)
		return Value{Kind: Function, Entries: entries}, err
	case p.take(`"`):
		end := strings.IndexByte(p.text[p.at:], '"')
		if end < 0 {
			return Value{}, p.fail("closing quote")
		}
		text := p.text[p.at : p.at+end]
		p.at += end + 1
		return Value{Kind: Text, Text: text}, nil
	}
	return p.word()
}

func (p *valueParser) word() (Value, error) {
	start := p.at
	for p.at < len(p.text) && isWordByte(p.text[p.at]) {
		p.at++
	}
	word := p.text[start:p.at]
	if word == "" {
		return Value{}, p.fail("a value")
	}
	switch number, err := strconv.Atoi(word); {
	case err == nil:
		return Value{Kind: Number, Number: number}, nil
	case word == "TRUE":
		return Value{Kind: Boolean, Text: word, Number: 1}, nil
	case word == "FALSE":
		return Value{Kind: Boolean, Text: word}, nil
	default:
		return Value{Kind: ModelValue, Text: word}, nil
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func (p *valueParser) list(closing string, depth int) ([]Value, error) {
	var elements []Value
	if p.take(closing) {
		return nil, nil
	}
	for {
		element, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
		if p.take(closing) {
			return elements, nil
		}
		if !p.take(",") {
			return nil, p.fail("a comma or " + closing)
		}
	}
}

func (p *valueParser) entries(arrow, separator, closing string, depth int) ([]Entry, error) {
	var entries []Entry
	for {
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.take(arrow) {
			return nil, p.fail(arrow)
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if arrow == "|->" {
			key.Kind = Text
		}
		entries = append(entries, Entry{Key: key, Value: value})
		if p.take(closing) {
			return entries, nil
		}
		if !p.take(separator) {
			return nil, p.fail(separator + " or " + closing)
		}
	}
}

// Has reports whether a set has a string or model value as an element.
func (v Value) Has(element string) bool {
	for _, e := range v.Elements {
		if e.Text == element {
			return true
		}
	}
	return false
}
