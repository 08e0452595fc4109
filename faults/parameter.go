package faults

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim"
)

// Parameter describes one word of a fault.
type Parameter struct {
	Name    string
	Unit    Unit
	Range   string   // in words
	Words   []string // the values of a UnitWord
	Default string   // "" when the parameter must be given
	Meaning string
}

// Unit says how a parameter's value is written.
type Unit string

// The units.
const (
	UnitNodes     Unit = "node names" // with blanks between them, as all names
	UnitClients   Unit = "client names"
	UnitResources Unit = "resource names"
	UnitWord      Unit = "word"
	UnitDuration  Unit = "duration"
	UnitStep      Unit = "duration, forwards or backwards"
	UnitSpan      Unit = "duration or range of durations"
	UnitPPM       Unit = "ppm"
	UnitPercent   Unit = "percent"
	UnitCount     Unit = "count"
	UnitPattern   Unit = "pattern"
)

// parameter binds a Parameter to the field of an effect that holds it.
type parameter struct {
	Parameter
	names   *[]string          // the field itself, when it holds names
	get     func() string      // the value as text
	set     func(string) error // from text; checks the range
	omitted func() bool        // whether nothing is to be written; nil: the value decides
}

// given reports whether the word is written: a default is not.
func (p parameter) given() bool {
	return (p.omitted == nil || !p.omitted()) && (p.Default == "" || p.get() != p.Default)
}

// unless says when the word is not written. It need not be read then, either.
func (p parameter) unless(omitted func() bool) parameter {
	p.omitted = omitted
	return p
}

// or gives a parameter a default: the value of a word that is left out.
func (p parameter) or(value string) parameter {
	p.Default = value
	return p
}

// All stands for every client or every node, where a link is meant.
const All = "all"

// nodeList is names of nodes, or a selection, or one of the other words.
func nodeList(name string, field *[]string, meaning string, others ...string) parameter {
	return nameList(name, UnitNodes, field, meaning, append(others, Selections()...)...)
}

// clientList is names of clients, or one of the other words.
func clientList(name string, field *[]string, meaning string, others ...string) parameter {
	return nameList(name, UnitClients, field, meaning, others...)
}

// nameList is names, or one of the other words.
func nameList(name string, unit Unit, field *[]string, meaning string, others ...string) parameter {
	valid := "one or more names, each once"
	if slices.Contains(others, All) {
		valid += "; or all"
	}
	if slices.Contains(others, One) {
		valid += "; or how many, such as 2, or " + strings.Join(Selections(), ", ") + ", drawn for each run"
	}
	reserved := []string{All, anyone}
	if unit == UnitNodes {
		reserved = append(reserved, Selections()...)
	}
	return parameter{
		Parameter: Parameter{Name: name, Unit: unit, Range: valid, Meaning: meaning},
		names:     field,
		get:       func() string { return strings.Join(*field, " ") },
		set: func(text string) error {
			list := strings.Fields(text)
			if len(list) == 0 {
				return fmt.Errorf("found nothing; allowed: %s", valid)
			}
			for i, n := range list {
				switch {
				case len(list) == 1 && (slices.Contains(others, n) || slices.Contains(others, One) && IsSelection(n)):
				case slices.Contains(reserved, n):
					return fmt.Errorf("found %q; allowed: %s", text, valid)
				case !nameForm.MatchString(n):
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

// OneName is the range of a list that takes one name only.
const OneName = "one name"

// oneName makes a list take one name only; the effect's check holds it to that.
func oneName(p parameter) parameter {
	p.Range = OneName
	return p
}

// choice is one of a few words.
func choice[T ~string](name string, field *T, meaning string, values ...T) parameter {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return parameter{
		Parameter: Parameter{
			Name: name, Unit: UnitWord, Range: strings.Join(words, " | "), Words: words, Meaning: meaning,
		},
		get: func() string { return string(*field) },
		set: func(text string) error {
			if !slices.Contains(words, text) {
				return fmt.Errorf("found %q; %s", text, Allowed(text, words))
			}
			*field = T(text)
			return nil
		},
	}
}

// value is one value of any type, which must parse and be in its range.
func value[T any](
	p Parameter, field *T, parse func(string) (T, error), inRange func(T) bool, format func(T) string,
) parameter {
	return parameter{
		Parameter: p,
		get:       func() string { return format(*field) },
		set: func(text string) error {
			v, err := parse(text)
			if err != nil {
				return err
			}
			if !inRange(v) {
				return fmt.Errorf("found %q; allowed: %s", text, p.Range)
			}
			*field = v
			return nil
		},
	}
}

// longest keeps sums of durations far from overflow.
const longest = 10_000 * time.Hour

// durationRange is the range of a duration in words.
func durationRange(shortest time.Duration) string {
	if shortest == 1 {
		return "above 0s to 10000h"
	}
	return shortest.String() + " to 10000h"
}

// duration is a duration from a shortest one on.
func duration(name string, field *time.Duration, shortest time.Duration, meaning string) parameter {
	return value(Parameter{Name: name, Unit: UnitDuration, Range: durationRange(shortest), Meaning: meaning}, field,
		ParseDuration, func(d time.Duration) bool { return d >= shortest && d <= longest }, time.Duration.String)
}

// step is a duration that may be negative but not zero.
func step(name string, field *time.Duration, meaning string) parameter {
	return value(Parameter{Name: name, Unit: UnitStep, Range: "-10000h to 10000h, not 0s; negative is backwards", Meaning: meaning}, field,
		ParseDuration, func(d time.Duration) bool { return d != 0 && d.Abs() <= longest }, time.Duration.String)
}

// span is a duration, or a range from which each use draws.
func span(name string, field *Span, meaning string) parameter {
	return value(Parameter{Name: name, Unit: UnitSpan, Range: durationRange(1) + ", or a range like 1ms..5ms", Meaning: meaning}, field,
		ParseSpan, func(s Span) bool { return s.High > 0 && s.High <= longest }, Span.String)
}

// pattern is a pattern of events. The package's documentation has the whole grammar.
func pattern(name string, field *Pattern, meaning string) parameter {
	const form = "A acquired, n3 executed SET of A, <fault> began, …"
	return value(Parameter{Name: name, Unit: UnitPattern, Range: form, Meaning: meaning}, field,
		ParsePattern, func(Pattern) bool { return true }, Pattern.String)
}

// percent is a probability above zero.
func percent(name string, field *int64, meaning string) parameter {
	return value(Parameter{Name: name, Unit: UnitPercent, Range: "above 0% to 100%", Meaning: meaning}, field,
		ParsePercent, func(ppm int64) bool { return ppm > 0 }, FormatPercent)
}

// rateError is a clock's rate error.
func rateError(name string, field *int64, meaning string) parameter {
	const high = 10_000_000
	text := fmt.Sprintf("%d to %d parts per million; positive is fast, 0 is right, %d stands still", sim.Frozen, high, sim.Frozen)
	return whole(Parameter{Name: name, Unit: UnitPPM, Meaning: meaning, Range: text}, field,
		func(ppm int64) bool { return sim.Frozen <= ppm && ppm <= high })
}

// swing is how far a clock's rate error goes, both ways: not so far that the
// clock would run backwards.
func swing(name string, field *int64, meaning string) parameter {
	text := fmt.Sprintf("%d to %d parts per million, not 0; with a negative one the wave begins slow", sim.Frozen, -sim.Frozen)
	return whole(Parameter{Name: name, Unit: UnitPPM, Meaning: meaning, Range: text}, field,
		func(ppm int64) bool { return sim.Frozen <= ppm && ppm <= -sim.Frozen && ppm != 0 })
}

// count is how many.
func count(name string, field *int64, meaning string) parameter {
	return whole(Parameter{Name: name, Unit: UnitCount, Range: "1 to 1000000", Meaning: meaning}, field,
		func(n int64) bool { return 1 <= n && n <= 1_000_000 })
}

// times is how often.
func times(name string, field *int, least, most int, meaning string) parameter {
	text := fmt.Sprintf("a whole number from %d", least)
	if most < math.MaxInt {
		text += fmt.Sprintf(" to %d", most)
	}
	return whole(Parameter{Name: name, Unit: UnitCount, Range: text, Meaning: meaning}, field,
		func(n int) bool { return least <= n && n <= most })
}

// whole is a whole number.
func whole[T int | int64](p Parameter, field *T, inRange func(T) bool) parameter {
	parse := func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("found %q; allowed: a whole number, %s", text, strings.TrimPrefix(p.Range, "a whole number "))
		}
		return T(n), nil
	}
	return value(p, field, parse, inRange, func(n T) string { return strconv.FormatInt(int64(n), 10) })
}
