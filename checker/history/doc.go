// Package history is the record of one run of a distributed lock: its records,
// their notation as text, and the contradictions that they can contain.
//
//	text ──► Read ──► History ──► Problems
//	text ◄── Write ◄──┘
//
// All times are int64 nanoseconds of true time since the start of the run.
// HISTORY.md beside package checker describes the format. The package judges
// nothing: a history without problems may show any lock, good or bad.
package history
