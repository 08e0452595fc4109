// Package tla holds the claims as TLA+ specifications with their models, and the Go
// code that runs TLC on them.
//
//	Redlock.tla, RedlockMessages.tla, Fencing.tla, FencingTokens.tla, RedlockLiveness.tla
//	     │  a mutant is a constant of the specification, or an edit of one line
//	     ▼
//	manifest.json ── each model's constants, checks and expected result, as a difference
//	     │
//	Run ─┴─► TLC (a child process) ─► Outcome ─► compared ─► Report
//	                                     │
//	events ─► CheckTraces ─► TraceData.tla + TraceRedlock.tla    (code → model)
//	TLC's error trace ─► ParseErrorTrace ─► ErrorTrace.Steps    (model → code)
//
// Units: the specifications count ticks; traces count microseconds, because
// TLC's integers have 32 bits. The package downloads nothing. For a missing
// Java or jar it returns a *MissingToolError with the two commands that install
// them; this never counts as a pass.
//
// The package does not promise that TLC's state counts are the same in another
// release: they are compared only when the jar is the known one.
package tla
