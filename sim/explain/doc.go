// Package explain tells what happened in one simulated run, for a reader who
// does not know the code: as numbered lines in plain words ([NewStory]), as
// one self-contained picture ([SVG]), and step by step in a terminal ([Step]).
//
// All three read the same [Run]: the events of the trace, the names of its
// processes and nodes, and what the checker found (leases, violations, broken
// assumptions). The package judges nothing. It groups and names what the trace
// and the verdict already say:
//
//	events ──> digest ──> story lines ──> text, captions of the picture
//	             │
//	             ├──────> bars, arrows, marks ──> SVG
//	             └──────> state after event n ──> Step
//
// A digest joins the events of one request by its message number, the requests
// of one round (at most one per node, of one process, with one purpose), and
// follows who owns which key on which node. Ownership is read from the trace:
// the process whose command changed a key's value owns the key from then on.
//
// All times are true time since the start of the run. What is told about a
// key's remaining time is what the trace said at the last command, aged by the
// true time since; a node's own clock may differ by its rate error.
//
// The package does not promise a stable wording, and it does not hide events:
// every event of the trace belongs to exactly one line of the full story.
package explain
