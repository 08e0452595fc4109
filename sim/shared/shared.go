// Package shared keeps what several faults cause at once: a state that lasts as long as
// one of them does, and a value to which each contributes.
package shared

import "slices"

// Causes are the faults that keep something in a state. Faults may overlap: the
// state begins with the first of them and ends with the last.
type Causes []string

// Add adds a fault and reports whether the state begins with it.
func (c *Causes) Add(fault string) (begins bool) {
	if slices.Contains(*c, fault) {
		return false
	}
	*c = append(*c, fault)
	return len(*c) == 1
}

// Remove removes a fault and reports whether the state ends with it.
func (c *Causes) Remove(fault string) (ends bool) {
	i := slices.Index(*c, fault)
	if i < 0 {
		return false
	}
	*c = slices.Delete(*c, i, i+1)
	return len(*c) == 0
}

// Value is a value that several faults contribute to, in the order in which they began.
type Value[T any] []Part[T]

// Part is what one fault contributes.
type Part[T any] struct {
	Fault string
	Value T
}

// Set sets a fault's part. A fault that had a part keeps its place in the order; any
// other becomes the latest.
func (v *Value[T]) Set(fault string, value T) {
	for i := range *v {
		if (*v)[i].Fault == fault {
			(*v)[i].Value = value
			return
		}
	}
	*v = append(*v, Part[T]{fault, value})
}

// Drop ends a fault's part.
func (v *Value[T]) Drop(fault string) {
	*v = slices.DeleteFunc(*v, func(p Part[T]) bool { return p.Fault == fault })
}
