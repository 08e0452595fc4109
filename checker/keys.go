package checker

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// shape is what the struct tags of a record say about its keys. A key without omitempty is
// required.
type shape struct {
	members []*member // as in the struct
	byName  map[string]*member
}

// member is one key of an object, or one entry of a list.
type member struct {
	name     string
	bit      uint64 // marks it as seen
	required bool
	of       reflect.Kind
	inside   *shape  // of an object
	entry    *member // of a list
}

// shapes holds the shape of each kind of record.
var shapes = map[Kind]*shape{
	KindHeader:    shapeOf(reflect.TypeFor[Header]()),
	KindOperation: shapeOf(reflect.TypeFor[Operation]()),
	KindLease:     shapeOf(reflect.TypeFor[Lease]()),
	KindNode:      shapeOf(reflect.TypeFor[NodeEvent]()),
	KindAccess:    shapeOf(reflect.TypeFor[Access]()),
	KindFact:      shapeOf(reflect.TypeFor[Fact]()),
	KindGoal:      shapeOf(reflect.TypeFor[Goal]()),
}

func shapeOf(record reflect.Type) *shape {
	result := &shape{byName: map[string]*member{}}
	for position := range record.NumField() {
		field := record.Field(position)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		m := memberOf(field.Type)
		m.name, m.bit, m.required = name, 1<<position, options != "omitempty"
		result.members = append(result.members, m)
		result.byName[name] = m
	}
	return result
}

func memberOf(value reflect.Type) *member {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	m := &member{required: true, of: value.Kind()}
	switch m.of {
	case reflect.Struct:
		m.inside = shapeOf(value)
	case reflect.Slice:
		m.entry = memberOf(value.Elem())
	}
	return m
}

// missingKey is a required key that a record lacks.
type missingKey struct {
	field string
	of    reflect.Kind
}

func (key *missingKey) Error() string {
	return fmt.Sprintf("%s: missing; allowed: %s", key.field, allowedFor[key.of])
}

// keyScan reads the tokens of one line. It notes the required keys that are missing.
type keyScan struct {
	*jsontext.Decoder
	missing []*missingKey
}

// record reads one object, whose first key must be the kind.
func (scan *keyScan) record() (kind Kind, err error) {
	token, err := scan.ReadToken()
	switch {
	case err != nil:
		return "", err
	case token.Kind() != '{':
		return "", errNoObject
	}
	token, err = scan.ReadToken()
	switch {
	case err != nil:
		return "", err
	case token.Kind() != '"' || token.String() != "kind":
		return "", fmt.Errorf("the first key must be \"kind\", not %q", token)
	}
	token, err = scan.ReadToken()
	switch {
	case err != nil:
		return "", err
	case token.Kind() != '"':
		return "", errors.New("kind: must be a string")
	}
	kind = Kind(token.String())
	if err := scan.object(shapes[kind], "kind"); err != nil {
		return "", err
	}
	if scan.PeekKind() != 0 {
		return "", errNoObject // another value follows
	}
	return kind, nil
}

// object reads the rest of an object. The shape is nil if the format has no such object.
func (scan *keyScan) object(of *shape, already string) error {
	var seen uint64
	for scan.PeekKind() != '}' {
		name, err := scan.ReadToken()
		if err != nil {
			return err
		}
		var m *member
		if of != nil {
			m = of.byName[name.String()]
		}
		if m != nil {
			seen |= m.bit
		}
		if err := scan.value(m); err != nil {
			return err
		}
	}
	if _, err := scan.ReadToken(); err != nil || of == nil {
		return err
	}
	for _, m := range of.members {
		if m.required && seen&m.bit == 0 && m.name != already {
			pointer := scan.StackPointer().AppendToken(m.name)
			scan.missing = append(scan.missing, &missingKey{fieldOf(pointer), m.of})
		}
	}
	return nil
}

// value reads one value. The member is nil if the format has no such key.
func (scan *keyScan) value(m *member) error {
	token, err := scan.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case 'n':
		return scan.null(m)
	case '{':
		if m == nil {
			return scan.object(nil, "")
		}
		return scan.object(m.inside, "")
	case '[':
		var entry *member
		if m != nil {
			entry = m.entry
		}
		for scan.PeekKind() != ']' {
			if err := scan.value(entry); err != nil {
				return err
			}
		}
		_, err = scan.ReadToken()
	}
	return err
}

// null refuses a null, which no key allows. An unknown key is refused elsewhere.
func (scan *keyScan) null(m *member) error {
	if m == nil {
		return nil
	}
	allowed := "to leave the key out"
	if m.required {
		allowed = allowedFor[m.of]
	}
	return fmt.Errorf("%s: found null; allowed: %s", fieldOf(scan.StackPointer()), allowed)
}

// fieldOf names a field of a line: validity.0.at_ns.
func fieldOf(pointer jsontext.Pointer) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
}
