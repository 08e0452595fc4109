// Package counterexample turns a counterexample of TLC into a plan that the
// running code replays.
//
//	TLC's error trace ─► tla.ErrorTrace ─► Steps ─► schedule ─► scenarios.Plan ─► Run ─► same outcome?
//	                                                (true times)   subject, faults
//
// The order of the steps is the model's. Each step gets an instant of its own. A SET,
// an extension or a release that executes at a node in the model is delayed until that
// instant; one that does not is lost. The answers that decide a round are delayed
// until the decision.
//
// Ticks become true time. Where the model's allowance covers its clocks (Margin ≥
// 2·Drift), clocks are exact, and a key goes in the first tick in which it may. Otherwise
// the nodes run fast and the clients slow: a key goes after TTL−Drift ticks, and a client
// believes for TTL−Margin+Drift.
//
// A mutant of the specification is a switch of SY-0, or a patch of package redlock
// where SY-0 has nothing to take away. Every attempt of a client is a process of its
// own, unless the mutant uses one token for all of them. What cannot be replayed is
// refused with an [UnsupportedError] that says why.
package counterexample
