package faults

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TriggerParameters describes the words of a [Trigger].
func TriggerParameters() []Parameter {
	return []Parameter{
		{Name: "at", Unit: UnitDuration, Range: durationRange(0), Meaning: "true time since the start"},
		{Name: "when", Unit: UnitPattern, Range: patternRange, Meaning: "at the first event that matches"},
		{Name: "nth", Unit: UnitCount, Range: wholeRange(1, math.MaxInt), Default: "1", Meaning: "at this match of when instead"},
		{Name: "after", Unit: UnitDuration, Range: durationRange(0), Default: "0s", Meaning: "that much true time after the match of when"},
	}
}

// RepetitionParameters describes the words of a [Repetition].
func RepetitionParameters() []Parameter {
	return []Parameter{
		{Name: "every", Unit: UnitDuration, Range: durationRange(1), Default: "never", Meaning: "it begins again this much true time after each beginning"},
		{Name: "repeat", Unit: UnitCount, Range: wholeRange(2, mostRepetitions), Default: "once, or with every without limit",
			Meaning: "how often it begins in all; without every: at each further match of when"},
	}
}

// patternRange is what a pattern looks like, in words; the package's
// documentation has the whole grammar.
const patternRange = "A acquired, n3 executed SET of A, <fault> began, …"

// mostRepetitions bounds how often one fault can be told to begin.
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

// duration takes a duration that is not below the shortest.
func (r *reader) duration(key string, shortest time.Duration) (d time.Duration, found bool) {
	text, found := r.take(key)
	if found {
		if err := duration(key, &d, shortest, "").set(text); err != nil {
			r.problem(key, "%v", err)
		}
	}
	return d, found
}

// pattern takes a pattern.
func (r *reader) pattern(key string) (p Pattern, found bool) {
	text, found := r.take(key)
	if found {
		var err error
		if p, err = ParsePattern(text); err != nil {
			r.problem(key, "%v", err)
		}
	}
	return p, found
}

// whole takes a whole number.
func (r *reader) whole(key string, least, most int) (n int, found bool) {
	text, found := r.take(key)
	if found {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < least || n > most {
			r.problem(key, "found %q; allowed: %s", text, wholeRange(least, most))
		}
	}
	return n, found
}

// wholeRange is the range of a whole number in words.
func wholeRange(least, most int) string {
	if most == math.MaxInt {
		return fmt.Sprintf("a whole number from %d", least)
	}
	return fmt.Sprintf("a whole number from %d to %d", least, most)
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
	for _, p := range effect.definition().parameters {
		text, found := r.take(p.Name)
		if !found {
			if p.Default == "" {
				r.problem("", "found no %s; allowed: %s: %s", p.Name, p.Name, p.Range)
			}
			continue
		}
		if err := p.set(text); err != nil {
			r.problem(p.Name, "%v", err)
		}
	}
	return effect
}

// ending reads when the fault ends.
func (r *reader) ending(words ending) Ending {
	if words == instant {
		return Ending{}
	}
	after, timed := r.duration(words.duration, words.shortest())
	when, matched := r.pattern(words.pattern)
	if timed && matched {
		r.problem(words.pattern, "found beside %s; allowed: one of the two", words.duration)
	}
	if words.must && !timed && !matched {
		r.problem("", "found no end; allowed: %s: <duration> or %s: <pattern>", words.duration, words.pattern)
	}
	return Ending{Ends: timed || matched, For: after, When: when}
}

// trigger reads when the fault begins.
func (r *reader) trigger() Trigger {
	var t Trigger
	var hasAt, hasWhen, hasNth, hasAfter bool
	t.At, hasAt = r.duration("at", 0)
	t.When, hasWhen = r.pattern("when")
	t.Nth, hasNth = r.whole("nth", 1, math.MaxInt)
	t.After, hasAfter = r.duration("after", 0)
	switch {
	case hasAt && hasWhen:
		r.problem("when", "found beside at; allowed: one of the two")
	case !hasAt && !hasWhen:
		r.problem("", "found no beginning; allowed: at: <duration> or when: <pattern>")
	}
	if hasNth && !hasWhen {
		r.problem("nth", "found without when; allowed: only with when: <pattern>")
	}
	if hasAfter && !hasWhen {
		r.problem("after", "found without when; allowed: only with when: <pattern>")
	}
	if hasWhen && !hasNth {
		t.Nth = 1
	}
	return t
}

// repetition reads whether the fault begins again.
func (r *reader) repetition(f Fault, words ending) Repetition {
	every, hasEvery := r.duration("every", 1)
	times, hasTimes := r.whole("repeat", 2, mostRepetitions)
	if hasTimes && !hasEvery && f.Begin.When.IsZero() {
		r.problem("repeat", "found beside at and without every, so that it would begin once; allowed: with every: <duration>, or with when: <pattern>")
	}
	word := "repeat"
	if hasEvery {
		word = "every"
	}
	switch {
	case (hasEvery || hasTimes) && words != instant && !words.atOnce && !f.End.Ends:
		r.problem(word, "found a fault that never ends, and so cannot begin again; allowed: with %s or %s", words.duration, words.pattern)
	case every > 0 && f.End.Ends && f.End.When.IsZero() && f.End.For >= every:
		r.problem("every", "found %q, when the fault still lasts; allowed: longer than its %s", every, words.duration)
	}
	return Repetition{Every: every, Times: times}
}

// leftovers reports words that nobody took: unknown ones and doubles.
func (r *reader) leftovers(e Effect) {
	allowed := append([]string{"name"}, kindNames()...)
	known := commonWords()
	if e == nil { // without a kind any kind's words may be right
		for _, k := range Kinds() {
			known = append(known, namesIn(k.Parameters)...)
		}
	} else {
		d := e.definition()
		allowed = []string{"name"}
		for _, p := range d.parameters {
			allowed = append(allowed, p.Name)
		}
		allowed = append(allowed, namesIn(d.ending.parameters())...)
	}
	allowed = append(allowed, commonWords()[1:]...)
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

// commonWords are the words that a fault of any kind may have.
func commonWords() []string {
	return slices.Concat([]string{"name"}, namesIn(TriggerParameters()), namesIn(RepetitionParameters()))
}

// namesIn lists the names of parameters.
func namesIn(parameters []Parameter) []string {
	var list []string
	for _, p := range parameters {
		list = append(list, p.Name)
	}
	return list
}
