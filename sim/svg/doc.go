// Package svg collects the elements of a picture and writes them as one
// self-contained SVG file: no script, no font and no image is fetched.
//
//	c := new(svg.Canvas)
//	c.Line(svg.Ground, 10, 90, 190, 90, `stroke="#5f6368"`)
//	c.Text(10, 20, svg.Font{Size: 12, Colour: "#1b1b1b"}, "a < b")
//	picture := c.Document(200, 100, "An example", "")
//
// Coordinates and sizes are pixels; y grows downwards. The same calls write the
// same bytes. Labels and the title are escaped. Attributes that a caller passes
// as text, and definitions, are written as they are: they must be well-formed.
package svg
