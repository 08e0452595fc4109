package sim

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

// contributions is a value that several faults contribute to, in the order in which they began.
type contributions[T any] []contribution[T]

// contribution is the part of one fault.
type contribution[T any] struct {
	fault string
	value T
}

// set sets a fault's part. A fault that had a part keeps its place in the order; any
// other becomes the latest.
func (v *contributions[T]) set(fault string, value T) {
	for i := range *v {
		if (*v)[i].fault == fault {
			(*v)[i].value = value
			return
		}
	}
	*v = append(*v, contribution[T]{fault, value})
}

// put sets a fault's part, or ends it, and returns the kind of the event that tells so.
func (v *contributions[T]) put(fault string, value T, ends bool) Kind {
	if ends {
		v.drop(fault)
		return Recover
	}
	v.set(fault, value)
	return Impair
}

// drop ends a fault's part.
func (v *contributions[T]) drop(fault string) {
	*v = slices.DeleteFunc(*v, func(p contribution[T]) bool { return p.fault == fault })
}
