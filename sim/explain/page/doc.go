// Package page writes a run as one HTML file that a reader steps through, or two runs
// one above the other with one cursor.
//
//	explain.View ──> JSON, compressed ──┐
//	drawings (SVG) ─────────────────────┼──> one file, which fetches nothing
//	page.css, *.js ─────────────────────┘
//
// Go decides what is true and what is drawn: the story, the states of clients, nodes and
// registers at every moment, and the drawings. The scripts only look up the state at
// the cursor, subtract times, and change the width of a drawing:
//
//	page.js    the cursor: stops, keys, buttons
//	drawing.js zoom, pan, the cursor's line, what a click means
//	panel.js   the state at the cursor, in words
//
// The page allows no script and no style but its own, whatever stands in a trace.
package page
