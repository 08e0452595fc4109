// Package plan is what a run is made from, as plain data: scenarios, subjects,
// claims, and the plan of a single run. It plays nothing.
//
//	Scenario ──Plan(subject, seed)──▶ Plan ──Encode──▶ plan.json
//	    │                              │
//	    └──────── Validate ────────────┴──▶ []Problem{Path, Found, Allowed}
//
// A [Scenario] is a claim told as steps of clients and a schedule of faults, with what
// is expected of each [Subject]. A [Plan] is everything that one run depends on. It can
// be played without the scenario's file; its hash is its identity.
//
// The package has one set of rules for both ([Scenario.Validate], [Plan.Validate]). A
// [Problem] names a field by its path in JSON; package file turns that into a line and a
// column.
//
// Subjects declare themselves here ([DeclareSubject]), so that files and plans can name
// them and their options. Their code is registered with package lock. [Claims],
// [Publications], [Words] and [AssumptionTerms] are what simulate list prints.
//
// Durations are true time, in nanoseconds in JSON (keys that end in _ns). Rates are
// parts per million, probabilities too. Seeds and all counts have bounds, which the
// errors name.
//
// The package does not promise that a valid plan does what its story says: a trigger
// may never fire. Playing it tells.
package plan
