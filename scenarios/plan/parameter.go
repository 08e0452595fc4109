package plan

import (
	"errors"
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

// The kinds of parameters.
const (
	NumberParameter   ParameterKind = "number"   // in the parameter's own unit
	DurationParameter ParameterKind = "duration" // in nanoseconds
	PercentParameter  ParameterKind = "percent"  // in parts per million
	WordParameter     ParameterKind = "word"     // indexes of Words
)

// Parameter is a value of a scenario that the flag --set and maps change: one that the
// file declares and that its fields refer to as $name, a field of the file, or an option of
// a subject.
type Parameter struct {
	Name    string        `json:"name"`
	Meaning string        `json:"meaning"`
	Kind    ParameterKind `json:"kind"`
	Unit    string        `json:"unit,omitempty"` // of numbers: "ppm"; may be empty
	Value   string        `json:"value"`          // in this scenario, as the fields contain it
	Low     int64         `json:"low,omitempty"`  // with High, the closed range; not of words
	High    int64         `json:"high,omitempty"`
	Words   []string      `json:"words,omitempty"`
	Span    bool          `json:"span,omitempty"` // a duration that may also be a range of durations, like 1ms..5ms
	Range   string        `json:"-"`              // in words, in place of Low and High
	Places  []string      `json:"-"`              // the paths of the fields that it sets; none: a declared parameter
}

// Setting gives a parameter another value.
type Setting struct {
	Name, Value string
}

// String is the setting as --set accepts it.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// ParseSetting reads "name=value".
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return Setting{}, fmt.Errorf("found %s; allowed: name=value", strconv.Quote(text))
	}
	return Setting{name, value}, nil
}

// Parameter finds a declared parameter by its name, or one that was set. The error lists
// those that there are.
func (s *Scenario) Parameter(name string) (Parameter, error) {
	i := slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.Name == name })
	switch {
	case i >= 0:
		return s.Parameters[i], nil
	case len(s.Parameters) == 0:
		return Parameter{}, fmt.Errorf("found the parameter %q, but %s declares none", name, s.Name)
	}
	names := Texts(s.Parameters, func(p Parameter) string { return p.Name })
	return Parameter{}, fmt.Errorf("found the unknown parameter %q of %s; %s", name, s.Name, faults.Allowed(name, names))
}

// Parse reads a value in the parameter's range. See [ParameterKind] for its unit.
func (p Parameter) Parse(text string) (int64, error) {
	n, err := p.parseAny(text)
	if err == nil && p.Kind != WordParameter && (n < p.Low || n > p.High) {
		err = fmt.Errorf("found %s; allowed: %s", strconv.Quote(text), p.Allowed())
	}
	return n, err
}

// parseAny reads a value of the parameter's kind, in its range or not.
func (p Parameter) parseAny(text string) (n int64, err error) {
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
		hint := ""
		if p.Kind == DurationParameter {
			hint = faults.UnitHint(text)
		}
		return 0, fmt.Errorf("found %s; allowed: %s%s", strconv.Quote(text), p.Allowed(), hint)
	}
	return n, nil
}

// Format is the inverse of Parse. Each value has one spelling.
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
		return strings.Join(p.Words, ", ")
	case p.Range != "":
		return p.Range
	case p.Low == math.MinInt64:
		return "a value like " + p.Value
	case p.Kind == NumberParameter && p.Unit == "":
		return fmt.Sprintf("a whole number from %d to %d", p.Low, p.High)
	case p.Kind == NumberParameter:
		return fmt.Sprintf("a whole number from %d to %d, in %s", p.Low, p.High, p.Unit)
	}
	text := fmt.Sprintf("a %s from %s to %s", p.Kind, p.Format(p.Low), p.Format(p.High))
	if p.Span {
		text += ", or a range like 1ms..5ms"
	}
	return text
}

// kindOf returns the kind of a value.
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

// Complete sets the kind and the range of a parameter with a value, and checks that the
// fields fit together. It returns the field that an error is about.
func (p *Parameter) Complete(valueRange string) (string, error) {
	p.Kind = kindOf(p.Value)
	word := p.Kind == WordParameter
	switch {
	case word && len(p.Words) == 0:
		return "value", fmt.Errorf("found %s, a word, and no words; allowed: with words: the values that there are, or a number, a time or a percentage", strconv.Quote(p.Value))
	case word && valueRange != "":
		return "range", errors.New("found a range of words; allowed: words in its place")
	case !word && len(p.Words) > 0:
		return "words", fmt.Errorf("found words beside the %s %s; allowed: range", p.Kind, p.Value)
	case !word && valueRange == "":
		return "range", errors.New("found no range; allowed: the smallest and the largest value, like 0..20000 or 1ms..50ms")
	case p.Kind != NumberParameter && p.Unit != "":
		return "unit", fmt.Errorf("found a unit beside the %s %s; allowed: of whole numbers only", p.Kind, p.Value)
	}
	if !word {
		low, high, isRange := strings.Cut(valueRange, "..")
		p.Low, p.High = math.MinInt64, math.MaxInt64
		smallest, errLow := p.parseAny(low)
		largest, errHigh := p.parseAny(high)
		if !isRange || errLow != nil || errHigh != nil || smallest >= largest {
			return "range", fmt.Errorf("found %s; allowed: the smallest and the largest value, of the kind of %s, like %s..%s", strconv.Quote(valueRange), p.Value, p.Value, p.Value)
		}
		p.Low, p.High = smallest, largest
	}
	n, err := p.Parse(p.Value)
	if err != nil {
		return "value", err
	}
	p.Value = p.Format(n)
	return "", nil
}
