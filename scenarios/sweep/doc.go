// Package sweep measures: it plays a scenario once for each combination of
// parameter values, subject and seed, and sums up what was seen at each point.
//
//	scenario × axes ──New──▶ jobs ──campaign.Play──▶ reports ──Lines──▶ table, CSV, SVG
//
// A [Line] is one point with one subject: in how many runs which oracle was
// violated, the margin between two beliefs, and the time that each liveness goal took.
// Shares come with the Wilson interval, medians with the interval of order
// statistics; both are meant to cover the true value in 95 of 100 sweeps. The
// interval of a median of fewer than six runs is their whole range, which covers less.
//
// All numbers are made of runs in virtual time with fixed seeds: the same program
// prints the same bytes. Times are true time in nanoseconds. Points are
// ordered as the axes are written, the last one fastest, subjects within a point
// as in the scenario's file.
package sweep
