package faults

import (
	"errors"
	"fmt"
	"strconv"
)

// Field is one word of a fault and its value, as written in any notation.
// Lists are written with blanks between their elements.
type Field struct {
	Key, Value string
}

// Problem is one thing that is wrong with a fault.
type Problem struct {
	Index   int    // of the fault in its schedule
	Fault   string // its name, when it has one
	Field   string // the word concerned; "" is the fault as a whole
	Word    bool   // the word itself is wrong, not its value
	Message string // what was found and what is allowed
}

// Error says which fault and which word, counting faults from 1.
func (p Problem) Error() string {
	where := fmt.Sprintf("fault %d", p.Index+1)
	if p.Fault != "" {
		where += " (" + p.Fault + ")"
	}
	if p.Field != "" {
		where += ", " + p.Field
	}
	return where + ": " + p.Message
}

// join makes one error of all problems; nil when there is none.
func join(problems []Problem) error {
	list := make([]error, len(problems))
	for i, p := range problems {
		list[i] = p
	}
	return errors.Join(list...)
}

// Fields writes the fault as words, in the one order that every notation uses.
// Parameters at their defaults are left out.
func (f Fault) Fields() []Field {
	list := []Field{{"name", f.Name}}
	add := func(key, value string, given bool) {
		if given {
			list = append(list, Field{key, value})
		}
	}
	if f.Effect != nil {
		for _, p := range f.Effect.definition().parameters {
			text := p.get()
			add(p.Name, text, p.Default == "" || text != p.Default)
		}
		words, timed := endingOf(f.Effect), f.End.When.IsZero()
		add(words.duration, f.End.For.String(), f.End.Ends && timed)
		add(words.pattern, f.End.When.String(), f.End.Ends && !timed)
	}
	timed := f.Begin.When.IsZero()
	add("at", f.Begin.At.String(), timed)
	add("when", f.Begin.When.String(), !timed)
	add("nth", strconv.Itoa(f.Begin.Nth), f.Begin.Nth > 1)
	add("after", f.Begin.After.String(), f.Begin.After != 0)
	add("every", f.Again.Every.String(), f.Again.Every != 0)
	add("repeat", strconv.Itoa(f.Again.Times), f.Again.Times != 0)
	return list
}
