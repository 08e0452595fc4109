// Package atlas draws where a lock is safe. It plays a scenario over one axis or two, once
// for each cell, subject and seed, and compares the verdicts with the predictions of the
// scenario's file.
//
//	file, axes ──New──▶ Map ──Play──▶ jobs ──campaign.Play──▶ reports ──Add──▶ Lines ──▶ CSV, JSONL, SVG
//	                           grid, borders by halving, causes
//
// A [Line] is one cell with one subject and one judge. It holds the [Verdict], the number of
// runs, the cause, the violations of each oracle, the margin between two beliefs, and the
// time of each liveness goal. Shares come with the Wilson interval, medians with the interval
// of order statistics; both are meant to cover the true value in 95 of 100 maps. The interval
// of a median of fewer than six runs is their whole range, which covers less.
//
// A run whose fault had no effect decides nothing. A cell with only such runs is
// undecided, never safe.
//
// All numbers are made of runs in virtual time with fixed seeds: the same program
// prints the same bytes. Each cell is a job of its own, named by its values. Cells can be
// played on any machine, in any order. Only the cells of a border depend on others. Times
// are true time in nanoseconds. Lines are ordered as the axes x, y and panels, the last
// one fastest, then by subject as in the scenario's file, then by judge.
//
// The folder maps contains the built-in maps.
package atlas
