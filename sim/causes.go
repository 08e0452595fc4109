package sim

import "slices"

// Causes are the faults that keep something in a state. It begins with the
// first of them and ends with the last: faults may overlap.
type Causes []string

// Add reports whether the state begins.
func (c *Causes) Add(fault string) (begins bool) {
	if slices.Contains(*c, fault) {
		return false
	}
	*c = append(*c, fault)
	return len(*c) == 1
}

// Remove reports whether the state ends.
func (c *Causes) Remove(fault string) (ends bool) {
	i := slices.Index(*c, fault)
	if i < 0 {
		return false
	}
	*c = slices.Delete(*c, i, i+1)
	return len(*c) == 0
}

// caused is a value that each of several faults has a share in.
type caused[T any] []share[T]

type share[T any] struct {
	fault string
	value T
}

// set gives a fault's share, in place of the one that it had: only the share of
// a fault that had none is the latest.
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
