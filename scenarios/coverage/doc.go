// Package coverage says which coverage points a run reached. A coverage point is an
// event that happens only in some runs, and in which locks often fail. A campaign that
// never reached a point proves nothing about it, and says so.
//
//	trace ──Reached──▶ names of points ──summed over a campaign──▶ missed points
//
// [Reached] reads the trace, never the schedule. [Points] lists the points, each
// with the assumption, if any, that a run must break to reach it.
//
// The package has no units and returns no errors. It does not say whether a point did
// harm; the checker does.
package coverage
