// Package counterexample turns a counterexample of TLC into a plan that the
// running code replays.
//
//	TLC's error trace ─► tla.ErrorTrace ─► Steps ─► schedule ─► scenarios.Plan ─► Run ─► same outcome?
//	                                                (true times)   subject, faults
//
// The order of the steps is the model's. Each step gets an instant of its own. A SET,
// an extension or a release that executes at a node in the model is delayed until that
// instant; a command that does not execute is lost. The answers that decide a round
// are delayed until the decision.
//
// Ticks become true time. Where the model's allowance covers its clocks (Margin ≥
// 2·Drift), clocks are exact, and a key expires in the first tick in which it may.
// Otherwise the nodes run fast and the clients slow: a key expires after TTL−Drift ticks,
// and a client believes for TTL−Margin+Drift ticks.
//
// A mutant of the specification is played as a switch of SY-0. If SY-0 has no such
// switch, it is played as a patch of package redlock. Every attempt of a client is a
// process of its own, unless the mutant uses one token for all of them. A
// counterexample that cannot be replayed is refused with an [UnsupportedError] that
// gives the reason.
package counterexample
