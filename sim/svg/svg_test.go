package svg_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/sim/svg"
)

func Example() {
	var c svg.Canvas
	c.Line(svg.Ground, 10, 90, 190, 90, `stroke="#5f6368"`)
	c.Text(10, 20, svg.Font{Size: 12, Colour: "#1b1b1b"}, "a < b")
	document := c.Document(200, 100, "An example", "")
	fmt.Print(strings.Replace(document, " font-family", "\nfont-family", 1)) // its first line is long
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100"
	// font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" role="img">
	// <title>An example</title>
	// <defs>
	// </defs>
	// <rect width="200" height="100" fill="#ffffff"/>
	// <g>
	// <line x1="10" y1="90" x2="190" y2="90" stroke="#5f6368"/>
	// </g>
	// <g>
	// </g>
	// <g>
	// </g>
	// <g>
	// </g>
	// <g>
	// <text x="10" y="20" font-size="12" fill="#1b1b1b" text-anchor="start">a &lt; b</text>
	// </g>
	// </svg>
}

// TestLayers: what is in a later layer is written later, whatever was drawn first.
func TestLayers(t *testing.T) {
	var c svg.Canvas
	c.Text(0, 0, svg.Font{Size: 1, Colour: "text"}, "t")
	c.Symbol(svg.Marks, 1, 2, `<path id="mark"/>`)
	c.Rect(svg.Bars, svg.Box{Left: 1, Top: 2, Right: 4, Bottom: 6}, `id="bar"`)
	c.Polyline(svg.Lines, []float64{1, 2, 3, 4.25}, `id="line"`)
	c.Polygon(svg.Ground, []float64{1, 2, 3, 4, 5, 6}, `id="ground"`)
	c.Circle(svg.Ground, 1, 2, 3, `id="circle"`)
	c.Path(svg.Ground, 1, 2, "h3 v4", `id="path"`)
	picture := c.Document(10, 10, "", "")
	at := 0
	for _, element := range []string{
		`<polygon points="1,2 3,4 5,6" id="ground"/>`, `<circle cx="1" cy="2" r="3" id="circle"/>`, `<path d="M1 2 h3 v4" id="path"/>`,
		`<polyline points="1,2 3,4.2" fill="none" id="line"/>`, `<rect x="1" y="2" width="3" height="4" id="bar"/>`,
		`<g transform="translate(1 2)"><path id="mark"/></g>`, `>t</text>`,
	} {
		i := strings.Index(picture[at:], element)
		if i < 0 {
			t.Fatalf("no %s behind the first %d bytes of\n%s", element, at, picture)
		}
		at += i
	}
}

// TestAnyTextIsSafe: whatever stands in a label or a title, the picture is
// well-formed, and a reader finds the text again.
func TestAnyTextIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(`</text><script>alert("1")</script>&amp;`)).Draw(t, "text")
		var c svg.Canvas
		c.Text(0, 0, svg.Font{Size: 12, Colour: "#000000", Bold: true, Anchor: svg.End}, text)
		decoder := xml.NewDecoder(strings.NewReader(c.Document(10, 10, text, "")))
		elements := map[string]int{}
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		if elements["text"] != 1 || elements["title"] != 1 || elements["script"] != 0 {
			t.Fatalf("%v", elements)
		}
	})
}

// TestTryText: a label is written only where nothing touches it.
func TestTryText(t *testing.T) {
	var c svg.Canvas
	f, limits := svg.Font{Size: 10}, svg.Box{Left: 0, Right: 100}
	for _, step := range []struct {
		x, y float64
		want bool
	}{
		{10, 20, true}, {10, 20, false}, {12, 25, false}, {10, 40, true}, {-1, 60, false}, {95, 60, false},
		{50, 20, true},
		{50 - f.Length("word") - 4, 20, false}, // nearer than the gap
	} {
		if got := c.TryText(step.x, step.y, f, limits, "word"); got != step.want {
			t.Errorf("at %v, %v: %v, want %v", step.x, step.y, got, step.want)
		}
	}
	if n := strings.Count(c.Document(100, 100, "", ""), "<text"); n != 3 {
		t.Errorf("%d labels, want 3", n)
	}
}

func TestAnchors(t *testing.T) {
	f := svg.Font{Size: 10}
	length := f.Length("word")
	for _, test := range []struct {
		anchor svg.Anchor
		left   float64
	}{{"", 100}, {svg.Start, 100}, {svg.Middle, 100 - length/2}, {svg.End, 100 - length}} {
		f.Anchor = test.anchor
		if got := f.Box(100, 0, "word"); got.Left != test.left || math.Abs(got.Right-test.left-length) > 1e-9 {
			t.Errorf("anchored at %q it lies at %+v, want from %v on", test.anchor, got, test.left)
		}
	}
}

func TestWrapAndFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := svg.Font{Size: rapid.Float64Range(6, 20).Draw(t, "size"), Bold: rapid.Bool().Draw(t, "bold")}
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(`[a-zM]{1,12}`)).Draw(t, "words"), " ")
		length := rapid.Float64Range(20, 300).Draw(t, "length")
		lines := svg.Wrap(text, length, f.Length)
		if strings.Join(lines, " ") != text {
			t.Fatalf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if f.Length(line) > length && strings.Contains(line, " ") {
				t.Fatalf("%q is longer than %v", line, length)
			}
		}
		fitted := f.Fit(text, length)
		if len([]rune(fitted)) > 1 && f.Length(fitted) > length {
			t.Fatalf("%q is longer than %v", fitted, length)
		}
		if start, shortened := strings.CutSuffix(fitted, "…"); fitted != text &&
			(!shortened || !strings.HasPrefix(text, start)) {
			t.Fatalf("%q became %q", text, fitted)
		}
	})
}

// TestRoundStep: the step is round, makes few enough steps, and no smaller round step does.
func TestRoundStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Float64Range(1e-3, 1e12).Draw(t, "span")
		most := rapid.Float64Range(1, 40).Draw(t, "most")
		step := svg.RoundStep(span, most)
		digit := step / math.Pow10(int(math.Floor(math.Log10(step*1.0000001))))
		// the next smaller one is so many times smaller
		next := map[int]float64{1: 2, 2: 2, 5: 2.5}[int(math.Round(digit))]
		if next == 0 || math.Abs(digit-math.Round(digit)) > 1e-6 {
			t.Fatalf("%v is not round", step)
		}
		if span/step > most*1.0000001 || span/(step/next) < most*0.9999999 {
			t.Fatalf("a step of %v makes %v steps of %v; allowed are %v, and no smaller step", step, span/step, span, most)
		}
	})
	if step := svg.RoundStep(10, 0.5); step != 0 {
		t.Errorf("a step of %v makes half a step", step)
	}
}
