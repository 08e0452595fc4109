// Package search looks for runs in which a lock fails, and makes what it finds
// small.
//
//	seed ──Strategy──▶ Plan ──play──▶ Outcome ──violated──▶ Shrink ──▶ smallest Plan
//	                                                                   + Certificate
//
// # Drawing
//
// A [Strategy] draws whole plans before anything is played: how many nodes, which
// latencies, what the clients do, which faults happen. It breaks only the
// assumptions that it is allowed to, none by default: what is violated then is a
// bug of the lock. Each run ends with a phase in which every fault is over. A late
// contender comes and must acquire and release in time. In a quarter of the runs of a lock
// that promises more than the textbook, leases are long, work and faults are short, and
// nothing is lost unseen: then what stays behind on a node is judged, too.
//
//	swarm, random       draw configurations
//	delays, ordering    order messages: a bounded number of delays; priorities
//	climb               changes plans towards small margins
//	exhaust             every schedule of at most two delays or losses, of two
//	                    clients and three nodes
//
// # Shrinking
//
// [Shrink] removes from a plan what its violation does not need, until no fault can
// be removed without losing the violation or changing what it breaks. The
// [Certificate] lists what each removal gave. A missed goal needs more care, because
// a smaller plan easily makes it one that nobody could meet. So steps that others
// wait for stay. Where nothing is broken, package redlock must still meet the goal
// in the same plan.
//
// # Coverage
//
// Package coverage counts in every trace the coverage points, in which locks go
// wrong if they do. A search that missed one is incomplete: it has proved nothing
// about that point.
//
// # Planted bugs
//
// [Mutants] are locks with a bug planted in them, and the oracle that must find it.
// ORACLES.md says where oracles differ about one run, and why.
//
// # Units, and what it does not promise
//
// Times are true time. The same options, seed and outcomes give the same plans. This
// package plays nothing by itself; the caller says how a plan is played. A shrunk
// plan need not be the smallest possible: only no single fault of it can be removed.
package search
