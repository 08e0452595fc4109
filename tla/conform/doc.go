// Package conform ties the simulator's runs to the specification in tla: it
// turns the trace of a run into the events of TraceRedlock.tla.
//
//	scenario × subject × seed ─► play.Run ─► []sim.Event
//	                                                   │ Translate
//	                                                   ▼
//	        TLC ◄── tla.CheckTraces ◄── batches of one set of parameters
//	         └─► every event explained, or the first that is not
//
// [Check] does this for many runs, and for traces with one impossible change
// ([Mutations]). Those must be rejected, or the check proves nothing.
//
// The translation uses only what the trace shows: commands as nodes executed and
// answered them, replies as they arrived, calls and returns of clients. An attempt
// begins with its call, or, when a blocking acquisition tries again, with its first
// SET. It ends with its first release. A vote counts from the arrival of its
// reply. A process that calls again during its own lease is a second client in
// the specification.
//
// Times are true times in µs. The specification's clock error is the largest error of the
// run's clocks over one TTL, plus one millisecond for the granularity of the server's
// expiry. [Check] refuses runs that the specification does not model with an [UnmodelledError].
package conform
