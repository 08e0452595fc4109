// Package saved stores a run on disk: one folder with everything about the run.
//
//	play.Result ──Write──▶ DIR/plan.json        the input of the run; people may edit it
//	                           trace.ndjson      every event
//	                           history.jsonl     what the checker read
//	                           verdict.json      what it found, with the hashes of plan and trace
//	                           porcupine.html, explain.svg, causes.json    of a violation
//	        DIR ──OpenSaved──▶ Saved{Plan, Verdict, TraceHash}
//
// [Write] writes all files or none. It replaces only a folder that is new, empty, or a
// saved run. [CompareTraces] finds the first event in which two traces differ: the same
// plan must give the same trace.
//
// FORMATS.md describes the files. Durations in them are whole nanoseconds (keys that end
// in _ns), rates are parts per million.
//
// Errors name the file, the found value and the allowed values. A file of another
// version is refused. [Load] refuses files that do not belong together.
package saved
