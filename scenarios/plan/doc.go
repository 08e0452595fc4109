// Package plan holds the inputs of a run as plain data: scenarios, subjects,
// claims, and the plan of a single run. It plays nothing.
//
//	Scenario ──Plan(subject, seed)──▶ Plan ──Encode──▶ plan.json
//	    │                              │
//	    └──────── Validate ────────────┴──▶ []Problem{Path, Found, Allowed}
//
// A [Scenario] tests a claim with steps of clients and a schedule of faults, and states
// the expectation for each [Subject]. A [Plan] is the complete input of one run. It can
// be played without the scenario's file; its hash is its identity.
//
// The same rules check both ([Scenario.Validate], [Plan.Validate]). A
// [Problem] names a field by its path in JSON; package file turns that into a line and a
// column.
//
// Subjects declare themselves here ([DeclareSubject]), so that files and plans can name
// them and their options. Their code is registered with package lock. "simulate
// list" prints [Claims], [Publications], [Words] and [AssumptionTerms].
//
// Durations are true time, in nanoseconds in JSON (keys that end in _ns). Rates are
// parts per million, probabilities too. Seeds and all counts have bounds, which the
// errors name.
//
// The package does not promise that a valid plan does what its story says: a trigger
// may never fire. Only playing the plan shows it.
package plan
