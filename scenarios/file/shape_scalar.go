package file

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// errValue is the error of a value that is not allowed. The message then says what is.
var errValue = errors.New("not allowed")

// scalar is a single value, which parse reads from the file's text. parse returns
// errValue, or an error that says what was found and what is allowed.
func scalar[T any](into *T, allowed string, form schema, parse func(text string) (T, error)) shape {
	read := func(r *reader, n *yaml.Node, field string) {
		r.places[field] = n
		if n.Kind != yaml.ScalarNode || isNull(n) {
			r.at(n, field, found(n)+"; allowed: "+allowed)
			return
		}
		switch v, err := parse(n.Value); {
		case errors.Is(err, errValue):
			r.at(n, field, found(n)+"; allowed: "+allowed)
		case err != nil:
			r.at(n, field, err.Error())
		default:
			*into = v
		}
	}
	write := func(standard *yaml.Node) *yaml.Node { return writtenScalar(*into, standard) }
	return shape{schema: func() schema { return parametrised(form) }, read: read, write: write}
}

// checked is text that must pass a check.
func checked(into *string, allowed string, form schema, check func(string) error) shape {
	return scalar(into, allowed, form, func(text string) (string, error) { return text, check(text) })
}

// anything is text that a later check reads.
func anything[T ~string](into *T, allowed string, form schema) shape {
	return scalar(into, allowed, form, func(text string) (T, error) { return T(text), nil })
}

// text is prose. Numbers and truth values are mistakes there.
func text(into *string) shape {
	read := func(r *reader, n *yaml.Node, field string) {
		r.places[field] = n
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
			what := found(n)
			if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
				what = "found empty text"
			}
			r.at(n, field, what+"; allowed: text, one word or more; a number or true needs quotation marks")
			return
		}
		*into = n.Value
	}
	describe := func() schema { return schema{"type": "string", "minLength": 1} }
	write := func(standard *yaml.Node) *yaml.Node { return writtenScalar(*into, standard) }
	return shape{schema: describe, read: read, write: write}
}

// word is one of a few words.
func word[T ~string](into *T, words ...T) shape {
	allowed := plan.Strings(words)
	return scalar(into, strings.Join(allowed, ", "), schema{"type": "string", "enum": allowed}, func(text string) (T, error) {
		if !slices.Contains(allowed, text) {
			return "", fmt.Errorf("found %s; %s", strconv.Quote(text), faults.Allowed(text, allowed))
		}
		return T(text), nil
	})
}

// settable is a single value that --set can change, as the parameter describes it.
func settable[T any](into *T, p plan.Parameter, form schema, parse func(text string) (T, error)) shape {
	s := scalar(into, p.Allowed(), form, parse)
	s.about = func() plan.Parameter {
		about := p
		about.Value = fmt.Sprint(*into)
		return about
	}
	return s
}

// settableWord is one of a few words that --set can change.
func settableWord[T ~string](into *T, words ...T) shape {
	s := word(into, words...)
	allowed := plan.Strings(words)
	s.about = func() plan.Parameter {
		return plan.Parameter{Kind: plan.WordParameter, Words: allowed, Value: string(*into)}
	}
	return s
}

// words is a list of some of the given words, each once.
func words(into *[]string, allowed []string) shape {
	return listOf(into, strings.Join(allowed, ", "), 0, func(into *string) shape {
		return word(into, allowed...).describedAs(schema{"type": "string", "enum": allowed})
	}).with("uniqueItems", true).then(func(r *reader, n *yaml.Node, field string) {
		for i, value := range *into {
			if value != "" && slices.Contains((*into)[:i], value) {
				r.at(n.Content[i], fmt.Sprintf("%s[%d]", field, i), "found "+strconv.Quote(value)+" twice; allowed: once")
			}
		}
	})
}

// boolean is true or false and no other spelling.
func boolean(into *bool) shape {
	p := plan.Parameter{Kind: plan.WordParameter, Words: []string{"true", "false"}}
	return settable(into, p, schema{"type": "boolean"}, func(text string) (bool, error) {
		if !slices.Contains(p.Words, text) {
			return false, errValue
		}
		return text == "true", nil
	})
}

// integer is a whole number in a range.
func integer[T ~int | ~int64](into *T, in plan.Range[T]) shape {
	p := plan.Parameter{Kind: plan.NumberParameter, Low: int64(in.Low), High: int64(in.High)}
	form := schema{"type": "integer", "minimum": in.Low, "maximum": in.High}
	return settable(into, p, form, func(text string) (T, error) {
		n, err := p.Parse(text)
		return T(n), err
	})
}

// duration is a time with its unit.
func duration(into *time.Duration, in plan.Range[time.Duration]) shape {
	pattern := durationPattern
	if in.Low < 0 {
		pattern = strings.Replace(pattern, "^", "^-?", 1)
	}
	p := plan.Parameter{Kind: plan.DurationParameter, Low: int64(in.Low), High: int64(in.High)}
	return settable(into, p, schema{"type": "string", "pattern": pattern}, func(text string) (time.Duration, error) {
		d, err := faults.ParseDuration(text)
		if err == nil && !in.Contains(d) {
			err = errValue
		}
		return d, err
	})
}

// durations is a time or a range of times.
func durations(into *plan.Span, in plan.Range[time.Duration]) shape {
	p := plan.Parameter{Kind: plan.DurationParameter, Span: true, Low: int64(in.Low), High: int64(in.High)}
	return settable(into, p, schema{"type": "string", "pattern": spanPattern}, func(text string) (plan.Span, error) {
		s, err := faults.ParseSpan(text)
		if err == nil && !(in.Contains(s.Low) && in.Contains(s.High)) {
			err = errValue
		}
		return s, err
	})
}

// percent is a probability, held in parts per million.
func percent(into *int64) shape {
	form := schema{"type": "string", "pattern": `^\d{1,3}(\.\d{1,4})?%$`}
	s := scalar(into, "a percentage like 2.5%", form, faults.ParsePercent)
	s.about = func() plan.Parameter {
		return plan.Parameter{Kind: plan.PercentParameter, High: 1_000_000, Value: faults.FormatPercent(max(0, *into))}
	}
	s.write = func(standard *yaml.Node) *yaml.Node { return writtenScalar(faults.FormatPercent(*into), standard) }
	return s
}

const (
	oneDuration     = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
	durationPattern = `^(0|` + oneDuration + `)$`
	spanPattern     = `^(0|` + oneDuration + `)(\.\.` + oneDuration + `)?$`
)
