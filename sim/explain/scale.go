package explain

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"redlocklab/sim/words"
)

// Burst is a time in which x is proportional to time, with the same width for equal
// times as in the other bursts of a picture. Between two bursts lies a break.
type Burst struct {
	From, Until time.Duration
	Left, Right float64
}

// MarshalJSON implements json.Marshaler: [from, until, left, right].
func (b Burst) MarshalJSON() ([]byte, error) {
	return json.Marshal([]float64{float64(b.From), float64(b.Until), b.Left, b.Right})
}

// scale maps true time to x. Between two breaks, equal times have equal widths, and
// these widths are the same in all bursts. A break is an idle gap that is drawn with a
// fixed small width, so that 4 ms of messages and 7 s of waiting fit one picture. The
// true scale has no breaks.
type scale struct {
	Bursts []Burst
}

const (
	breakWidth   = 40.0 // of an idle gap, in pixels
	burstPadding = 14.0 // before the first and after the last instant of a burst, in pixels
	breaksAtMost = 14
)

// newScale maps the instants to x between left and right. There must be at least
// one instant. The true scale is linear.
func newScale(instants []time.Duration, left, right float64, linear bool) *scale {
	at := slices.Clone(instants)
	slices.Sort(at)
	at = slices.Compact(at)
	if linear {
		return &scale{Bursts: []Burst{{at[0], at[len(at)-1], left, right}}}
	}
	breaks := idleGaps(at, right-left)
	active := at[len(at)-1] - at[0]
	for _, i := range breaks {
		active -= at[i+1] - at[i]
	}
	n := float64(len(breaks))
	perNanosecond := (right - left - n*(breakWidth+2*burstPadding)) / math.Max(1, float64(active))
	padding := time.Duration(burstPadding / perNanosecond)
	s := &scale{}
	x, begin := left, 0
	for k, i := range append(breaks, len(at)-1) {
		b := Burst{From: at[begin], Until: at[i], Left: x}
		if k > 0 {
			b.From -= padding
		}
		if k < len(breaks) {
			b.Until += padding
		}
		b.Right = x + float64(b.Until-b.From)*perNanosecond
		s.Bursts = append(s.Bursts, b)
		x, begin = b.Right+breakWidth, i+1
	}
	return s
}

// idleGaps returns the indices of the instants after which an idle gap is left out:
// from the longest gap on, as long as leaving one out gives the rest more room.
func idleGaps(at []time.Duration, width float64) []int {
	type gap struct {
		after int
		size  time.Duration
	}
	var gaps []gap
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, gap{after: i - 1, size: at[i] - at[i-1]})
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Compare(b.size, a.size) })
	active := float64(at[len(at)-1] - at[0])
	const cost = breakWidth + 2*burstPadding
	var idle []int
	for _, g := range gaps[:min(len(gaps), breaksAtMost)] {
		room := width - float64(len(idle))*cost
		if left := active - float64(g.size); float64(g.size)*room < 2*cost*active || left <= 0 || room < 2*cost {
			break
		}
		idle = append(idle, g.after)
		active -= float64(g.size)
	}
	slices.Sort(idle)
	return idle
}

// x returns the x of an instant. Instants outside of the scale lie on its edges.
func (s *scale) x(t time.Duration) float64 {
	first, last := s.Bursts[0], s.Bursts[len(s.Bursts)-1]
	switch {
	case t <= first.From:
		return first.Left
	case t >= last.Until:
		return last.Right
	}
	i, _ := slices.BinarySearchFunc(s.Bursts, t, func(b Burst, t time.Duration) int { return cmp.Compare(b.Until, t) })
	if b := s.Bursts[i]; t >= b.From {
		return between(t, b.From, b.Until, b.Left, b.Right)
	}
	return between(t, s.Bursts[i-1].Until, s.Bursts[i].From, s.Bursts[i-1].Right, s.Bursts[i].Left)
}

func between(t, from, until time.Duration, left, right float64) float64 {
	if until == from {
		return left
	}
	return left + (right-left)*float64(t-from)/float64(until-from)
}

// tick is a labelled instant of the axis.
type tick struct {
	at    time.Duration
	label string
}

// ticks returns round times, as many as have room when the scale is drawn zoom times
// as wide, and one in a burst without a round time. A finer zoom keeps the ticks of a
// coarser one.
func (s *scale) ticks(zoom float64) []tick {
	pixels, active := 0.0, time.Duration(0)
	for _, b := range s.Bursts {
		pixels, active = pixels+(b.Right-b.Left)*zoom, active+b.Until-b.From
	}
	step := time.Duration(1)
	for grow := time.Duration(5); float64(step)*pixels < tickRoom*float64(active); grow = 10 / grow {
		step *= grow
	}
	var ticks []tick
	for _, b := range s.Bursts {
		step, shorter := step, time.Duration(2)
		for step > shorter && (b.From+step-1)/step*step > b.Until {
			step, shorter = step/shorter, 10/shorter
		}
		for at := (b.From + step - 1) / step * step; at <= b.Until; at += step {
			ticks = append(ticks, tick{at: at, label: axisLabel(at, step)})
		}
	}
	return ticks
}

// tickRoom is the least distance between two ticks, in pixels.
const tickRoom = 40.0

// axisLabel returns an instant with the precision that the step needs.
func axisLabel(at, step time.Duration) string {
	unit, name := time.Millisecond, " ms"
	if at >= time.Second || at == 0 && step >= time.Second {
		unit, name = time.Second, " s"
	}
	decimals := 0
	for size := unit; size > step; size /= 10 {
		decimals++
	}
	return words.Decimal(float64(at)/float64(unit), decimals) + name
}

const (
	// finest is how many pixels a usual gap between instants takes at the last zoom.
	finest      = 48.0
	zoomsAtMost = 14
)

// zooms returns how many times the scale must be doubled in width for the usual gap
// between instants to be seen.
func (s *scale) zooms(instants []time.Duration) int {
	at := slices.Compact(slices.Sorted(slices.Values(instants)))
	var gaps []time.Duration
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i]-at[i-1])
	}
	if len(gaps) == 0 {
		return 1
	}
	slices.Sort(gaps)
	pixels, active := 0.0, time.Duration(0)
	for _, b := range s.Bursts {
		pixels, active = pixels+b.Right-b.Left, active+b.Until-b.From
	}
	usual := max(float64(gaps[len(gaps)/2]), 1) * pixels / float64(max(active, 1))
	return max(2, min(zoomsAtMost, int(math.Ceil(math.Log2(finest/usual)))))
}
