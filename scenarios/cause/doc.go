// Package cause finds the cause of each finding of a run by replays, and
// describes the lock's own bugs.
//
//	run ──▶ heals: the breaks of assumptions, and how to remove each
//	 │         │
//	 │         └──▶ plan without some of them ──replay──▶ is the finding still there?
//	 └──▶ findings ─────────────────────────────────────────┴──▶ Answer
//
// A heal removes one break of an assumption, and as little else as possible. It removes a
// fault or a setting of the plan, or a part of a fault: of a crash only the loss of the
// node's data, of a suspension only the standstill of the clock. The draws of a fault
// depend on its name and targets, and a message's latency depends on its link. So a run
// without one fault keeps all other draws, unless the fault's absence changes them.
//
// A cause of a finding is a smallest set of heals that makes the finding vanish. A
// finding without a cause is the lock's own bug, whatever else broke:
//
//   - One cause of one heal: that break alone decided.
//   - Several causes: the breaks were needed together. Without any one of them the
//     finding vanishes.
//   - A cause of several heals: the run is over-determined. Each of them is enough.
//   - Several causes of several heals: more is broken than the finding needs. It needs
//     one of each, as when any three of four nodes must forget.
//
// A heal counts only for findings that its assumption concerns: late work of a holder
// explains no failure of the lock. Faults that break no assumption can be needed, too,
// such as a partition that keeps a vote from a holder. An [Answer] lists these faults
// separately, if [Options] ask for them.
//
// Findings of one oracle about one resource or goal count as one finding here. It has
// vanished if a replay finishes without any of them. If a heal removes the event that
// starts a fault, the fault begins at the same time as in the run.
//
// A history alone cannot be played again: package checker then gives the footprint of a
// finding. [BugOf] describes a finding without a footprint by the effects of commands on keys.
//
// All times are nanoseconds of true time since the start of the run. The same run and
// the same options give the same answer.
package cause
