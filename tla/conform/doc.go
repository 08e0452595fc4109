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
// SET. It ends with its first release. A vote counts from its reply on.
// A process that asks again while its lease runs is another client of the specification.
//
// Times are true times in µs. The specification's clock error is what the run's
// clocks may have erred by over one TTL, plus a millisecond for the server's expiry grain.
// Runs that the core does not model are refused with an [UnmodelledError].
package conform
