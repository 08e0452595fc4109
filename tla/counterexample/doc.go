// Package counterexample turns a counterexample of TLC into a plan that the
// running code replays.
//
//	TLC's error trace ─► tla.ErrorTrace ─► Steps ─► schedule ─► scenarios.Plan ─► Run ─► same outcome?
//	                                                (true times)   subject, faults
//
// The order of the steps is the model's, to the last one. Each step gets an
// instant of its own; a SET, an extension or a release that the model lets execute
// at a node is delayed on its way until that instant, one that it does not is lost, and the
// answers that decide a round are delayed until the decision.
//
// Ticks become true time. Where the model's allowance covers its clocks (Margin ≥
// 2·Drift) clocks are exact, and the first tick in which a key may be gone is the one in
// which it is. Where it does not, the nodes run fast and the clients slow: a
// key goes after TTL−Drift ticks, and a client believes for TTL−Margin+Drift.
//
// A mutant of the specification is a switch of SY-0, or a patch of package redlock
// where SY-0 has nothing to take away. Every attempt of a client is a
// process of its own, except where one token for all of them is the point. What
// cannot be replayed is refused with an [UnsupportedError] that says why.
package counterexample
