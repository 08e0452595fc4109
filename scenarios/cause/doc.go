// Package cause finds what caused each finding of a run, by taking it away.
//
//	run ──▶ heals: what broke assumptions, and how to take each away
//	 │         │
//	 │         └──▶ plan without some of them ──replay──▶ is the finding still there?
//	 └──▶ findings ─────────────────────────────────────────┴──▶ Answer
//
// A heal takes away what broke an assumption, and as little else as possible: a fault;
// of a crash only the loss of the node's data; of a suspension only that the clock
// stood still; a setting of the plan. A fault is drawn by its name and by what it acts
// on, and a message's latency by its link. So a run without one fault keeps all other
// draws, up to what the fault's absence changes.
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
// A heal counts only for findings that its assumption is about: what a holder does
// too late explains no failure of the lock. Faults that broke nothing can be needed,
// too, such as the partition that keeps a vote away from a holder. An [Answer] names
// them apart, if [Options] ask for them.
//
// Findings of one oracle about one resource or goal are one finding here. It has vanished
// only when none of them is left, in a replay that ended by itself. What waited for an
// event that a heal takes away keeps its time.
//
// All times are nanoseconds of true time since the start of the run. The same run and
// the same options give the same answer.
package cause
