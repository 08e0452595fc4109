package checker

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
		return printable(fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err))
	}
	return printable(fmt.Sprintf("line %d: %v", e.Line, e.Err))
}

// Unwrap returns the error without its position.
func (e *ReadError) Unwrap() error { return e.Err }

// Read reads a history. It is strict. Each line holds one JSON object with "kind"
// as its first key. The first line is the header, and there is only one. There is
// no unknown, repeated or missing key, no key in another spelling, and no blank line.
// Every record is valid by itself. The first breach of these rules is a *ReadError; an
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
	fail := func(err error) *ReadError {
		column, err := worded(err, line)
		return &ReadError{Line: number, Column: column, Err: err}
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return fail(errors.New("the line is blank"))
	}
	scan := keyScan{Decoder: jsontext.NewDecoder(bytes.NewBuffer(line))}
	kind, err := scan.record()
	if err != nil {
		refused := fail(err)
		refused.Column = cmp.Or(refused.Column, int(scan.InputOffset()))
		return refused
	}
	if (kind == KindHeader) != (number == 1) {
		if number == 1 {
			return fail(fmt.Errorf("kind: the first line must be the header, not %q", kind))
		}
		return fail(errors.New("kind: a second header"))
	}
	into := history.added(kind)
	if into == nil {
		return fail(fmt.Errorf("kind: %q is not known", kind))
	}
	into.head().Line = number
	if err := json.Unmarshal(line, into, json.RejectUnknownMembers(true)); err != nil {
		return fail(err)
	}
	if err := complete(into, scan.missing); err != nil {
		return fail(err)
	}
	return nil
}

// added adds an empty record of a kind; nil: the kind is not known.
func (history *History) added(kind Kind) record {
	switch kind {
	case KindHeader:
		return &history.Header
	case KindOperation:
		return addTo(&history.Operations)
	case KindLease:
		return addTo(&history.Leases)
	case KindNode:
		return addTo(&history.NodeEvents)
	case KindAccess:
		return addTo(&history.Accesses)
	case KindFact:
		return addTo(&history.Facts)
	case KindGoal:
		return addTo(&history.Goals)
	}
	return nil
}

func addTo[T any, P recordOf[T]](list *[]T) P {
	*list = append(*list, *new(T))
	return &(*list)[len(*list)-1]
}

// complete checks that a record is valid and lacks no required key. A record of another version
// may have other keys. Of missing words, validate knows which ones are allowed.
func complete(into record, missing []*missingKey) error {
	err := into.validate()
	if header, ok := into.(*Header); ok && header.Version != Version && header.Version != 0 {
		return err
	}
	for _, key := range missing {
		if key.of != reflect.String {
			return key
		}
	}
	if err == nil && len(missing) > 0 {
		return missing[0]
	}
	return err
}

var errNoObject = errors.New("the line is not one whole JSON object")

// worded says an error of package json by the keys of the format. It also returns the column,
// 0 when that is not known.
func worded(err error, line []byte) (int, error) {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		column := int(syntax.ByteOffset) + 1
		switch {
		case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
			return column, fmt.Errorf("key %q is given twice", syntax.JSONPointer.LastToken())
		case errors.Is(syntax.Err, io.ErrUnexpectedEOF):
			return column, errNoObject
		case !utf8.Valid(line):
			return column, notUnicode(syntax, "bytes that are not UTF-8")
		case strings.Contains(syntax.Err.Error(), "surrogate"): // the package has no error to compare with
			return column, notUnicode(syntax, "half of a surrogate pair")
		}
		return column, syntax.Err
	}
	mismatch, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return 0, err
	}
	column := int(mismatch.ByteOffset) + 1
	if errors.Is(mismatch.Err, json.ErrUnknownName) {
		return column, fmt.Errorf("key %q is not known; all keys are in small letters", mismatch.JSONPointer.LastToken())
	}
	field := fieldOf(mismatch.JSONPointer)
	found := string(mismatch.JSONValue)
	switch {
	case mismatch.JSONKind == '"':
		found = stringAt(line[mismatch.ByteOffset:])
	case errors.Is(mismatch.Err, strconv.ErrRange):
		return column, beyond(field, found)
	case found == "":
		found = mismatch.JSONKind.String()
	}
	return column, fmt.Errorf("%s: found %.40s; allowed: %s", field, found, allowedFor[mismatch.GoType.Kind()])
}

// notUnicode says that a string, or a key, is no Unicode text.
func notUnicode(syntax *jsontext.SyntacticError, found string) error {
	field := cmp.Or(fieldOf(syntax.JSONPointer), "key")
	return fmt.Errorf("%s: found %s; allowed: valid Unicode", field, found)
}

// stringAt quotes the string with which a text begins, behind blanks and marks. A long one is cut.
func stringAt(text []byte) string {
	value, err := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimLeft(text, " \t\r:,"))).ReadToken()
	if err != nil || value.Kind() != '"' {
		return "a string"
	}
	return fmt.Sprintf("%.20q (a string)", value.String())
}

// beyond says which bound an integer exceeds that fits into no 64 bits.
func beyond(field, found string) error {
	isTime := strings.HasSuffix(field, "_ns")
	signed := strings.HasSuffix(field, "delta_ns") || strings.HasSuffix(field, "remaining_ns")
	lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
	if isTime {
		lowest, highest = -maxTimeNS, maxTimeNS
	}
	switch {
	case !strings.HasPrefix(found, "-"):
		return fmt.Errorf("%s: %.40s is beyond %d", field, found, highest)
	case isTime && !signed:
		return fmt.Errorf("%s: %.40s is negative", field, found)
	}
	return fmt.Errorf("%s: %.40s is below %d", field, found, lowest)
}

// allowedFor says which JSON a field takes, by its type in Go.
var allowedFor = map[reflect.Kind]string{
	reflect.Int: "an integer", reflect.Int64: "an integer", reflect.Bool: "true or false",
	reflect.String: "a string", reflect.Slice: "a list", reflect.Struct: "an object",
}
