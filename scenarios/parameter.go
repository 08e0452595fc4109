package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/faults"
)

// ParameterKind says what the values of a parameter are.
type ParameterKind string

// The kinds, and what their numbers mean: Number counts in the parameter's own
// unit, Duration in nanoseconds, Percent in parts per million, Word in places of its list.
const (
	NumberParameter   ParameterKind = "number"
	DurationParameter ParameterKind = "duration"
	PercentParameter  ParameterKind = "percent"
	WordParameter     ParameterKind = "word"
)

// Parameter is a value that fields of a scenario file refer to as $name, and that
// --set and sweeps can change.
type Parameter struct {
	Name    string        `json:"name"`
	Meaning string        `json:"meaning"`
	Kind    ParameterKind `json:"kind"`
	Unit    string        `json:"unit,omitempty"` // of numbers: "ppm"; the other kinds carry theirs
	Value   string        `json:"value"`          // in this scenario, as it goes into the fields
	Low     int64         `json:"low,omitempty"`  // with High, the closed range of all but words
	High    int64         `json:"high,omitempty"`
	Words   []string      `json:"words,omitempty"`
}

// Setting gives a parameter another value.
type Setting struct {
	Name, Value string
}

// String is the setting as --set takes it.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// ParseSetting reads "name=value".
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return Setting{}, fmt.Errorf("found %s; allowed: name=value", quoted(text))
	}
	return Setting{name, value}, nil
}

// Parameter finds a parameter by its name. The error says which there are.
func (s *Scenario) Parameter(name string) (Parameter, error) {
	names := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	if len(names) == 0 {
		return Parameter{}, fmt.Errorf("found the parameter %s, but %s declares none", quoted(name), s.Name)
	}
	return Parameter{}, fmt.Errorf("found the unknown parameter %s of %s; %s", quoted(name), s.Name, faults.Allowed(name, names))
}

// With is the scenario with other values for some of its parameters. Its name
// carries them, as in "BA-8@node_rate_ppm=500"; what is expected stays what the
// file says. An error is about a setting, or FileErrors where a value does not fit a field.
func (s *Scenario) With(settings ...Setting) (*Scenario, error) {
	name := s.Name
	settings = slices.Clone(settings)
	for i, setting := range settings {
		p, err := s.Parameter(setting.Name)
		if err != nil {
			return nil, err
		}
		n, err := p.Parse(setting.Value)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", p.Name, s.Name, err)
		}
		if slices.ContainsFunc(settings[:i], func(other Setting) bool { return other.Name == setting.Name }) {
			return nil, fmt.Errorf("found %s twice; allowed: once", p.Name)
		}
		settings[i].Value = p.Format(n)
		name += "@" + settings[i].String()
	}
	set, err := parse(s.Path, s.text, settings)
	if err != nil {
		return nil, err
	}
	set.Name = name
	return set, nil
}

// Parse reads a value and holds it to the parameter's range. See [ParameterKind] for the result's unit.
func (p Parameter) Parse(text string) (int64, error) {
	n, err := p.ParseStep(text)
	if err == nil && p.Kind != WordParameter && (n < p.Low || n > p.High) {
		err = fmt.Errorf("found %s; allowed: %s", quoted(text), p.Allowed())
	}
	return n, err
}

// ParseStep reads a value of the parameter's kind, in its range or not: the
// distance between two values.
func (p Parameter) ParseStep(text string) (n int64, err error) {
	switch p.Kind {
	case NumberParameter:
		n, err = strconv.ParseInt(text, 10, 64)
	case DurationParameter:
		var d time.Duration
		d, err = faults.ParseDuration(text)
		n = int64(d)
	case PercentParameter:
		n, err = faults.ParsePercent(text)
	case WordParameter:
		n = int64(slices.Index(p.Words, text))
	}
	if err != nil || n < 0 && p.Kind == WordParameter {
		return 0, fmt.Errorf("found %s; allowed: %s", quoted(text), p.Allowed())
	}
	return n, nil
}

// Format is the inverse of Parse, one spelling for each value.
func (p Parameter) Format(n int64) string {
	switch p.Kind {
	case DurationParameter:
		return time.Duration(n).String()
	case PercentParameter:
		return strconv.FormatFloat(float64(n)/1e4, 'f', -1, 64) + "%"
	case WordParameter:
		return p.Words[n]
	}
	return strconv.FormatInt(n, 10)
}

// Allowed says which values the parameter can have.
func (p Parameter) Allowed() string {
	switch {
	case p.Kind == WordParameter:
		return list(p.Words)
	case p.Low == math.MinInt64:
		return "a value like " + p.Value
	case p.Kind == NumberParameter:
		return fmt.Sprintf("a whole number from %d to %d, in %s", p.Low, p.High, p.Unit)
	}
	return fmt.Sprintf("a %s from %s to %s", p.Kind, p.Format(p.Low), p.Format(p.High))
}

// kindOf says of which kind a value is.
func kindOf(value string) ParameterKind {
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		return NumberParameter
	}
	if _, err := faults.ParseDuration(value); err == nil {
		return DurationParameter
	}
	if strings.HasSuffix(value, "%") {
		return PercentParameter
	}
	return WordParameter
}
