package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/plan"
	"redlocklab/sim/svg"
)

// MatrixFile is the picture of the matrix.
const MatrixFile = Folder + "/matrix.svg"

// The measures of the picture, in pixels: it is 900 wide, and its words stay legible there.
const (
	matrixWidth = 900.0
	namesWidth  = 345.0 // of the claims
	headHeight  = 165.0
	rowPixels   = 20.0
)

// verdictLook is how a verdict is drawn: colour and sign, so that neither is needed alone.
var verdictLook = []verdictSign{
	{"holds", "✓", "#009E73", "#ffffff", "holds"},
	{"guarded", "✓G", "#009E73", "#ffffff", "holds with the restart guard"},
	{"broken", "A", "#E69F00", "#000000", "violated, an assumption was broken"},
	{"own", "✗", "#B00020", "#ffffff", "violated by the lock's own mistake"},
	{"other", "?", "#56B4E9", "#000000", "violated: its default, design or our estimate"},
	{"measured", "#", "#CCCCCC", "#000000", "measured"},
	{"n/a", "", "#F4F4F4", "#000000", "does not apply"},
}

type verdictSign struct{ word, sign, colour, ink, meaning string }

// asked are the claims that systems are asked about.
func (in *Input) asked() []plan.Claim {
	return slices.DeleteFunc(slices.Clone(plan.Claims()), func(c plan.Claim) bool { return c.Kind == plan.KindSystem })
}

// look is the verdict of some cells as it is drawn.
func (t *tally) look() string {
	switch {
	case t.cells == 0:
		return "n/a"
	case t.own > 0:
		return "own"
	case t.bare > 0:
		return "other"
	case t.against > 0:
		return "broken"
	case t.measured > 0:
		return "measured"
	}
	return "holds"
}

// Matrix draws systems against claims.
func (in *Input) Matrix() string {
	c := &svg.Canvas{}
	systems, claims := plan.Systems(), in.asked()
	cell := (matrixWidth - namesWidth - 26) / float64(len(systems))
	words := svg.Font{Size: 12, Colour: "#000000"}
	x := 10.0
	for i, l := range verdictLook {
		if i%3 == 0 {
			x = 10
		}
		y := 12 + 22*float64(i/3)
		c.Rect(svg.Ground, svg.Box{Left: x, Top: y, Right: x + 18, Bottom: y + 16}, fmt.Sprintf(`fill="%s"`, l.colour))
		c.Text(x+9, y+12, svg.Font{Size: 12, Colour: l.ink, Anchor: svg.Middle}, l.sign)
		c.Text(x+24, y+13, words, l.meaning)
		x += 300
	}
	for i, s := range systems {
		at := namesWidth + cell*(float64(i)+0.5)
		c.Symbol(svg.Marks, at+4, headHeight-6, fmt.Sprintf(`<text transform="rotate(-50)" font-size="11">%s</text>`, plan.KnownAs(s.Name)))
	}
	for row, claim := range claims {
		y := headHeight + rowPixels*float64(row)
		c.Symbol(svg.Marks, 0, y, fmt.Sprintf(`<a href="CELLS.md#%s"><rect width="%s" height="%s" fill="transparent"/></a>`, strings.ToLower(claim.ID), svg.Px(matrixWidth), svg.Px(rowPixels)))
		c.Text(10, y+14, svg.Font{Size: 12, Colour: "#000000", Bold: true}, claim.ID)
		c.Text(62, y+14, words, claim.Short)
		for i, s := range systems {
			t := in.tally(in.chosen(claim.ID, s.Name)...)
			look := t.look()
			guarded := in.tally(in.choose(func(c *Cell) bool {
				return c.Claim == claim.ID && c.name() == s.Name && !strings.HasSuffix(c.Subject, " unguarded")
			})...)
			if look == "broken" && guarded.look() == "holds" {
				look = "guarded"
			}
			l := verdictLook[slices.IndexFunc(verdictLook, func(l verdictSign) bool { return l.word == look })]
			left := namesWidth + cell*float64(i)
			box := svg.Box{Left: left + 1, Top: y + 1, Right: left + cell - 1, Bottom: y + rowPixels - 1}
			c.Rect(svg.Ground, box, fmt.Sprintf(`fill="%s"`, l.colour))
			if l.sign != "" {
				c.Text(left+cell/2, y+14, svg.Font{Size: 12, Colour: l.ink, Anchor: svg.Middle}, l.sign)
			}
		}
	}
	return c.Document(matrixWidth, headHeight+rowPixels*float64(len(claims))+10, "Every system against every claim", "")
}
