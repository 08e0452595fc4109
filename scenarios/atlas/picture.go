package atlas

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// colours are those of the verdicts, by class: colour-blind readers can tell them apart.
var colours = map[campaign.Grade]string{
	campaign.Violated: "#D55E00", campaign.Held: "#9BD3BD", campaign.NoProgress: "#E8C547", campaign.Undecided: "#D0D0D0",
}

// WriteSVG draws the map: cells over two axes, or curves over one. The same lines make the
// same bytes.
func (m *Map) WriteSVG(w io.Writer, lines []Line) error {
	text, err := m.Picture(lines)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// Picture is the map's drawing. Its cells carry the number of their line as data-cell.
func (m *Map) Picture(lines []Line) (string, error) {
	if m.Spec.Map.Y == nil {
		curves := m.curves(lines)
		plot := svg.Plot{Title: m.title(), X: m.across(0), Y: m.up(curves), Curves: curves}
		return plot.Document(), nil
	}
	chart, err := m.chart(lines)
	if err != nil {
		return "", err
	}
	return chart.Document(), nil
}

func (m *Map) title() string { return m.Scenario.Name + ": " + m.Scenario.Title }

// chart is the drawing of a map over two axes.
func (m *Map) chart(lines []Line) (*svg.Chart, error) {
	chart := &svg.Chart{Title: m.title(), X: m.across(0), Y: m.across(1)}
	horizontal, vertical := edges(m.Axes[0].Values), edges(m.Axes[1].Values)
	chart.X.Low, chart.X.High = horizontal[0], horizontal[len(horizontal)-1]
	chart.Y.Low, chart.Y.High = vertical[0], vertical[len(vertical)-1]
	colour, legend := m.colouring(lines)
	chart.Legend = legend
	for _, part := range m.parts() {
		for _, p := range m.panels(lines) {
			panel, err := m.panel(&lines[p.lines[0]], p.name+part.suffix)
			if err != nil {
				return nil, err
			}
			for _, i := range p.lines {
				l := &lines[i]
				x, y := m.Cell(l.Place)
				panel.Cells = append(panel.Cells, svg.Tile{
					Left: horizontal[x], Right: horizontal[x+1], Low: vertical[y], High: vertical[y+1],
					Colour: colour(l, part), About: fmt.Sprintf(`data-cell="%d"`, i), Flagged: l.Agreement == Disagrees,
				})
			}
			chart.Panels = append(chart.Panels, panel)
		}
	}
	chart.Foot = m.foot(lines)
	return chart, nil
}

// edges are the ends of the cells around values: half-way between neighbours.
func edges(values []int64) []float64 {
	ends := make([]float64, len(values)+1)
	for i := 1; i < len(values); i++ {
		ends[i] = float64(values[i-1])/2 + float64(values[i])/2
	}
	last := len(values) - 1
	ends[0], ends[last+1] = float64(values[0])-0.5, float64(values[last])+0.5
	if last > 0 {
		ends[0], ends[last+1] = 2*float64(values[0])-ends[1], 2*float64(values[last])-ends[last]
	}
	return ends
}

// part is what a picture shows of the runs of a cell.
type part struct {
	suffix string
	value  func(*Line) (float64, bool) // nil: the verdict
}

// parts are the pictures per panel: one of verdicts or shares, or the median of times and
// their 99th percentile.
func (m *Map) parts() []part {
	time := func(of func(*Spread) int64) func(*Line) (float64, bool) {
		return func(l *Line) (float64, bool) {
			if s := m.spread(l); s != nil {
				return float64(of(s)), true
			}
			return 0, false
		}
	}
	median := part{", median", time(func(s *Spread) int64 { return s.Median })}
	switch m.Spec.Map.Measure {
	case plan.MeasureViolated:
		return []part{{"", func(l *Line) (float64, bool) { return l.Violated.Value(), l.Runs > 0 }}}
	case plan.MeasureMargin:
		return []part{median}
	case plan.MeasureTime:
		return []part{median, {", 99th percentile", time(func(s *Spread) int64 { return s.P99 })}}
	}
	return []part{{}}
}

// heat are the colours of a measure, from its smallest value to its largest.
var heat = []string{"#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"}

// levels returns the level of a cell, from 0 to that of the last colour of heat, and the meaning of
// each level; no meanings if the map measures nothing. The level is false for a cell without a value.
// Times that differ by a hundred times and more get the levels of their logarithm.
func (m *Map) levels(lines []Line) (level func(*Line, part) (int, bool), meanings []string) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range m.parts() {
		for i := range lines {
			if p.value != nil {
				if v, ok := p.value(&lines[i]); ok {
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	scale := func(v float64) float64 { return v }
	back := scale
	if low > 0 && high > 100*low {
		scale, back = math.Log, math.Exp
	}
	level = func(l *Line, p part) (int, bool) {
		v, ok := p.value(l)
		if !ok {
			return 0, false
		}
		share := 0.0
		if high > low {
			share = (scale(v) - scale(low)) / (scale(high) - scale(low))
		}
		return min(len(heat)-1, int(share*float64(len(heat)))), true
	}
	if math.IsInf(low, 1) {
		return level, nil
	}
	say := rounded
	if m.Spec.Map.Measure == plan.MeasureViolated {
		say = func(v float64) string { return words.Decimal(v, 2) }
	}
	for i := range heat {
		from := back(scale(low) + (scale(high)-scale(low))*float64(i)/float64(len(heat)))
		meanings = append(meanings, "from "+say(from))
	}
	return level, meanings
}

// colouring chooses the colour of a cell, and says what colours mean.
func (m *Map) colouring(lines []Line) (func(*Line, part) string, []svg.Swatch) {
	level, meanings := m.levels(lines)
	colour := func(l *Line, p part) string {
		if p.value == nil {
			return colours[l.Verdict.Grade()]
		}
		if n, ok := level(l, p); ok {
			return heat[n]
		}
		return colours[campaign.Undecided]
	}
	var legend []svg.Swatch
	for i, meaning := range meanings {
		legend = append(legend, svg.Swatch{Colour: heat[i], Meaning: meaning})
	}
	if legend != nil {
		return colour, append(legend, svg.Swatch{Colour: colours[campaign.Undecided], Meaning: "never"})
	}
	for _, c := range []campaign.Grade{campaign.Violated, campaign.Held, campaign.NoProgress, campaign.Undecided} {
		legend = append(legend, svg.Swatch{Colour: colours[c], Meaning: string(wordOf(c, m.judges[0]))})
	}
	return colour, append(legend, m.marks(lines)...)
}

// marks explain the signs of the panels that are there, apart from colours.
func (m *Map) marks(lines []Line) []svg.Swatch {
	var marks []svg.Swatch
	add := func(there bool, sign, meaning string) {
		if there {
			marks = append(marks, svg.Swatch{Colour: "#ffffff", Sign: sign, Meaning: meaning})
		}
	}
	add(len(m.rules) > 0, "line:", "predicted border")
	add(len(m.borders) > 0, "○", "border as played: the verdict changes here")
	add(slices.ContainsFunc(lines, func(l Line) bool { return l.Agreement == Disagrees }), "×", "not as predicted")
	add(m.pin != nil, "⊕", "your setup (--pin)")
	return marks
}

// rounded is a time with three digits.
func rounded(ns float64) string {
	unit := math.Pow10(max(0, int(math.Floor(math.Log10(math.Max(math.Abs(ns), 1))))-2))
	return time.Duration(math.Round(ns/unit) * unit).String()
}

// panel is a panel without its cells.
func (m *Map) panel(l *Line, name string) (svg.Panel, error) {
	panel := svg.Panel{Name: name}
	for i := range m.borders {
		if b := &m.borders[i]; b.Judge == l.Judge && m.PanelName(b.At, b.Judge) == m.PanelName(l.Place, l.Judge) {
			panel.Borders = append(panel.Borders, [2]float64{float64(b.At.Values[0]), float64(b.At.Values[1])})
		}
	}
	if m.pin != nil {
		panel.Pin = &[2]float64{float64(m.pin[0]), float64(m.pin[1])}
		panel.Pinned = m.Axes[0].Parameter.Format(m.pin[0]) + ", " + m.Axes[1].Parameter.Format(m.pin[1])
	}
	var err error
	panel.Formula, err = m.formula(l)
	return panel, err
}

// foot says how the cells compare with the predictions.
func (m *Map) foot(lines []Line) []string {
	var foot []string
	for i := range lines {
		if r := m.rule(lines[i].Subject, lines[i].Judge); r != nil {
			text := "predicted: " + string(r.Violated)
			if r.None != "" {
				text += "; no progress: " + string(r.None)
			}
			if who := strings.TrimSpace(r.Subject + " " + r.Judge); who != "" {
				text = who + " " + text
			}
			if !slices.Contains(foot, text) {
				foot = append(foot, text)
			}
		}
	}
	return append(foot, m.Sentence(lines))
}

// Sentence counts the cells and how they compare with the prediction.
func (m *Map) Sentence(lines []Line) string {
	counts := map[Agreement]int{}
	for i := range lines {
		counts[lines[i].Agreement]++
	}
	if counts[Unpredicted] == len(lines) {
		return strconv.Itoa(len(lines)) + " cells; nothing is predicted"
	}
	return fmt.Sprintf("%d cells: %d as predicted, %d not, %d undecided, %d left open by the prediction",
		len(lines), counts[Agrees], counts[Disagrees], counts[NoVerdict], counts[LeftOpen])
}
