// Package export writes a run in the formats of other viewers:
//
//   - [ShiViz], for space-time diagrams with the happens-before order
//     (https://bestchai.bitbucket.io/shiviz);
//   - [Perfetto], the Trace Event Format of Chrome, which ui.perfetto.dev and
//     chrome://tracing open.
//
// Times are true time since the start of the run. An error wraps [explain.ErrRun], or
// is that of the writer.
package export
