package explain

import (
	"cmp"
	"slices"
	"time"

	"redlocklab/sim/svg"
)

// scale maps true time to x. Within a burst of activity, x is proportional to time.
// The idle gaps between bursts have a fixed small width and are marked as breaks, so
// that 4 ms of messages and 7 s of waiting fit one picture.
type scale struct {
	bursts []burst
}

// burst is a time in which x is proportional to time.
type burst struct {
	from, until time.Duration
	left, right float64
}

const (
	breakWidth    = 36.0 // of an idle gap, in pixels
	burstMinimum  = 40.0 // of a burst
	breaksAtMost  = 14
	idleFactor    = 8 // a gap is idle if it is more than this many times the usual gap
	usualGapShare = 0.75
)

// newScale maps the instants to x between left and right. There must be at least
// one instant.
func newScale(instants []time.Duration, left, right float64) *scale {
	at := slices.Clone(instants)
	slices.Sort(at)
	at = slices.Compact(at)
	s := &scale{}
	begin := 0
	for _, i := range append(idleGaps(at), len(at)-1) {
		s.bursts = append(s.bursts, burst{from: at[begin], until: at[i]})
		begin = i + 1
	}
	s.share(at, left, right)
	return s
}

// idleGaps returns the indices of the instants after which an idle gap begins.
func idleGaps(at []time.Duration) []int {
	type gap struct {
		after int
		size  time.Duration
	}
	var gaps []gap
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, gap{after: i - 1, size: at[i] - at[i-1]})
	}
	if len(gaps) == 0 {
		return nil
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Compare(b.size, a.size) })
	usual := gaps[len(gaps)-1-int(float64(len(gaps)-1)*usualGapShare)].size
	var idle []int
	for _, g := range gaps[:min(len(gaps), breaksAtMost)] {
		if g.size > idleFactor*usual {
			idle = append(idle, g.after)
		}
	}
	slices.Sort(idle)
	return idle
}

// share makes the width of every burst proportional to the number of its instants.
func (s *scale) share(at []time.Duration, left, right float64) {
	room := right - left - breakWidth*float64(len(s.bursts)-1) - burstMinimum*float64(len(s.bursts))
	x := left
	for i := range s.bursts {
		b := &s.bursts[i]
		inside := 0
		for _, t := range at {
			if t >= b.from && t <= b.until {
				inside++
			}
		}
		b.left = x
		b.right = x + burstMinimum + room*float64(inside)/float64(len(at))
		x = b.right + breakWidth
	}
}

// x returns the x of an instant. Instants outside of the scale lie on its edges.
func (s *scale) x(t time.Duration) float64 {
	first, last := s.bursts[0], s.bursts[len(s.bursts)-1]
	switch {
	case t <= first.from:
		return first.left
	case t >= last.until:
		return last.right
	}
	for i, b := range s.bursts {
		if t <= b.until && t >= b.from {
			return between(t, b.from, b.until, b.left, b.right)
		}
		if next := i + 1; next < len(s.bursts) && t < s.bursts[next].from {
			return between(t, b.until, s.bursts[next].from, b.right, s.bursts[next].left)
		}
	}
	return last.right
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
	first bool // of its burst
}

// ticks returns the beginning of each burst, and round times in it if there is room
// for their labels.
func (s *scale) ticks() []tick {
	var ticks []tick
	for _, b := range s.bursts {
		step := time.Duration(0)
		if room := (b.right - b.left) / tickRoom; room >= 1 && b.until > b.from {
			step = max(time.Microsecond, time.Duration(svg.RoundStep(float64(b.until-b.from), room)))
		}
		ticks = append(ticks, tick{at: b.from, label: axisLabel(b.from, step), first: true})
		for at := b.from.Truncate(step) + step; step > 0 && at <= b.until; at += step {
			if s.x(at)-b.left >= tickRoom {
				ticks = append(ticks, tick{at: at, label: axisLabel(at, step)})
			}
		}
	}
	return ticks
}

// tickRoom is the least distance between two labels of the axis, in pixels.
const tickRoom = 64.0

// axisLabel returns an instant with the precision that the step needs.
func axisLabel(at, step time.Duration) string {
	if at < time.Second {
		if step != 0 && step < time.Millisecond {
			return svg.Number(float64(at)/float64(time.Millisecond), 3) + " ms"
		}
		return svg.Number(float64(at)/float64(time.Millisecond), 1) + " ms"
	}
	return svg.Number(at.Seconds(), 3) + " s"
}
