package faults

import (
	"errors"
	"fmt"
	"slices"
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
	var words []parameter
	if f.Effect != nil {
		words = append(f.Effect.definition().parameters, endingOf(f.Effect).parameters(&f.End)...)
	}
	list := append([]Field{{"name", f.Name}}, written(words)...)
	return slices.Concat(list, f.Begin.Fields(), written(f.Again.parameters()))
}

// Fields writes the trigger as words.
func (t Trigger) Fields() []Field { return written(t.parameters()) }

func written(words []parameter) []Field {
	var list []Field
	for _, p := range words {
		if p.given() {
			list = append(list, Field{p.Name, p.get()})
		}
	}
	return list
}
