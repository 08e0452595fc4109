// Package conform ties the simulator's runs to the specification in tla: it
// turns the trace of a run into the events of TraceRedlock.tla.
//
//	scenario × subject × seed ─► scenarios.Run ─► []sim.Event
//	                                                   │ Translate
//	                                                   ▼
//	        TLC ◄── tla.CheckTraces ◄── batches of one set of parameters
//	         └─► every event explained, or the first that is not
//
// [Check] does this for many runs, and for traces in which something was changed
// ([Mutations]): those must be rejected, or the check proves nothing.
//
// What is translated is only what the world saw: commands as nodes executed and
// answered them, replies as they arrived, calls and returns of clients. An attempt
// begins with its call, or, when a blocking acquisition tries again, with its first
// SET; it ends with its first release. A vote is counted at its reply.
//
// Times are true times in µs. The specification's clock error is what the run's
// clocks may have erred by over one TTL, plus a millisecond for the server's expiry grain.
// Runs that the core does not model are refused with an [UnmodelledError].
package conform
