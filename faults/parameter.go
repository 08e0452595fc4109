package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

// Parameter describes one word of a kind of fault.
type Parameter struct {
	Name    string
	Unit    string // "duration", "ppm", "percent", "node names", …
	Range   string // in words
	Default string // "" when the parameter must be given
	Meaning string
}

// names says what a parameter's value refers to, if to anything.
type names int

const (
	noNames names = iota
	nodeNames
	clientNames
	resourceNames
)

// parameter binds a Parameter to the field of an effect that holds it.
type parameter struct {
	Parameter
	refers names
	list   *[]string          // the names, when it refers to some
	get    func() string      // the value as text
	set    func(string) error // from text; checks the range
}

// All stands for every client or every node, where a link is meant.
const All = "all"

// nodeList and clientList are lists of names, written with blanks between. A list
// of nodes may be one of [DrawnWords] instead.
func nodeList(name string, field *[]string, allowAll bool, meaning string) parameter {
	return nameList(name, "node names", nodeNames, field, allowAll, meaning)
}

// namedNodes is a list of nodes that cannot be drawn.
func namedNodes(name string, field *[]string, meaning string) parameter {
	p := nodeList(name, field, false, meaning)
	p.Range = "one or more names, each once"
	set := p.set
	p.set = func(text string) error {
		if slices.Contains(DrawnWords(), text) {
			return fmt.Errorf("found %q; allowed: %s", text, p.Range)
		}
		return set(text)
	}
	return p
}

func clientList(name string, field *[]string, allowAll bool, meaning string) parameter {
	return nameList(name, "client names", clientNames, field, allowAll, meaning)
}

// resourceList is names of resources, each of which is its own key on the nodes.
func resourceList(name string, field *[]string, meaning string) parameter {
	return nameList(name, "resource names", resourceNames, field, false, meaning)
}

func nameList(name, unit string, refers names, field *[]string, allowAll bool, meaning string) parameter {
	valid := "one or more names, each once"
	if allowAll {
		valid += `, or "all"`
	}
	if refers == nodeNames {
		valid += ", or one of majority, minority, one: nodes that each run draws"
	}
	return parameter{
		Parameter: Parameter{Name: name, Unit: unit, Range: valid, Meaning: meaning},
		refers:    refers,
		list:      field,
		get:       func() string { return strings.Join(*field, " ") },
		set: func(text string) error {
			list := strings.Fields(text)
			if len(list) == 0 {
				return fmt.Errorf("found nothing; allowed: %s", valid)
			}
			for i, n := range list {
				switch {
				case n == All && allowAll && len(list) == 1:
				case refers == nodeNames && slices.Contains(DrawnWords(), n) && len(list) > 1:
					return fmt.Errorf("found %q; allowed: %s", text, valid)
				case n == All || n == anyone:
					return fmt.Errorf("found %q; allowed: %s", text, valid)
				case !isWord(n):
					return fmt.Errorf("found %q, which is no name; allowed: %s", n, valid)
				case slices.Contains(list[:i], n):
					return fmt.Errorf("found %q twice; allowed: %s", n, valid)
				}
			}
			*field = list
			return nil
		},
	}
}

// choice is one of a few words; the first is the default.
func choice[T ~string](name string, field *T, meaning string, words ...T) parameter {
	allowed := make([]string, len(words))
	for i, w := range words {
		allowed[i] = string(w)
	}
	return parameter{
		Parameter: Parameter{Name: name, Unit: "word", Range: strings.Join(allowed, " | "), Meaning: meaning},
		get:       func() string { return string(*field) },
		set: func(text string) error {
			if !slices.Contains(allowed, text) {
				return fmt.Errorf("found %q; %s", text, Allowed(text, allowed))
			}
			*field = T(text)
			return nil
		},
	}
}

// step is a duration that may be negative but not zero.
func step(name string, field *time.Duration, meaning string) parameter {
	const valid = "-10000h to 10000h, not 0s; negative is backwards"
	return parameter{
		Parameter: Parameter{Name: name, Unit: "duration", Range: valid, Meaning: meaning},
		get:       func() string { return field.String() },
		set: func(text string) error {
			d, err := ParseDuration(text)
			if err != nil {
				return err
			}
			if d == 0 || d.Abs() > maxDuration {
				return fmt.Errorf("found %q; allowed: %s", text, valid)
			}
			*field = d
			return nil
		},
	}
}

// rate is a clock's rate error.
func rate(name string, field *int64, meaning string) parameter {
	const high = 10_000_000
	return partsPerMillion(name, field, sim.Frozen, high, fmt.Sprintf("%d to %d; positive is fast, 0 is right, %d stands still", sim.Frozen, high, sim.Frozen), meaning)
}

// swing is how far a clock's rate error goes, both ways: not so far that the
// clock would run backwards.
func swing(name string, field *int64, meaning string) parameter {
	valid := fmt.Sprintf("%d to %d, not 0; of negative ones the wave begins slow", sim.Frozen, -sim.Frozen)
	p := partsPerMillion(name, field, sim.Frozen, -sim.Frozen, valid, meaning)
	set := p.set
	p.set = func(text string) error {
		if err := set(text); err != nil || *field != 0 {
			return err
		}
		return fmt.Errorf("found %q, which is no drift; allowed: %s", text, valid)
	}
	return p
}

func partsPerMillion(name string, field *int64, low, high int64, valid, meaning string) parameter {
	return parameter{
		Parameter: Parameter{Name: name, Unit: "ppm", Range: valid, Meaning: meaning},
		get:       func() string { return strconv.FormatInt(*field, 10) },
		set: func(text string) error {
			ppm, err := strconv.ParseInt(text, 10, 64)
			if err != nil || ppm < low || ppm > high {
				return fmt.Errorf("found %q; allowed: a whole number of parts per million, %s", text, valid)
			}
			*field = ppm
			return nil
		},
	}
}

// percent is a probability above zero.
func percent(name string, field *int64, meaning string) parameter {
	return parameter{
		Parameter: Parameter{Name: name, Unit: "percent", Range: "above 0% to 100%", Meaning: meaning},
		get:       func() string { return FormatPercent(*field) },
		set: func(text string) error {
			ppm, err := ParsePercent(text)
			if err == nil && ppm == 0 {
				err = fmt.Errorf("found %q, which never happens; allowed: above 0%% to 100%%", text)
			}
			if err != nil {
				return err
			}
			*field = ppm
			return nil
		},
	}
}

// span is a duration, or a range from which each use draws.
func span(name string, field *Span, meaning string) parameter {
	const valid = "above 0s to 10000h, or a range like 1ms..5ms"
	return parameter{
		Parameter: Parameter{Name: name, Unit: "duration", Range: valid, Meaning: meaning},
		get:       func() string { return field.String() },
		set: func(text string) error {
			s, err := ParseSpan(text)
			if err == nil && (s.High == 0 || s.High > maxDuration) {
				err = fmt.Errorf("found %q; allowed: %s", text, valid)
			}
			if err != nil {
				return err
			}
			*field = s
			return nil
		},
	}
}

// count is how many.
func count(name string, field *int64, meaning string) parameter {
	const valid = "1 to 1000000"
	return parameter{
		Parameter: Parameter{Name: name, Unit: "count", Range: valid, Meaning: meaning},
		get:       func() string { return strconv.FormatInt(*field, 10) },
		set: func(text string) error {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 1 || n > 1_000_000 {
				return fmt.Errorf("found %q; allowed: a whole number, %s", text, valid)
			}
			*field = n
			return nil
		},
	}
}

// length is a duration; zero is allowed.
func length(name string, field *time.Duration, meaning string) parameter {
	const valid = "0s to 10000h"
	return parameter{
		Parameter: Parameter{Name: name, Unit: "duration", Range: valid, Meaning: meaning},
		get:       func() string { return field.String() },
		set: func(text string) error {
			d, err := ParseDuration(text)
			if err == nil && (d < 0 || d > maxDuration) {
				err = fmt.Errorf("found %q; allowed: %s", text, valid)
			}
			if err != nil {
				return err
			}
			*field = d
			return nil
		},
	}
}

// period is a duration that is long enough to be cut into steps.
func period(name string, field *time.Duration, meaning string) parameter {
	const valid = "1ms to 10000h"
	p := length(name, field, meaning)
	p.Range = valid
	set := p.set
	p.set = func(text string) error {
		if err := set(text); err != nil || *field < time.Millisecond {
			return fmt.Errorf("found %q; allowed: %s", text, valid)
		}
		return nil
	}
	return p
}

// or gives a parameter a default: leaving the word out means this value.
func (p parameter) or(value string) parameter {
	p.Default = value
	return p
}

// maxDuration keeps sums of durations far from overflow.
const maxDuration = 10_000 * time.Hour
