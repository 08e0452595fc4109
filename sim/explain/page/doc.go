// Package page writes a run as one HTML file that a reader steps through, or two runs
// one above the other with one cursor.
//
//	explain.View ──> JSON, compressed ──┐
//	drawings (SVG) ─────────────────────┼──> one file, which fetches nothing
//	page.css, *.js ─────────────────────┘
//
// Go computes all facts and drawings: the story, and the states of clients, nodes and
// registers at every moment. The scripts only look up the state at the cursor, subtract
// times, and change the width of a drawing:
//
//	page.js    the cursor: stops, keys, buttons
//	drawing.js zoom, pan, the cursor's line, the effect of a click
//	panel.js   the state at the cursor, in words
//
// The page allows only its own scripts and styles, whatever text a trace contains.
package page
