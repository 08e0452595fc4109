package plan

// Bracket is a border between two values: on the one side things are as at Low, on the other
// as at High. It is narrowed by halving.
type Bracket struct{ Low, High int64 }

// Middle is the value to look at next, a multiple of step where there is one inside; false
// when the bracket is as narrow as step.
func (b Bracket) Middle(step int64) (int64, bool) {
	if b.High-b.Low <= max(1, step) {
		return 0, false
	}
	middle := b.Low + (b.High-b.Low)/2
	if rounded := middle / max(1, step) * max(1, step); rounded > b.Low && rounded < b.High {
		middle = rounded
	}
	return middle, true
}

// Narrow takes in whether things at a middle are as at Low.
func (b *Bracket) Narrow(middle int64, asLow bool) {
	if asLow {
		b.Low = middle
	} else {
		b.High = middle
	}
}
