// Package round counts the votes of one Redlock round and decides it. It uses
// no goroutine, clock, randomness, context or network.
//
// A round sends the same command to every node. The caller adds each answer
// together with the time since just before the first send:
//
//	            Add(node, For, elapsed)          the quorum-th For, in time
//	Undecided ------------------------------> Granted
//	    |
//	    |   too few nodes left for a quorum, or elapsed >= limit
//	    +-----------------------------------> Lost (Contended, NoQuorum or Late)
//
// Acquiring, extending and releasing a lock are rounds. They differ in what
// counts as a vote and in the limit. The answer that completes or rules out a quorum decides the round; later
// answers change nothing (claims MX-2, MX-3, MX-8).
package round
