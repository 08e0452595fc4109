// Package play plays one plan and judges the run.
//
//	Plan ──▶ World (or Cluster) ──▶ trace ─┐
//	  │        ▲        ▲                   ├─▶ history ──checker.Judge──▶ Verdict
//	  │        │        └ clients' steps ──┘ notes                          │
//	  └ faults ┘                                                         Result
//
// [Run] plays in the simulator. It makes each client's lock, installs the faults, and lets
// the clients take their steps. Clients note their calls and leases, and the trace says
// what happened to nodes and messages. From both comes a history: operations and leases
// (leases.go), node log (nodelog.go), facts about the world (facts.go), goals (goals.go).
// It uses what happened, not what was scheduled.
//
// A [Referee] does the same where the simulator is not: package live gives it a
// [Cluster] of real servers, and [PlayClient] is one client in a process of its own.
// [Result.Explained] prepares a run for package explain.
//
// Times are true time since the start of the run.
//
// Errors are bad plans and bugs of the laboratory. Whatever happens to a run is in its
// [Result]: a run that hits a bound has an outcome other than "finished", and its
// verdict is inconclusive where it must be.
//
// The package knows no lock: it plays any that is registered, or that is given to
// [RunLock]. It does not stop a run that never rests in virtual time; give a bound, or
// play in a worker process (package campaign).
package play
