// Package search looks for runs in which a lock fails, and makes what it finds
// small.
//
//	seed ──Swarm──▶ Plan ──play──▶ Outcome ──violated──▶ Shrink ──▶ smallest Plan
//	                                                                + Certificate
//
// [Swarm] draws a whole run from one number: how many nodes, which latencies,
// what the clients do, and which faults happen. It breaks only the assumptions
// that it is allowed to, none by default: what is found then is a bug of the
// lock. [Shrink] takes away from a plan what its violation does not need.
// [Mutants] are locks with a bug planted in them, and the oracle that must find it.
//
// A plan that was drawn is like any other: it can be saved, replayed and told.
// This package plays nothing by itself; the caller says how a plan is played.
package search
