package svg

import (
	"strings"

	"redlocklab/sim/words"
)

// fonts are those that a picture asks for, the first that there is.
const fonts = "Helvetica, Arial, 'DejaVu Sans', sans-serif"

// Font is how a label looks. Size is in pixels.
type Font struct {
	Size   float64
	Colour string
	Bold   bool
	Anchor Anchor
	Halo   string  // the colour of a rim that sets the label off from what it covers; "" for none
	Tick   float64 // draws a line of this length above the label, at its x; 0 for none
	Offset float64 // moves the label to the right, by pixels that no zoom changes
}

// Anchor says which part of a label its x is.
type Anchor string

// The anchors. The zero value is Start.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Box returns the room that a label takes whose baseline is at y.
func (f Font) Box(x, y float64, text string) Box {
	width := f.Length(text)
	x += f.Offset
	switch f.Anchor {
	case Middle:
		x -= width / 2
	case End:
		x -= width
	}
	return Box{Left: x, Top: y - 0.8*f.Size, Right: x + width, Bottom: y + 0.22*f.Size}
}

// Length estimates how long a text is in the widest of the fonts that the
// picture asks for, so that it fits in all of them.
func (f Font) Length(text string) float64 {
	length := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlI.,:;'|!()[] /", r):
			length += 0.36
		case strings.ContainsRune("ftr-\"", r):
			length += 0.43
		case strings.ContainsRune("mwMW—", r):
			length += 0.98
		case r >= 'A' && r <= 'Z':
			length += 0.71
		default:
			length += 0.63
		}
	}
	if f.Bold {
		length *= 1.1
	}
	return length * f.Size
}

// Wrap breaks a text at blanks into lines whose length is no greater than a limit. A
// longer word stands alone.
func Wrap[N int | float64](text string, limit N, length func(string) N) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && length(longer) > limit {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// Fit shortens a text with an ellipsis until it is no longer than a length.
func (f Font) Fit(text string, length float64) string {
	runes := []rune(text)
	for len(runes) > 1 && f.Length(string(runes)) > length {
		runes = append(runes[:len(runes)-2], '…')
	}
	return string(runes)
}

// escape makes text safe inside of an element.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(words.Visible(text))
}
