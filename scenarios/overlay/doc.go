// Package overlay plants bugs into this module's own source. It builds a program
// with `go build -overlay`: a few files are replaced by edited copies, the working
// tree stays as it is.
//
//	Edit (file, old text, new text) ──apply──▶ edited copy ──┐
//	go.mod of the source tree ──────────────────────────────┴─▶ go build -overlay ──▶ program
//
// An edit whose text does not stand exactly once in its file is an error: a patch
// that no longer applies must not pass for a bug that nobody found.
//
// [Patches] lists what can be planted in package redlock. A program that was built
// with one knows it: see [Carried].
package overlay
