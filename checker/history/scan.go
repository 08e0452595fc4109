package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// scanKeys reads the tokens of one line. It finds what encoding/json accepts and
// the format does not: a key given twice, a key in other letters than the
// documented ones, a null, text after the object, and a kind that is not the
// first key.
func scanKeys(line []byte) (kind Kind, column int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	var levels []level
	keys := 0
	for {
		token, err := decoder.Token()
		column := int(decoder.InputOffset())
		if errors.Is(err, io.EOF) {
			if len(levels) > 0 || column == 0 || keys == 0 {
				return "", column, errors.New("the line is not one whole JSON object")
			}
			return kind, 0, nil
		}
		if err != nil {
			if found := columnOf(err); found > 0 {
				column = found
			}
			return "", column, err
		}
		if len(levels) == 0 && (keys > 0 || token != json.Delim('{')) {
			return "", column, errors.New("the line is not one whole JSON object")
		}
		if token == nil {
			return "", column, errors.New("found null; allowed: to leave the key out")
		}
		if len(levels) > 0 && levels[len(levels)-1].expectsKey() && token != json.Delim('}') {
			key, _ := token.(string)
			keys++
			if keys == 1 {
				if key != "kind" {
					return "", column, fmt.Errorf("the first key must be \"kind\", not %q", key)
				}
				value, err := decoder.Token()
				name, isText := value.(string)
				if err != nil || !isText {
					return "", column, errors.New("kind: must be a string")
				}
				kind = Kind(name)
				levels[0].seen = append(levels[0].seen, key)
				continue
			}
			if err := levels[len(levels)-1].add(key); err != nil {
				return "", column, err
			}
			continue
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			levels = append(levels, level{object: token == json.Delim('{')})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
			if len(levels) > 0 {
				levels[len(levels)-1].awaitsValue = false
			} else if keys == 0 {
				return "", column, errors.New("the first key must be \"kind\"")
			}
		default:
			levels[len(levels)-1].awaitsValue = false
		}
	}
}

// level is an object or array that the scan is inside of.
type level struct {
	object      bool
	awaitsValue bool
	seen        []string
}

func (l *level) expectsKey() bool { return l.object && !l.awaitsValue }

func (l *level) add(key string) error {
	for i := range len(key) {
		if !(key[i] == '_' || key[i] >= 'a' && key[i] <= 'z') {
			return fmt.Errorf("key %q: keys are written in small letters", key)
		}
	}
	for _, earlier := range l.seen {
		if earlier == key {
			return fmt.Errorf("key %q is given twice", key)
		}
	}
	l.seen = append(l.seen, key)
	l.awaitsValue = true
	return nil
}

// quickKeys does the same as scanKeys for almost every line, several times faster:
// it reads the bytes of a line that is valid JSON. It is not ok for an unusual
// line, right or wrong; scanKeys then decides.
func quickKeys(line []byte) (kind Kind, ok bool) {
	if !json.Valid(line) {
		return "", false
	}
	type object struct {
		from  int // its first in keys
		array bool
	}
	// Both stay on the stack for a usual line.
	levels, keys := make([]object, 0, 8), make([][]byte, 0, 24) // keys of all levels, the outermost first
	var key []byte                                              // the key whose value comes next; nil before a key or an element
	first := true
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '[':
			if len(levels) == 0 && line[i] == '[' {
				return "", false
			}
			levels, key = append(levels, object{len(keys), line[i] == '['}), nil
		case '}', ']':
			keys = keys[:levels[len(levels)-1].from]
			levels, key = levels[:len(levels)-1], nil
		case 'n': // outside of strings only null contains it
			return "", false
		case '"':
			end := i + 1
			for line[end] != '"' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			text := line[i+1 : end]
			i = end
			switch {
			case len(levels) == 0:
				return "", false
			case levels[len(levels)-1].array:
			case key == nil:
				inner := keys[levels[len(levels)-1].from:]
				if !plainKey(text) || slices.ContainsFunc(inner, func(earlier []byte) bool { return string(earlier) == string(text) }) {
					return "", false
				}
				if first && string(text) != "kind" {
					return "", false
				}
				keys, key = append(keys, text), text
			default:
				if first {
					kind = Kind(text)
				}
				first, key = false, nil
			}
		case ',':
			if first {
				return "", false // the kind is not a string
			}
			key = nil
		}
	}
	return kind, !first
}

// plainKey reports whether a key has only the letters of the documented keys.
func plainKey(key []byte) bool {
	return !slices.ContainsFunc(key, func(b byte) bool { return b != '_' && (b < 'a' || b > 'z') })
}
