package checker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLineBytes bounds one line of a history.
const maxLineBytes = 1 << 20

// ReadError says which line of a history could not be read and why.
type ReadError struct {
	Line int // from 1
	// Column is the byte in the line, from 1; 0 when the whole line is meant.
	Column int
	Err    error
}

func (e *ReadError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap gives the reason without its position.
func (e *ReadError) Unwrap() error { return e.Err }

// Read reads a history. It is strict: one JSON object a line with "kind" as
// its first key, the header first and once, no unknown, repeated or
// differently written key, no blank line, every record valid by itself. The
// first breach is a *ReadError; an error of the reader comes back as it is.
// What needs several records to be seen is left to Check.
func Read(reader io.Reader) (*History, error) {
	history := &History{}
	lines := bufio.NewReaderSize(reader, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			if number == 1 {
				return nil, &ReadError{Line: 1, Err: errors.New("the history is empty, its first line must be the header")}
			}
			return history, nil
		}
		if errors.Is(err, errLineTooLong) {
			return nil, &ReadError{Line: number, Err: err}
		}
		if err != nil {
			return nil, err
		}
		if err := history.readRecord(line, number); err != nil {
			return nil, err
		}
	}
}

var errLineTooLong = fmt.Errorf("the line is longer than %d bytes", maxLineBytes)

// readLine returns the next line without its end, io.EOF after the last.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLineBytes {
			return nil, errLineTooLong
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

func (history *History) readRecord(line []byte, number int) *ReadError {
	fail := func(err error) *ReadError { return &ReadError{Line: number, Err: err} }
	if len(bytes.TrimSpace(line)) == 0 {
		return fail(errors.New("the line is blank"))
	}
	kind, usual := quickKeys(line)
	if !usual {
		var column int
		var err error
		if kind, column, err = scanKeys(line); err != nil {
			return &ReadError{Line: number, Column: column, Err: err}
		}
	}
	if (kind == KindHeader) != (number == 1) {
		if number == 1 {
			return fail(fmt.Errorf("kind: the first line must be the header, not %q", kind))
		}
		return fail(errors.New("kind: a second header"))
	}
	switch kind {
	case KindHeader:
		history.Header.Line = number
		return decode(line, number, &history.Header)
	case KindOperation:
		return decodeInto(line, number, &history.Operations, Operation{Line: number})
	case KindLease:
		return decodeInto(line, number, &history.Leases, Lease{Line: number})
	case KindNode:
		return decodeInto(line, number, &history.NodeEvents, NodeEvent{Line: number})
	case KindAccess:
		return decodeInto(line, number, &history.Accesses, Access{Line: number})
	case KindFact:
		return decodeInto(line, number, &history.Facts, Fact{Line: number})
	case KindGoal:
		return decodeInto(line, number, &history.Goals, Goal{Line: number})
	}
	return fail(fmt.Errorf("kind: %q is not known", kind))
}

// record is what every kind of line has in common.
type record interface{ validate() error }

func decodeInto[T any, P interface {
	*T
	record
}](line []byte, number int, list *[]T, value T) *ReadError {
	if err := decode(line, number, P(&value)); err != nil {
		return err
	}
	*list = append(*list, value)
	return nil
}

func decode(line []byte, number int, into record) *ReadError {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return &ReadError{Line: number, Column: columnOf(err), Err: err}
	}
	if err := into.validate(); err != nil {
		return &ReadError{Line: number, Err: err}
	}
	return nil
}

func columnOf(err error) int {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset)
	case errors.As(err, &mismatch):
		return int(mismatch.Offset)
	}
	return 0
}

// scanKeys walks over one line's tokens. It finds what encoding/json lets
// pass: a key given twice, a key in other letters than the documented ones, a
// null, something after the object, and a kind that is not the first key.
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
			return "", column, errors.New("null stands for nothing here: leave the key out")
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
					return "", column, errors.New("kind: must be a text")
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

// level is one object or array that the scan is inside of.
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
