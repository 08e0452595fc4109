package tables

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/words"
)

// WriteLines prints one line per point of a map and subject.
func WriteLines(w io.Writer, m *atlas.Map, lines []atlas.Line) error {
	heads := plan.Texts(m.Axes, func(axis plan.Axis) string { return strings.ToUpper(axis.Parameter.Name) })
	heads = append(heads, "SUBJECT", "VERDICT", "RUNS", "VIOLATED", "SHARE (95 %)", "MARGIN MIN/MEDIAN/MAX")
	for i := range m.Scenario.Liveness {
		heads = append(heads, fmt.Sprintf("GOAL %d MEDIAN (95 %%), MAX", i+1))
	}
	table := New(w, heads...)
	for i := range lines {
		l := &lines[i]
		margin := "none"
		if m := l.Margin; m != nil {
			margin = fmt.Sprintf("%v/%v/%v", short(m.Min), short(m.Median), short(m.Max))
		}
		cells := append(slices.Clone(l.Texts), l.Subject, string(l.Verdict), runsOf(l.Runs, l.Planned), violated(l),
			fmt.Sprintf("%.3f (%.3f–%.3f)", l.Violated.Value(), l.Violated.Low, l.Violated.High), margin)
		for _, t := range l.Times {
			cell := "never"
			if t != nil {
				cell = fmt.Sprintf("%v (%v–%v), %v", short(t.Median), short(t.Low), short(t.High), short(t.Max))
			}
			cells = append(cells, cell)
		}
		table.Row(cells...)
	}
	return table.Flush()
}

// violated names the oracles that were violated, with the count of runs.
func violated(l *atlas.Line) string {
	var parts []string
	for _, o := range l.Oracles {
		if o.Violated > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", o.Oracle, o.Violated))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// short is a duration to the microsecond.
func short(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// mostListed is how many cells that disagree are listed per panel.
const mostListed = 10

// WriteTallies prints one line per panel of a map, and the cells that are not as predicted.
func WriteTallies(w io.Writer, m *atlas.Map, lines []atlas.Line) error {
	table := New(w, "PANEL", "VIOLATED", "HELD", "NO PROGRESS", "UNDECIDED", "NOT AS PREDICTED", "CAUSES")
	tallies := m.Tallies(lines)
	for i := range tallies {
		t := &tallies[i]
		disagree := "no prediction"
		if t.Agree[atlas.Unpredicted] == 0 {
			disagree = fmt.Sprintf("%d of %d", t.Agree[atlas.Disagrees], t.Agree[atlas.Disagrees]+t.Agree[atlas.Agrees])
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", t.Panel, t.Grades[campaign.Violated],
			t.Grades[campaign.Held], t.Grades[campaign.NoProgress], t.Grades[campaign.Undecided], disagree,
			strings.Join(t.Causes, "; "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range tallies {
		for k, l := range tallies[i].Lines {
			if k == mostListed {
				fmt.Fprintf(w, "… and %d more of %s\n", len(tallies[i].Lines)-k, tallies[i].Panel)
				break
			}
			var at []string
			for n, axis := range m.Axes {
				at = append(at, axis.Parameter.Name+" "+l.Texts[n])
			}
			fmt.Fprintf(w, "not as predicted: %s, %s: %s in %d of %d runs, predicted %s\n", tallies[i].Panel, strings.Join(at, ", "), l.Verdict, l.From, l.Planned, l.Predicted)
		}
	}
	return nil
}

// mostGridRows is the greatest height of a printed grid.
const mostGridRows = 50

// WriteGrids prints the panels of a map over two axes and the legend: a character a cell, or as many
// side by side as give each cell its label, where there is room. Where a grid is wider than the
// window, or very high, a character stands for several cells: the worst of them.
func WriteGrids(w io.Writer, m *atlas.Map, lines []atlas.Line) error {
	x, y := &m.Axes[0], &m.Axes[1]
	margin := longest(plan.Texts(y.Values, y.Parameter.Format)) // before the cells: the values of the vertical axis
	room := max(8, Width(w)-margin-1)
	grids, legend := m.Grids(lines, room, mostGridRows)
	labels := make([]string, len(grids[0].Rows[0]))
	for column := range labels {
		labels[column] = x.Parameter.Format(x.Values[column*grids[0].Merged[0]])
	}
	wide := longest(labels) + gap // of a cell, so that each has its label
	if wide*len(labels) > room {
		wide = 1
	}
	var text strings.Builder
	for i := range grids {
		g := &grids[i]
		fmt.Fprintf(&text, "%s\n%s\n", g.Panel, y.Parameter.Name)
		for row := len(g.Rows) - 1; row >= 0; row-- {
			fmt.Fprintf(&text, "%*s ", margin, y.Parameter.Format(y.Values[row*g.Merged[1]]))
			for _, sign := range g.Rows[row] {
				text.WriteString(strings.Repeat(string(cmp.Or(sign, ' ')), wide))
			}
			text.WriteByte('\n')
		}
		ticks, under := scale(labels, wide)
		indent := strings.Repeat(" ", margin+1)
		fmt.Fprintf(&text, "%s%s\n%s%s  %s\n", indent, ticks, indent, under, x.Parameter.Name)
	}
	signs := plan.Texts(legend, func(s atlas.Sign) string { return fmt.Sprintf("%c %s", s.Sign, s.Meaning) })
	text.WriteString(strings.Join(signs, "   ") + "\n")
	if n := grids[0].Merged; n != [2]int{1, 1} {
		fmt.Fprintf(&text, "a character stands for %s from left to right and %s upwards, and shows the worst of them\n",
			words.Counted(n[0], "cell"), words.Counted(n[1], "cell"))
	}
	_, err := io.WriteString(w, text.String()+"\n")
	return err
}

// longest is the width of the widest text.
func longest(texts []string) (width int) {
	for _, text := range texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	return width
}

// scale writes labels below cells of so many columns, as many as there is room for, with a tick above each.
func scale(labels []string, wide int) (ticks, under string) {
	for cell, label := range labels {
		column := cell * wide
		if width := utf8.RuneCountInString(under); width == 0 || column >= width+gap {
			ticks = fmt.Sprintf("%-*s|", column, ticks)
			under = fmt.Sprintf("%-*s%s", column, under, label)
		}
	}
	return ticks, under
}
