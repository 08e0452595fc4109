// Package atlas draws where a lock is safe: it plays a scenario over one axis or two, once
// for each cell, subject and seed, says what happened there, and compares it with what the
// scenario's file predicts.
//
//	file, axes ──New──▶ Map ──Play──▶ jobs ──campaign.Play──▶ reports ──Add──▶ Lines ──▶ CSV, JSONL, SVG
//	                           grid, borders by halving, causes
//
// A [Line] is one cell with one subject and one judge: its [Verdict], from how many
// runs, with what cause, in how many runs which oracle was violated, the margin
// between two beliefs, and the time that each liveness goal took. Shares come with the Wilson
// interval, medians with the interval of order statistics; both are meant to
// cover the true value in 95 of 100 maps. The interval of a median of fewer than six runs is
// their whole range, which covers less.
//
// A run whose fault had no effect decides nothing, and a cell of such runs is undecided:
// never safe.
//
// All numbers are made of runs in virtual time with fixed seeds: the same program
// prints the same bytes. A cell is a job of its own, named by its values: it can be played
// anywhere, and in any order. Only the cells of a border depend on others.
// Times are true time in nanoseconds. Lines are ordered as the axes x, y and
// panels, the last one fastest, then by subject as in the scenario's file, then by judge.
//
// The folder maps has the maps that come with the package.
package atlas
