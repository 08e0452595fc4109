package checker

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// shape is what the types and tags of a record say about its value, one of its keys or an entry
// of a list. A key without omitempty is required.
type shape struct {
	name     string // of a key
	required bool
	of       reflect.Kind
	members  []*shape // of an object, as in the struct
	entry    *shape   // of a list
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

// unknown is the shape of what the format does not have.
var unknown = &shape{}

func shapeOf(value reflect.Type) *shape {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	result := &shape{required: true, of: value.Kind()}
	switch result.of {
	case reflect.Slice:
		result.entry = shapeOf(value.Elem())
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(value) {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			member := shapeOf(field.Type)
			member.name, member.required = name, options != "omitempty"
			result.members = append(result.members, member)
		}
	}
	return result
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
	for position := range 3 {
		token, err := scan.ReadToken()
		switch {
		case err != nil:
			return "", err
		case position == 0 && token.Kind() != '{':
			return "", errNoObject
		case position == 1 && (token.Kind() != '"' || token.String() != "kind"):
			return "", fmt.Errorf("the first key must be \"kind\", not %q", token)
		case position == 2 && token.Kind() != '"':
			return "", errors.New("kind: must be a string")
		}
		kind = Kind(token.String())
	}
	if err := scan.object(cmp.Or(shapes[kind], unknown), 1); err != nil { // Head has the first key
		return "", err
	}
	if scan.PeekKind() != 0 {
		return "", errNoObject // another value follows
	}
	return kind, nil
}

// object reads the rest of an object. Seen has a bit for each key that was read before.
func (scan *keyScan) object(of *shape, seen uint64) error {
	for scan.PeekKind() != '}' {
		key, err := scan.ReadToken()
		if err != nil {
			return err
		}
		value, name := unknown, key.String()
		if i := slices.IndexFunc(of.members, func(m *shape) bool { return m.name == name }); i >= 0 {
			value, seen = of.members[i], seen|1<<i
		}
		if err := scan.value(value); err != nil {
			return err
		}
	}
	_, err := scan.ReadToken()
	for i, m := range of.members {
		if m.required && seen&(1<<i) == 0 {
			pointer := scan.StackPointer().AppendToken(m.name)
			scan.missing = append(scan.missing, &missingKey{fieldOf(pointer), m.of})
		}
	}
	return err
}

// value reads one value. No key allows null; one of an unknown key is refused elsewhere.
func (scan *keyScan) value(of *shape) error {
	token, err := scan.ReadToken()
	switch {
	case err != nil:
		return err
	case token.Kind() == 'n' && of != unknown:
		allowed := "to leave the key out"
		if of.required {
			allowed = allowedFor[of.of]
		}
		return fmt.Errorf("%s: found null; allowed: %s", fieldOf(scan.StackPointer()), allowed)
	case token.Kind() == '{':
		return scan.object(of, 0)
	case token.Kind() == '[':
		for scan.PeekKind() != ']' {
			if err := scan.value(cmp.Or(of.entry, unknown)); err != nil {
				return err
			}
		}
		_, err = scan.ReadToken()
	}
	return err
}

// fieldOf names a field of a line: validity.0.at_ns.
func fieldOf(pointer jsontext.Pointer) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
}
