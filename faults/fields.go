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

// Fields writes the fault as words, in the one order that every notation uses.
// Parameters at their defaults are left out.
func (f Fault) Fields() []Field {
	list := []Field{{"name", f.Name}}
	if f.Effect != nil {
		for _, p := range f.Effect.parameters() {
			if value := p.get(); p.Default == "" || value != p.Default {
				list = append(list, Field{p.Name, value})
			}
		}
		if f.End.Ends {
			words := endingOf(f.Effect)
			if f.End.When.IsZero() {
				list = append(list, Field{words.duration, f.End.For.String()})
			} else {
				list = append(list, Field{words.pattern, f.End.When.String()})
			}
		}
	}
	if f.Begin.When.IsZero() {
		list = append(list, Field{"at", f.Begin.At.String()})
	} else {
		list = append(list, Field{"when", f.Begin.When.String()})
	}
	if f.Begin.Nth > 1 {
		list = append(list, Field{"nth", strconv.Itoa(f.Begin.Nth)})
	}
	if f.Begin.After != 0 {
		list = append(list, Field{"after", f.Begin.After.String()})
	}
	if f.Again.Every != 0 {
		list = append(list, Field{"every", f.Again.Every.String()})
	}
	if f.Again.Times != 0 {
		list = append(list, Field{"repeat", strconv.Itoa(f.Again.Times)})
	}
	return list
}

// endingOf returns the words that end an effect. A kind that happens at one
// instant has none; an ending that a caller gave it all the same is printed
// with the customary words, and refused when it is read.
func endingOf(e Effect) ending {
	if k, _ := kindOf(e.Kind()); k.ending.lasts {
		return k.ending
	}
	return may
}

// join makes one error of all problems; nil when there is none.
func join(problems []Problem) error {
	list := make([]error, len(problems))
	for i, p := range problems {
		list[i] = p
	}
	return errors.Join(list...)
}
