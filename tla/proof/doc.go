// Package proof holds the theorems behind the claims, in Coq, and the Go code that has
// coqc check them.
//
//	Majority  Clocks
//	     └──┬───┘
//	     System ── Invariant ── Claims (MX-1, MX-2, MX-5, MX-8)
//	        │           └────── Recovery (LV-1, LV-6)
//	     Acquisition ────────── Necessity (each hypothesis is needed, all hold together)
//	     Fencing (RP-5, RS-4)   Allowance (redlock.AllowanceFor)
//
// Check compiles the files in the order of _CoqProject, compares the axioms behind the
// theorems with axioms.txt, and checks that each weakened variant in variants.json fails.
// Times are real numbers without a unit; Allowance has nanoseconds. The package
// downloads nothing. Without coqc it returns a *tla.MissingToolError, which
// never counts as a pass.
package proof
