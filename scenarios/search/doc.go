// Package search searches for runs in which a lock fails, and shrinks the
// counterexamples.
//
//	seed ──Strategy──▶ Plan ──play──▶ Summary ──violated──▶ Shrink ──▶ smallest Plan
//	                                                                   + Certificate
//
// # Drawing
//
// A [Strategy] draws whole plans before anything is played: the nodes, the latencies, the
// clients' operations and the faults. It breaks only the allowed assumptions, none by
// default: then every violation is a bug of the lock. Each run ends with a phase without
// faults, in which a late contender must acquire and release in time. For locks that
// promise more than the textbook, a quarter of the runs also judges the keys that stay
// behind on nodes. In these runs leases are long, work and faults are short, and no
// message is lost unnoticed.
//
//	swarm, random    draw configurations and faults
//	ordering         orders messages by priorities of links
//
// Each strategy finds some planted bug sooner than the others do: ORACLES.md lists the numbers.
//
// # Shrinking
//
// [Shrink] removes the parts of a plan that its violation does not need. It stops
// when the removal of any fault would lose the violation or change the broken
// assumptions. The [Certificate] lists the result of each removal. A missed goal
// needs more care, because in a smaller plan no lock may be able to meet it. So
// steps that others wait for stay. If no assumption is broken, package redlock must
// still meet the goal in the same plan.
//
// # Coverage
//
// Package coverage counts the coverage points of every trace. A search that
// missed a point is incomplete: it proves nothing about that point.
//
// # Planted bugs
//
// [Mutants] are locks with a planted bug, each with the oracle that must find it.
// ORACLES.md says where oracles differ about one run, and why.
//
// # Units, and what it does not promise
//
// Times are true time. The same options, seed and summaries give the same plans. This
// package plays nothing by itself; the caller passes a function that plays a plan. A
// shrunk plan is not always the smallest possible, but none of its faults can be
// removed alone.
package search
