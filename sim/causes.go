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

// caused is a value that several faults contribute to, in the order in which they began.
type caused[T any] []share[T]

type share[T any] struct {
	fault string
	value T
}

// set sets a fault's share. A fault that had a share keeps its place in the
// order; any other becomes the latest.
func (c *caused[T]) set(fault string, value T) {
	for i := range *c {
		if (*c)[i].fault == fault {
			(*c)[i].value = value
			return
		}
	}
	*c = append(*c, share[T]{fault, value})
}

func (c *caused[T]) drop(fault string) {
	*c = slices.DeleteFunc(*c, func(s share[T]) bool { return s.fault == fault })
}
