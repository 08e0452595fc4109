// Package live plays the scenarios' plans on real redis-server processes and with
// real client processes, in real time, on one machine.
//
// # The picture
//
//	client process A ──TCP──▶ ┌────────────────────────┐ ──TCP──▶ redis-server n1
//	  (the lock, go-redis)    │ the ground: one loop   │          (kill -9, SIGTERM,
//	client process B ──TCP──▶ │ frames RESP, delays,   │ ──TCP──▶  restarted)
//	  SIGSTOP, SIGKILL        │ loses, writes the trace│          …
//	                          └────────────────────────┘
//	                            │ events        ▲ faults
//	                            ▼               │
//	                          scenarios.Referee: the same schedules, history, checker
//
// Everything that a client sends passes the ground's proxy, unchanged, one message
// at a time: the ground waits for a server's answer before it lets anything else
// happen, and then looks at the keys over a connection of its own. So the trace
// is exact although the servers are real. Latencies and losses are those of the
// plan; what the servers and the ground take is a part of the latency, as long as
// it is less.
//
// # What is real and what is not
//
// Real: the server and its persistence, crashes and restarts of servers and clients
// as processes, pauses (SIGSTOP), refusals and evictions (the server is brought into
// the state that has them), sockets, timers, the scheduler, every clock.
// Not real: the distance between machines (the proxy's latencies), and how a
// partition looks to a dial (it hangs, as a black hole makes it). What cannot be
// played is refused with its reason; see [Unplayable].
//
// # Time
//
// True time is the machine's clock that counts suspension; the servers and the
// clients of a run share it. The plan's offsets between clocks do not exist here.
//
// # What it does not promise
//
// Two runs of one plan are not the same run: only their verdicts are compared. A
// machine that stalls for long ([Result.Stall]) makes a run that proves little.
package live
