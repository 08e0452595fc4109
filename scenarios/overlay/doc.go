// Package overlay plants bugs into this module's own source. It builds a program
// with `go build -overlay`, which replaces a few files by edited copies. The working
// tree stays as it is.
//
//	Edit (file, old text, new text) ──apply──▶ edited copy ──┐
//	go.mod of the source tree ──────────────────────────────┴─▶ go build -overlay ──▶ program
//
// An edit whose old text does not occur exactly once in its file is an error: a
// patch that no longer applies must not count as an undetected bug.
//
// [Patches] lists the bugs that can be planted in package redlock. A plan names the patch
// that it needs (the option patch of SY-10), and a program knows the patch that it was
// built with ([Carried]). play.Run refuses a plan that needs a different patch. Commands
// that play runs in workers build and start the right programs ([Programs]).
package overlay
