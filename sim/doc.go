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
// A run is [Run]: a [Config], which is plain data with a seed, and a function
// that puts code into the processes. The controller lets everything come to
// rest, takes in what the processes did, and then does the one next thing. Two
// runs of the same configuration and the same code write the same trace, byte
// for byte, on any machine, with any GOMAXPROCS and under -race, because
//
//   - randomness is drawn by identity ([Random]), never from a stream that
//     racing goroutines share;
//   - no two actions of the controller share an instant;
//   - everything that processes do between two rests is sorted before it gets
//     numbers and latencies.
//
// Times are true time since the start of the run, as [time.Duration]; a clock of
// a process or a node shows something else. Rates are parts per million.
//
// The package knows no lock, no oracle and no schedule of faults. It does not model
// packets: TCP is reliable and ordered until a message is lost, from then on
// nothing more arrives on that connection in that direction.
package sim
