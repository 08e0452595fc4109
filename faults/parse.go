package faults

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// TriggerParameters describes the words of a [Trigger].
func TriggerParameters() []Parameter { return described(new(Trigger).parameters()) }

// RepetitionParameters describes the words of a [Repetition].
func RepetitionParameters() []Parameter { return described(new(Repetition).parameters()) }

// described are the descriptions alone.
func described(bound []parameter) []Parameter {
	list := make([]Parameter, len(bound))
	for i, p := range bound {
		list[i] = p.Parameter
	}
	return list
}

// parameters are the words of a trigger. Each of at and when is empty beside the other.
func (t *Trigger) parameters() []parameter {
	return []parameter{
		duration("at", &t.At, 0, "true time since the start").unless(func() bool { return !t.When.IsZero() }),
		pattern("when", &t.When, "at the first event that matches").unless(func() bool { return t.When.IsZero() }),
		times("nth", &t.Nth, 1, math.MaxInt, "at this match of when instead").or("1").
			unless(func() bool { return t.Nth == 0 }),
		duration("after", &t.After, 0, "that much true time after the match of when").or("0s"),
	}
}

// parameters are the words of a repetition.
func (r *Repetition) parameters() []parameter {
	return []parameter{
		duration("every", &r.Every, 1, "it begins again this much true time after each beginning").or("never").
			unless(func() bool { return r.Every == 0 }),
		times("repeat", &r.Times, 2, mostRepetitions,
			"how often it begins in all; without every: at each further match of when").
			or("once, or with every without limit").unless(func() bool { return r.Times == 0 }),
	}
}

// mostRepetitions bounds how often one fault can begin.
const mostRepetitions = 1_000_000

// Parse reads a fault from its words, in any order. It reports everything that
// is wrong, with Index 0; the fault is usable only when nothing is.
func Parse(fields []Field) (Fault, []Problem) {
	r := reader{fields: fields, used: make([]bool, len(fields))}
	f := Fault{Name: r.name(), Effect: r.effect()}
	var words ending
	if f.Effect != nil {
		words = f.Effect.definition().ending
		f.End = r.ending(words)
	}
	f.Begin = r.trigger()
	f.Again = r.repetition(f, words)
	r.leftovers(f.Effect)
	for i := range r.problems {
		r.problems[i].Fault = f.Name
	}
	return f, r.problems
}

// ParseTrigger reads a trigger alone, from its words.
func ParseTrigger(fields []Field) (Trigger, []Problem) {
	r := reader{fields: fields, used: make([]bool, len(fields))}
	t := r.trigger()
	for i, field := range fields {
		if !r.used[i] {
			r.word(field.Key, "found an unknown word, or one twice; "+Allowed(field.Key, namesIn(TriggerParameters())))
		}
	}
	return t, r.problems
}

// reader consumes the words of one fault.
type reader struct {
	fields   []Field
	used     []bool
	problems []Problem
}

func (r *reader) problem(field, format string, args ...any) {
	r.problems = append(r.problems, Problem{Field: field, Message: fmt.Sprintf(format, args...)})
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

// read sets the parameters whose words are there, and reports those that must be there
// and are not.
func (r *reader) read(parameters []parameter) {
	for _, p := range parameters {
		text, found := r.take(p.Name)
		switch {
		case found:
			if err := p.set(text); err != nil {
				r.problem(p.Name, "%v", err)
			}
		case p.Default == "" && p.omitted == nil:
			r.problem("", "found no %s; allowed: %s: %s", p.Name, p.Name, p.Range)
		}
	}
}

// has reports whether a word is there.
func (r *reader) has(key string) bool {
	return slices.ContainsFunc(r.fields, func(f Field) bool { return f.Key == key })
}

func (r *reader) name() string {
	name, found := r.take("name")
	if !found {
		r.problem("", "found no name; allowed: name: <what the reports call it>")
	} else if err := checkName(name); err != nil {
		r.problem("name", "%v", err)
		return ""
	}
	return name
}

// effect reads the kind and its parameters; nil when there is no kind, or more than one.
func (r *reader) effect() Effect {
	var kinds []string
	for _, field := range r.fields {
		if slices.Contains(kindNames(), field.Key) && !slices.Contains(kinds, field.Key) {
			kinds = append(kinds, field.Key)
		}
	}
	if len(kinds) == 0 {
		r.problem("", "found no kind of fault; allowed: one of %s", strings.Join(kindNames(), ", "))
		return nil
	}
	effect := newEffect(kinds[0])
	if len(kinds) > 1 {
		message := "found a second kind beside " + kinds[0] + "; allowed: one kind per fault"
		if word := endingOf(effect).duration; strings.HasPrefix(word, kinds[1]+"_") { // restart for restart_after
			message += "; nearest field of " + kinds[0] + ": " + word
		}
		r.word(kinds[1], message)
		return nil
	}
	r.read(effect.definition().parameters)
	return effect
}

// ending reads when the fault ends.
func (r *reader) ending(words ending) Ending {
	if words == instant {
		return Ending{}
	}
	var e Ending
	r.read(words.parameters(&e))
	timed, matched := r.has(words.duration), r.has(words.pattern)
	if timed && matched {
		r.problem(words.pattern, "found beside %s; allowed: one of the two", words.duration)
	}
	if words.must && !timed && !matched {
		r.problem("", "found no end; allowed: %s: <duration> or %s: <pattern>", words.duration, words.pattern)
	}
	e.Ends = timed || matched
	return e
}

// trigger reads when the fault begins.
func (r *reader) trigger() Trigger {
	var t Trigger
	r.read(t.parameters())
	timed, matched := r.has("at"), r.has("when")
	switch {
	case timed && matched:
		r.problem("when", "found beside at; allowed: one of the two")
	case !timed && !matched:
		r.problem("", "found no beginning; allowed: at: <duration> or when: <pattern>")
	}
	for _, word := range []string{"nth", "after"} {
		if r.has(word) && !matched {
			r.problem(word, "found without when; allowed: only with when: <pattern>")
		}
	}
	if matched && !r.has("nth") {
		t.Nth = 1
	}
	return t
}

// repetition reads whether the fault begins again.
func (r *reader) repetition(f Fault, words ending) Repetition {
	var again Repetition
	r.read(again.parameters())
	word := "repeat"
	if r.has("every") {
		word = "every"
	} else if r.has(word) && f.Begin.When.IsZero() {
		r.problem("repeat", "found beside at and without every, so that it would begin once; "+
			"allowed: with every: <duration>, or with when: <pattern>")
	}
	switch {
	case r.has(word) && words.shortest > 0 && !f.End.Ends:
		r.problem(word, "found a fault that never ends, and so cannot begin again; allowed: with %s or %s",
			words.duration, words.pattern)
	case again.Every > 0 && f.End.Ends && f.End.When.IsZero() && f.End.For >= again.Every:
		r.problem("every", "found %q, when the fault still lasts; allowed: longer than its %s", again.Every, words.duration)
	}
	return again
}

// leftovers reports words that nobody took: unknown ones and doubles.
func (r *reader) leftovers(e Effect) {
	common := slices.Concat(namesIn(TriggerParameters()), namesIn(RepetitionParameters()))
	own, known := kindNames(), slices.Concat(common, []string{"name"})
	if e != nil {
		own = namesIn(described(e.definition().words()))
	} else { // without a kind any kind's words may be right
		for _, k := range kinds() {
			known = append(known, namesIn(k.Parameters)...)
		}
	}
	allowed := slices.Concat([]string{"name"}, own, common)
	for i, field := range r.fields {
		switch {
		case r.used[i]:
		case slices.ContainsFunc(r.fields[:i], func(other Field) bool { return other.Key == field.Key }):
			r.word(field.Key, "found twice; allowed: once")
		case e != nil || !slices.Contains(known, field.Key):
			r.word(field.Key, "found an unknown word; "+Allowed(field.Key, allowed))
		}
	}
}

// namesIn lists the names of parameters.
func namesIn(parameters []Parameter) []string {
	var list []string
	for _, p := range parameters {
		list = append(list, p.Name)
	}
	return list
}
