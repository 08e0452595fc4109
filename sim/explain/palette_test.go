package explain_test

import (
	"math"
	"strconv"
	"testing"

	"redlocklab/sim/explain"
)

// rgb is a colour in linear light.
type rgb [3]float64

func parse(t *testing.T, hex string) rgb {
	t.Helper()
	var c rgb
	for i := range c {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if c[i] = float64(v) / 255; c[i] <= 0.04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the ratio that WCAG 2 defines.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// deuteranope is how the colour looks to a deuteranope, after Machado and others (2009).
func (c rgb) deuteranope() rgb {
	var seen rgb
	for i, row := range [3][3]float64{
		{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881},
	} {
		seen[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return seen
}

// lab is the colour in CIELAB, whose distances are those that people see.
func (c rgb) lab() [3]float64 {
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x, y := f((0.4124*c[0]+0.3576*c[1]+0.1805*c[2])/0.9505), f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b rgb) float64 {
	p, q := a.lab(), b.lab()
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// TestPaletteIsLegible: words have a contrast of 4.5:1 on whatever they stand on, and
// the colours of clients and of trouble differ for a deuteranope, those of the first
// three clients in grey, too.
func TestPaletteIsLegible(t *testing.T) {
	inks, grounds, owned := explain.Palette()
	for _, ground := range grounds {
		for _, ink := range append(inks, owned...) {
			if r := contrast(parse(t, ink), parse(t, ground)); r < 4.5 {
				t.Errorf("%s on %s has a contrast of %.2f", ink, ground, r)
			}
		}
	}
	for _, ground := range owned {
		if r := contrast(parse(t, "#ffffff"), parse(t, ground)); r < 4.5 {
			t.Errorf("white on %s has a contrast of %.2f", ground, r)
		}
	}
	for i, a := range owned {
		for j, b := range owned[:i] {
			x, y := parse(t, a), parse(t, b)
			if d := distance(x.deuteranope(), y.deuteranope()); d < 10 {
				t.Errorf("%s and %s differ by %.0f for a deuteranope", a, b, d)
			}
			if d := math.Abs(x.lab()[0] - y.lab()[0]); i < 3 && j < 3 && d < 12 {
				t.Errorf("%s and %s differ by %.0f in grey", a, b, d)
			}
		}
	}
}
