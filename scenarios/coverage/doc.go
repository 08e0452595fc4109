// Package coverage says which telling moments a run came to: moments in which
// locks go wrong, if they do. A campaign of random runs that never came to one of
// them has proved nothing about it, and says so.
//
//	trace ──Reached──▶ names of moments ──summed over a campaign──▶ what was missed
//
// All of it is read from the trace, never from what was intended. [Moments] lists
// what is looked for, and which assumption a run must be allowed to break to get
// there, if any.
package coverage
