package tables

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/words"
)

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
