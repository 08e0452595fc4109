// Package coverage says which coverage points a run came to: things that happen in
// some runs only, and in which locks go wrong if they do. A campaign of random runs that
// never came to one of them has proved nothing about it, and says so.
//
//	trace ──Reached──▶ names of points ──summed over a campaign──▶ what was missed
//
// [Reached] reads the trace, never the schedule. [Points] lists the points, and the
// assumption that a run must be allowed to break to come to one, if any.
//
// The package has no units and returns no errors. It does not say whether a point did
// harm: that is for the checker.
package coverage
