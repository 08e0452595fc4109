// Package live plays plans on real redis-server processes and with real client
// processes, in real time, on one machine.
//
// # The picture
//
//	client process A ──TCP──▶ ┌─────────────────────────┐ ──Unix──▶ redis-server n1
//	  (the lock, go-redis)    │ the cluster: one loop   │  socket   (kill -9, SIGTERM,
//	client process B ──TCP──▶ │ cuts RESP into messages,│ ────────▶  restarted)
//	  SIGSTOP, SIGKILL        │ delays and loses them,  │           …
//	                          │ writes the trace        │
//	                          └─────────────────────────┘
//	                            │ events        ▲ faults
//	                            ▼               │
//	                          play.Referee: the same schedules, history, checker
//
// Everything that a client sends passes the cluster's proxy, unchanged, one message
// at a time. The simulator's [sim.Network] decides whether each message arrives, and when.
// The cluster waits for a server's answer before anything else happens, and then
// reads the keys over a connection of its own. So the trace is exact although the
// servers are real. The machine's own delay counts as part of a message's
// latency, if it is smaller than that latency.
//
// # What is real and what is not
//
// Real: the servers and their persistence; crashes (kill -9, SIGTERM) and restarts of
// servers and clients; pauses (SIGSTOP); refusals and evictions, for which the server
// is brought into that state; sockets, timers, the scheduler, every clock.
//
// Not real: the distance between machines (the proxy adds latencies), and a dial
// during a partition (it hangs, as behind a firewall that drops packets).
// [Unplayable] says why a plan cannot be played.
//
// # Time
//
// True time is the machine's clock that counts suspension; the servers and the
// clients of a run share it. The plan's offsets between clocks do not exist here.
//
// # What it does not promise
//
// Two runs of one plan are not the same run: only their verdicts are compared. A run
// proves little if the machine stalled for long during the run; see [Result.Stall].
package live
