// Package sim is a deterministic world for locks on Redis: unmodified go-redis
// clients talk RESP to unmodified miniredis engines in virtual time, under one
// controller that owns every message, every clock and every crash.
//
//	process A ──┐ request                          ┌── node n1: engine, clock, disk
//	  3 clocks  ├────────► queue ordered by ───────┤
//	  gate      │          (true time, stable key) ├── node n2 …
//	process B ──┘ ◄──────── reply ─────────────────┘
//	                          │
//	                          ▼  one event at a time
//	                        trace (NDJSON, SHA-256)
//
// [Run] plays one run. It takes a [Config], which is plain data with a seed, and
// a function that starts code in the processes. The controller works in rounds:
//
//  1. It waits until every goroutine in the bubble is blocked.
//  2. It handles the requests of the processes: dials, commands, records.
//  3. It does the next action of the queue: a message arrives, a key expires, a
//     timer fires, a fault begins. Each action has an instant of its own.
//
// Every event first goes to the observers, which may cause further faults; then
// it is appended to the trace and to the trace's hash.
//
// [Reader] follows a trace: which operation, request, lease and key each event is about.
//
// Two runs of the same configuration and the same code write the same trace, byte
// for byte, on any machine, with any GOMAXPROCS and under -race, because
//
//   - random values have an identity ([Random]), so they do not depend on the
//     order of draws;
//   - no two actions of the controller share an instant;
//   - everything that processes do between two rests is sorted before it gets
//     numbers and latencies.
//
// "Controller context" in the comments means: within the function that sets up the
// world, within an observer, a [Rule], or a function that was passed to [World.At].
//
// Times are true time since the start of the run, as [time.Duration]. Clocks of
// processes and nodes show other times. Rate errors are in parts per million.
//
// The package contains no lock, no oracle and no schedule of faults. It does not
// model packets: TCP is reliable and ordered until a message is lost. After that,
// no message arrives on that connection in that direction.
//
// LESSONS.md keeps the lessons about virtual time and determinism.
package sim
