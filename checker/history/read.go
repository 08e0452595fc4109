package history

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

// ReadError says which line of a history could not be read, and why.
type ReadError struct {
	Line int // from 1
	// Column is the byte in the line, from 1; 0 means the whole line.
	Column int
	Err    error
}

func (e *ReadError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns the error without its position.
func (e *ReadError) Unwrap() error { return e.Err }

// Read reads a history. It is strict. Each line holds one JSON object with "kind"
// as its first key. The first line is the header, and there is only one. There is
// no unknown or repeated key, no key in another spelling, and no blank line. Every
// record is valid by itself. The first breach of these rules is a *ReadError; an
// error of the reader is returned as it is. Contradictions between records are
// left to Judge.
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

// record is what all kinds of lines have in common.
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
