// Package explain explains one simulated run to a reader who does not know the code: as
// numbered lines in plain words ([NewStory]), as one self-contained picture ([SVG]),
// and step by step in a terminal ([Step]). A [View] has the same for a page in a
// browser, which package page writes.
//
// All of them read the same [Run]: the events of the trace, the names of its
// processes and nodes, and the checker's results (leases, violations, broken
// assumptions). The package decides nothing by itself. It groups the facts of the
// trace and the verdict, and puts them into words:
//
//	events ──> digest ──> story lines ──> text, captions of the picture
//	             │
//	             ├──────> bars, arrows, marks ──> SVG
//	             └──────> state after event n ──> Step, Track
//
// A digest joins the events of one request by its message number, and the requests
// of one round: at most one per node, of one process, with one purpose. [sim.Keys]
// says who owns which key on which node.
//
// All times are true time since the start of the run. The remaining time of a key
// is its value at the last command in the trace, minus the true time since then.
// It ignores the rate error of the node's clock.
//
// The wording may change between versions. Every event of the trace belongs to
// exactly one line of the full story.
package explain
