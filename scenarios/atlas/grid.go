package atlas

import (
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Sign is a character of a grid, and its meaning.
type Sign struct {
	Sign    rune
	Meaning string
	rank    int // of several cells behind one character, the one with the highest rank is shown
}

// Grid is one panel of a map over two axes as text: a character for each cell, or for Merged cells
// side by side and one above the other. Then the character shows the worst of them.
type Grid struct {
	Panel  string
	Rows   [][]rune // from below; each from the left
	Merged [2]int
}

// Grids are the panels of a map over two axes, none of them larger than so many characters, and the
// legend of the characters in them.
func (m *Map) Grids(lines []Line, columns, rows int) ([]Grid, []Sign) {
	var grids []Grid
	var used []Sign
	sign := m.signs(lines)
	across, up := len(m.Axes[0].Values), len(m.Axes[1].Values)
	merged := [2]int{(across + columns - 1) / columns, (up + rows - 1) / rows}
	for _, part := range m.parts() {
		for _, p := range m.panels(lines) {
			g := Grid{Panel: p.name + part.suffix, Merged: merged}
			for range (up + merged[1] - 1) / merged[1] {
				g.Rows = append(g.Rows, make([]rune, (across+merged[0]-1)/merged[0]))
			}
			worst := map[[2]int]int{} // the highest rank of each character
			for _, i := range p.lines {
				x, y := m.Cell(lines[i].Place)
				x, y = x/merged[0], y/merged[1]
				s := sign(&lines[i], part)
				if before, shown := worst[[2]int{x, y}]; !shown || s.rank > before {
					worst[[2]int{x, y}] = s.rank
					g.Rows[y][x] = s.Sign
				}
				if !slices.Contains(used, s) {
					used = append(used, s)
				}
			}
			grids = append(grids, g)
		}
	}
	slices.SortFunc(used, func(a, b Sign) int { return b.rank - a.rank })
	return grids, used
}

// signs returns the sign of a cell in a part of the picture: of its verdict, or of what is measured.
func (m *Map) signs(lines []Line) func(*Line, part) Sign {
	level, legend := m.levels(lines)
	return func(l *Line, p part) Sign {
		if p.value == nil {
			return verdictSign(l)
		}
		n, ok := level(l, p)
		if !ok { // no lease to compare is no danger; a goal that was never met is the worst
			return Sign{'?', "none", len(heat) * (1 - 2*btoi(m.Spec.Map.Measure == plan.MeasureMargin))}
		}
		s := Sign{'0' + rune(n), legend[n], n}
		if m.Spec.Map.Measure == plan.MeasureMargin {
			s.rank = -n // the smallest margin is the worst
		}
		return s
	}
}

// verdictSign is the sign of a cell's verdict. An undecided cell is worse than one that holds.
func verdictSign(l *Line) Sign {
	s := map[campaign.Grade]Sign{
		campaign.Held: {'.', "", 0}, campaign.Undecided: {'?', "", 2},
		campaign.NoProgress: {'-', "", 4}, campaign.Violated: {'#', "", 6},
	}[l.Verdict.Grade()]
	s.Meaning = string(l.Verdict)
	if l.Agreement == Disagrees {
		s.Sign = map[rune]rune{'.': 'o', '-': '=', '#': 'X'}[s.Sign]
		s.Meaning += ", not as predicted"
		s.rank++
	}
	return s
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
