package atlas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// Border is a border between two verdicts, crossed along one axis.
type Border struct {
	At    Place // with the middle of the bracket on the axis
	Axis  int   // which of the axes
	Judge string
	plan.Bracket
	Before, After Verdict // on the two sides

	step int64
}

// line is places in line: only the value of one axis differs, and grows.
type line struct {
	axis   int
	places []Place
}

// plane are the axes x and y.
func (m *Map) plane() []plan.Axis {
	if m.Spec.Map.Y == nil {
		return m.Axes[:1]
	}
	return m.Axes[:2]
}

// gridLines are the rows and columns of all panels; only axes with numbers have borders.
func (m *Map) gridLines() []line {
	var lines []line
	for axis := range m.plane() {
		if m.Axes[axis].Parameter.Kind == plan.WordParameter {
			continue
		}
		for _, p := range m.grid {
			if p.Values[axis] == m.Axes[axis].Values[0] {
				lines = append(lines, m.along(p, axis, m.Axes[axis].Values))
			}
		}
	}
	return lines
}

func (m *Map) along(p Place, axis int, values []int64) line {
	l := line{axis: axis}
	values = slices.Clone(values)
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		p.Values[axis] = v
		l.places = append(l.places, p)
	}
	return l
}

// findBorders finds neighbours with different verdicts.
func (m *Map) findBorders(lines []line) {
	for _, judge := range m.judges {
		for _, l := range lines {
			for i := 1; i < len(l.places); i++ {
				low, _, _ := m.verdict(l.places[i-1], judge)
				high, _, _ := m.verdict(l.places[i], judge)
				if low == high || low == Undecided || high == Undecided {
					continue
				}
				b := Border{At: l.places[i], Axis: l.axis, Judge: judge, Before: low, After: high, step: 1,
					Bracket: plan.Bracket{Low: l.places[i-1].Values[l.axis], High: l.places[i].Values[l.axis]}}
				if m.Axes[l.axis].Parameter.Kind == plan.DurationParameter {
					b.step = max(1, min(int64(time.Millisecond), (b.High-b.Low)/16))
				}
				m.borders = append(m.borders, b)
			}
		}
	}
}

// middles are the places that narrow the borders.
func (m *Map) middles() []Place {
	var places []Place
	for i := range m.borders {
		b := &m.borders[i]
		if middle, open := b.Middle(b.step); open {
			b.At.Values[b.Axis] = middle
			places = append(places, b.At)
		}
	}
	return m.beside([]line{{places: places}})
}

// beside notes places that are not in the grid, each once, and returns them.
func (m *Map) beside(lines []line) []Place {
	known := map[Place]bool{}
	for _, p := range slices.Concat(m.grid, m.extra) {
		known[p] = true
	}
	from := len(m.extra)
	for _, l := range lines {
		for _, p := range l.places {
			if !known[p] {
				known[p] = true
				m.extra = append(m.extra, p)
			}
		}
	}
	return m.extra[from:]
}

// narrow takes in what the middles show.
func (m *Map) narrow() {
	for i := range m.borders {
		b := &m.borders[i]
		if middle, open := b.Middle(b.step); open {
			b.At.Values[b.Axis] = middle
			v, _, _ := m.verdict(b.At, b.Judge)
			if b.Narrow(middle, v == b.Before); v != b.Before {
				b.After = v
			}
		}
		b.At.Values[b.Axis] = b.Low + (b.High-b.Low)/2
	}
}

// setPin reads the pin.
func (m *Map) setPin() error {
	if len(m.Spec.Pin) == 0 {
		return nil
	}
	names := plan.Texts(m.plane(), func(a plan.Axis) string { return a.Parameter.Name })
	m.pin = make([]int64, len(names))
	missing := slices.Clone(names)
	for _, setting := range m.Spec.Pin {
		i := slices.Index(names, setting.Name)
		if i < 0 {
			return fmt.Errorf("--pin: found the unknown axis %s; %s", setting.Name, faults.Allowed(setting.Name, names))
		}
		if !slices.Contains(missing, setting.Name) {
			return fmt.Errorf("--pin: found %s twice; allowed: once", setting.Name)
		}
		n, err := m.Axes[i].Parameter.Parse(setting.Value)
		if err != nil {
			return fmt.Errorf("--pin: %s: %w", setting.Name, err)
		}
		m.pin[i] = n
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == setting.Name })
	}
	if len(missing) > 0 {
		return fmt.Errorf("--pin: found no value of %s; allowed: one value for each of %s", strings.Join(missing, ", "), strings.Join(names, ", "))
	}
	return nil
}

// pinLines are the places in line with the pin, in every panel.
func (m *Map) pinLines() []line {
	var lines []line
	for axis := range m.pin {
		for _, p := range m.pins() {
			lines = append(lines, m.along(p, axis, append(slices.Clone(m.Axes[axis].Values), m.pin[axis])))
		}
	}
	return lines
}

// pins are the places of the pin: one per panel and subject.
func (m *Map) pins() []Place {
	if m.pin == nil {
		return nil
	}
	axes := slices.Clone(m.Axes)
	for i := range m.pin {
		axes[i].Values = m.pin[i : i+1]
	}
	return m.places(axes)
}

// Pinned says what the pin shows, a line per panel, subject and judge: its verdict, and
// along each axis how far the nearest border is.
func (m *Map) Pinned() []string {
	var says []string
	for _, judge := range m.judges {
		for _, p := range m.pins() {
			v, _, runs := m.verdict(p, judge)
			text := fmt.Sprintf("%s: %s in %d of %d runs", m.PanelName(p, judge), v, runs, len(m.seeds()))
			for axis := range m.pin {
				text += "; " + m.distance(p, judge, axis)
			}
			says = append(says, text)
		}
	}
	return says
}

// distance is how far the nearest border is along an axis.
func (m *Map) distance(p Place, judge string, axis int) string {
	parameter := m.Axes[axis].Parameter
	crossed := m.crossing(p, axis, judge)
	if len(crossed) == 0 {
		return "no border along " + parameter.Name
	}
	gap := func(b Border) int64 {
		d := b.At.Values[axis] - p.Values[axis]
		return max(d, -d)
	}
	nearest := slices.MinFunc(crossed, func(a, b Border) int { return cmp.Compare(gap(a), gap(b)) })
	beyond, sign := nearest.After, "+"
	if nearest.At.Values[axis] <= p.Values[axis] {
		beyond, sign = nearest.Before, "−"
	}
	return fmt.Sprintf("%s beyond %s %s (%s%s)", beyond, parameter.Name,
		parameter.Format(nearest.At.Values[axis]), sign, parameter.Format(gap(nearest)))
}

// crossing are the borders along an axis through a place.
func (m *Map) crossing(p Place, axis int, judge string) []Border {
	return slices.DeleteFunc(slices.Clone(m.borders), func(b Border) bool {
		p.Values[axis] = b.At.Values[axis]
		return b.Axis != axis || b.Judge != judge || b.At != p
	})
}

// Crossed says where the verdict changes along the one axis of a map, a line per panel,
// subject and judge; nothing for a map over two axes or over words.
func (m *Map) Crossed() []string {
	if m.Spec.Map.Y != nil {
		return nil
	}
	var says []string
	for _, judge := range m.judges {
		for _, l := range m.gridLines() {
			says = append(says, m.PanelName(l.places[0], judge)+": "+m.crossed(l, judge))
		}
	}
	return says
}

func (m *Map) crossed(l line, judge string) string {
	crossed := m.crossing(l.places[0], l.axis, judge)
	slices.SortFunc(crossed, func(a, b Border) int { return cmp.Compare(a.Low, b.Low) })
	parameter := m.Axes[l.axis].Parameter
	if len(crossed) == 0 {
		first, _, _ := m.verdict(l.places[0], judge)
		other := func(p Place) bool { v, _, _ := m.verdict(p, judge); return v != first }
		if slices.ContainsFunc(l.places, other) {
			return "undecided where a border would be"
		}
		return fmt.Sprintf("%s at every value of %s", first, parameter.Name)
	}
	text := fmt.Sprintf("%s up to %s %s", crossed[0].Before, parameter.Name, parameter.Format(crossed[0].Low))
	after := int64(math.MinInt64)
	for _, b := range crossed {
		if b.Low < after { // a pin crosses the same border
			continue
		}
		text += fmt.Sprintf(", %s from %s on", b.After, parameter.Format(b.High))
		after = b.High
	}
	return text
}
