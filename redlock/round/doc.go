// Package round holds the decision at the heart of Redlock, and nothing else:
// no goroutine, no clock, no randomness, no context, no network.
//
// One round asks every node the same question at the same instant. Answers and
// the time that has passed since just before the first question go in;
// undecided, granted or lost, and the validity that is left, come out:
//
//	            Add(node, For, elapsed)          quorum-th For, in time
//	Undecided ------------------------------> Granted (validity = limit - elapsed)
//	    |
//	    |   too few nodes left for a quorum, or elapsed >= limit
//	    +-----------------------------------> Lost (Contended, NoQuorum or Late)
//
// Acquiring, extending and releasing a lock are three uses of it. They differ
// in what counts as a vote and in the limit:
//
//	acquire   For: the node proves that the key carries this attempt's token
//	          limit: time to live minus allowance
//	extend    For: the node still had the owner's token
//	          limit: the smaller of that and what is left of the current lease
//	release   For: the node proves that the key no longer carries the token
//	          limit: none
//
// The decision is taken at the deciding answer, never at the slowest one
// (claims MX-2, MX-3, MX-8), and is final.
package round
