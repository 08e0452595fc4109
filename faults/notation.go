package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// String is the fault in one line, which ParseLine and YAML read.
func (f Fault) String() string {
	var parts []string
	for _, field := range f.Fields() {
		parts = append(parts, field.Key+": "+field.Value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ParseLine reads what String wrote.
func ParseLine(line string) (Fault, error) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(line), "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return Fault{}, fmt.Errorf("found %q; allowed: {name: …, <kind>: …, at: … }", line)
	}
	var fields []Field
	for _, part := range strings.Split(inner, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(part), ":")
		if !found {
			return Fault{}, fmt.Errorf("found %q; allowed: <word>: <value>", strings.TrimSpace(part))
		}
		fields = append(fields, Field{strings.TrimSpace(key), strings.TrimSpace(value)})
	}
	f, problems := Parse(fields)
	return f, join(problems)
}

// MarshalJSON writes an object of strings in the order of Fields.
func (f Fault) MarshalJSON() ([]byte, error) {
	var parts []string
	for _, field := range f.Fields() {
		key, _ := json.Marshal(field.Key) // a string never makes it fail
		value, _ := json.Marshal(field.Value)
		parts = append(parts, string(key)+":"+string(value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Fault) UnmarshalJSON(data []byte) error {
	fields, err := jsonFields(data)
	if err != nil {
		return err
	}
	parsed, problems := Parse(fields)
	if err := join(problems); err != nil {
		return err
	}
	*f = parsed
	return nil
}

// jsonFields keeps the order and the duplicates of an object, which a map would lose.
func jsonFields(data []byte) ([]Field, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("found %s; allowed: a fault as an object", data)
	}
	var fields []Field
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value string
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%v: found no string; allowed: a value in quotes", key)
		}
		fields = append(fields, Field{key.(string), value})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return fields, nil
}
