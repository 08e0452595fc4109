// Package play plays one plan and judges the run.
//
//	Plan ──▶ World (or Cluster) ──▶ trace ─┐
//	  │        ▲        ▲                   ├─▶ history ──checker.Judge──▶ Verdict
//	  │        │        └ clients' steps ──┘ notes                          │
//	  └ faults ┘                                                         Result
//
// [Run] plays in the simulator. It makes each client's lock, installs the faults, and lets
// the clients take their steps. Clients note their calls and leases, and the trace
// records the events of nodes and messages. The package makes a history from both:
// operations, leases and goals (history.go), node log (nodelog.go), facts about the world
// (facts.go). The history states the events of the run, not the schedule.
//
// A [Referee] does the same without the simulator: package live gives it a [Cluster]
// of real servers, and [PlayClient] is one client in a process of its own.
// [Result.Explained] prepares a run for package explain.
//
// Times are true time since the start of the run.
//
// An error means a bad plan or a bug of the laboratory. Everything else is in the
// run's [Result]: a run that hits a bound has an outcome other than "finished", and
// the affected oracles are inconclusive.
//
// The package contains no lock: it plays any registered lock, or the lock passed to
// [RunLock]. It does not stop a run that never becomes idle in virtual time; give a
// bound, or play in a worker process (package campaign).
package play
