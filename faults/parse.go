package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a fault from its words, in any order. It reports everything that
// is wrong, with Index 0; the fault is of use only when there is nothing.
func Parse(fields []Field) (Fault, []Problem) {
	r := reader{fields: fields, used: make([]bool, len(fields))}
	var f Fault
	if name, found := r.take("name"); !found {
		r.problem("", `found no name; allowed: name: <what the reports call it>`)
	} else if err := checkName(name); err != nil {
		r.problem("name", err.Error())
	} else {
		f.Name = name
	}
	ending := r.effect(&f)
	r.ending(&f, ending)
	f.Begin = r.trigger()
	r.repetition(&f, ending)
	r.leftovers(f, ending)
	for i := range r.problems {
		r.problems[i].Fault = f.Name
	}
	return f, r.problems
}

// reader consumes the words of one fault.
type reader struct {
	fields   []Field
	used     []bool
	problems []Problem
}

func (r *reader) problem(field, message string) {
	r.problems = append(r.problems, Problem{Field: field, Message: message})
}

// word reports that a word should not be there at all.
func (r *reader) word(field, message string) {
	r.problems = append(r.problems, Problem{Field: field, Word: true, Message: message})
}

// take returns the value of a word, once.
func (r *reader) take(key string) (string, bool) {
	for i, f := range r.fields {
		if f.Key == key && !r.used[i] {
			r.used[i] = true
			return f.Value, true
		}
	}
	return "", false
}

// meant guesses that another kind's name is a kind's ending cut short: restart
// for restart_after.
func meant(name, word string) string {
	if k, _ := kindOf(name); strings.HasPrefix(k.ending.duration, word+"_") {
		return "; nearest field of " + name + ": " + k.ending.duration
	}
	return ""
}

// effect reads the kind and its parameters.
func (r *reader) effect(f *Fault) ending {
	var kinds []string
	for _, field := range r.fields {
		if _, found := kindOf(field.Key); found && !slices.Contains(kinds, field.Key) {
			kinds = append(kinds, field.Key)
		}
	}
	switch {
	case len(kinds) == 0:
		r.problem("", "found no kind of fault; allowed: one of "+strings.Join(kindNames(), ", "))
		return ending{}
	case len(kinds) > 1:
		r.word(kinds[1], "found a second kind beside "+kinds[0]+"; allowed: one kind per fault"+meant(kinds[0], kinds[1]))
		return ending{}
	}
	k, _ := kindOf(kinds[0])
	f.Effect = k.new()
	fillDefaults(f.Effect)
	for _, p := range f.Effect.parameters() {
		value, found := r.take(p.Name)
		if !found {
			if p.Default == "" {
				r.problem("", fmt.Sprintf("found no %s; allowed: %s: %s", p.Name, p.Name, p.Range))
			}
			continue
		}
		if err := p.set(value); err != nil {
			r.problem(p.Name, err.Error())
		}
	}
	return k.ending
}

// ending reads when it is over.
func (r *reader) ending(f *Fault, words ending) {
	if !words.lasts {
		return
	}
	duration, hasDuration := r.take(words.duration)
	pattern, hasPattern := r.take(words.pattern)
	f.End.Ends = hasDuration || hasPattern
	var err error
	if hasDuration {
		if f.End.For, err = ParseDuration(duration); err != nil {
			r.problem(words.duration, err.Error())
		} else if f.End.For < 0 || f.End.For == 0 && !words.atOnce || f.End.For > maxDuration {
			r.problem(words.duration, fmt.Sprintf("found %q; allowed: %s", duration, words.parameters()[0].Range))
		}
	}
	if hasPattern {
		if f.End.When, err = ParsePattern(pattern); err != nil {
			r.problem(words.pattern, err.Error())
		}
		if hasDuration {
			r.problem(words.pattern, "found beside "+words.duration+"; allowed: one of the two")
		}
	}
	if words.must && !f.End.Ends {
		r.problem("", fmt.Sprintf("found no end; allowed: %s: <duration> or %s: <pattern>", words.duration, words.pattern))
	}
}

// trigger reads when it begins.
func (r *reader) trigger() Trigger {
	var t Trigger
	at, hasAt := r.take("at")
	when, hasWhen := r.take("when")
	nth, hasNth := r.take("nth")
	after, hasAfter := r.take("after")
	switch {
	case hasAt && hasWhen:
		r.problem("when", "found beside at; allowed: one of the two")
	case !hasAt && !hasWhen:
		r.problem("", "found no beginning; allowed: at: <duration> or when: <pattern>")
	}
	if hasAt {
		t.At = r.duration("at", at)
	}
	if hasWhen {
		var err error
		if t.When, err = ParsePattern(when); err != nil {
			r.problem("when", err.Error())
		}
		t.Nth = 1
	}
	if hasNth {
		n, err := strconv.Atoi(nth)
		if err != nil || n < 1 {
			r.problem("nth", fmt.Sprintf("found %q, which never comes; allowed: a whole number from 1", nth))
		}
		t.Nth = n
		if !hasWhen {
			r.problem("nth", "found without when; allowed: only with when: <pattern>")
		}
	}
	if hasAfter {
		t.After = r.duration("after", after)
		if !hasWhen {
			r.problem("after", "found without when; allowed: only with when: <pattern>")
		}
	}
	return t
}

// mostRepetitions bounds how often one fault can be told to begin.
const mostRepetitions = 1_000_000

// repetition reads whether it happens again.
func (r *reader) repetition(f *Fault, words ending) {
	every, hasEvery := r.take("every")
	times, hasTimes := r.take("repeat")
	if hasEvery {
		if f.Again.Every = r.duration("every", every); f.Again.Every == 0 && len(r.problems) == 0 {
			r.problem("every", fmt.Sprintf("found %q; allowed: above 0s to 10000h", every))
		}
	}
	if hasTimes {
		n, err := strconv.Atoi(times)
		if err != nil || n < 2 || n > mostRepetitions {
			r.problem("repeat", fmt.Sprintf("found %q; allowed: a whole number from 2 to %d", times, mostRepetitions))
		}
		f.Again.Times = n
	}
	if hasTimes && !hasEvery && f.Begin.When.IsZero() {
		r.problem("repeat", "found beside at and without every, so that it would begin once; allowed: with every: <duration>, or with when: <pattern>")
	}
	if word := map[bool]string{true: "every", false: "repeat"}[hasEvery]; hasEvery || hasTimes {
		switch {
		case words.lasts && !words.atOnce && !f.End.Ends:
			r.problem(word, fmt.Sprintf("found a fault that never ends, and so cannot begin again; allowed: with %s or %s", words.duration, words.pattern))
		case hasEvery && f.End.Ends && f.End.When.IsZero() && f.End.For >= f.Again.Every:
			r.problem("every", fmt.Sprintf("found %q, which is over before the fault is; allowed: longer than its %s", every, words.duration))
		}
	}
}

// duration reads a duration that may be zero but not negative.
func (r *reader) duration(key, text string) time.Duration {
	d, err := ParseDuration(text)
	if err == nil && (d < 0 || d > maxDuration) {
		err = fmt.Errorf("found %q; allowed: 0s to 10000h", text)
	}
	if err != nil {
		r.problem(key, err.Error())
	}
	return d
}

// leftovers reports words that nobody took: unknown ones and doubles.
func (r *reader) leftovers(f Fault, words ending) {
	allowed := []string{"name"}
	if f.Effect == nil {
		allowed = append(allowed, kindNames()...)
	} else {
		for _, p := range f.Effect.parameters() {
			allowed = append(allowed, p.Name)
		}
		for _, p := range words.parameters() {
			allowed = append(allowed, p.Name)
		}
	}
	allowed = append(allowed, wordsOfAll[1:]...)
	for i, field := range r.fields {
		switch {
		case r.used[i]:
		case slices.ContainsFunc(r.fields[:i], func(other Field) bool { return other.Key == field.Key }):
			r.word(field.Key, "found twice; allowed: once")
		case f.Effect == nil:
			// Without a kind nobody can say which words belong to it; the
			// problem with the kind is reported already.
			if !slices.Contains(everyWord(), field.Key) {
				r.word(field.Key, "found an unknown word; "+Allowed(field.Key, allowed))
			}
		default:
			r.word(field.Key, "found an unknown word; "+Allowed(field.Key, allowed))
		}
	}
}

// wordsOfAll are the words that a fault of any kind may have.
var wordsOfAll = []string{"name", "at", "when", "nth", "after", "every", "repeat"}

// everyWord lists the words of all kinds.
func everyWord() []string {
	list := slices.Clone(wordsOfAll)
	for _, k := range Kinds() {
		for _, p := range k.Parameters {
			list = append(list, p.Name)
		}
	}
	return list
}

// ParseTrigger reads a trigger alone, from the words at, when, nth and after.
func ParseTrigger(fields []Field) (Trigger, []Problem) {
	r := reader{fields: fields, used: make([]bool, len(fields))}
	t := r.trigger()
	words := []string{"at", "when", "nth", "after"}
	for i, field := range fields {
		if !r.used[i] {
			r.word(field.Key, "found an unknown word, or one twice; "+Allowed(field.Key, words))
		}
	}
	return t, r.problems
}
