package checker

import "math"

// forever stands for a time after the end of the history.
const forever = math.MaxInt64

// orForever is a time, or forever when it is absent.
func orForever(at *int64) int64 {
	if at == nil {
		return forever
	}
	return *at
}

// interval is a half-open interval of true time, [from, until).
type interval struct{ from, until int64 }

func (i interval) empty() bool { return i.from >= i.until }

func (i interval) overlaps(other interval) bool {
	return !i.empty() && !other.empty() && i.from < other.until && other.from < i.until
}

func (i interval) contains(at int64) bool { return i.from <= at && at < i.until }

// beliefsOf returns the intervals in which the holder was entitled to think that
// it holds the lock. Each begins with a known validity. It ends at the end of
// that validity, the next change of validity, or the call of release, whichever
// comes first. Intervals that touch are merged. An extension that returned after
// the old end leaves a gap. A validity that had ended when it became known makes
// no belief.
func beliefsOf(lease *Lease) []interval {
	var result []interval
	for position := range lease.Validity {
		belief := believed(lease, position)
		if belief.empty() {
			continue
		}
		if last := len(result) - 1; last >= 0 && result[last].until == belief.from {
			result[last].until = belief.until
			continue
		}
		result = append(result, belief)
	}
	return result
}

// believed is the interval for which one validity makes the holder believe.
func believed(lease *Lease, position int) interval {
	belief := interval{lease.Validity[position].AtNS, endAfter(lease, position)}
	if position+1 < len(lease.Validity) {
		belief.until = min(belief.until, lease.Validity[position+1].AtNS)
	}
	return belief
}

// EndNS is when the last validity of a lease ended, or when its release was called if that was
// sooner.
func (lease *Lease) EndNS() int64 { return endAfter(lease, len(lease.Validity)-1) }

// endAfter is the end of belief as far as the first position+1 validities say.
func endAfter(lease *Lease, position int) int64 {
	return min(lease.Validity[position].UntilNS, orForever(lease.ReleasedNS))
}
