package faults

import "time"

// Pause stops clients as a garbage collector or a scheduler does: they do
// nothing, and their clocks go on.
type Pause struct{ Clients []string }

func (p *Pause) definition() definition {
	return definition{
		summary: "stops clients (GC, scheduler); their clocks go on",
		breaks:  []string{"A-WORK"}, condition: "when a holder, or a message that it sent, touches the resource after the end of its validity",
		example:    "{name: GC, pause: A, for: 15s, when: A called write, after: 5ms}",
		parameters: []parameter{clientList("pause", &p.Clients, "the clients that stop")},
		ending:     mustEnd,
		causes:     []string{"paused", "resumed"},
		halts:      true,
		begin:      eachClient(p.Clients, ProcessHandle.Pause),
		end:        eachClient(p.Clients, ProcessHandle.Resume),
	}
}

// Suspend puts the hosts of clients to sleep: the clients do nothing, and their
// monotonic clocks stand still. Their wall and boottime clocks go on.
type Suspend struct{ Clients []string }

func (s *Suspend) definition() definition {
	return definition{
		summary: "puts the hosts of clients to sleep; their monotonic clocks do not count it",
		breaks:  []string{"A-RATE", "A-WORK"}, condition: "A-RATE while a lease exists, when the subject uses the monotonic clock; A-WORK as pause",
		example:    "{name: the lid is closed, suspend: A, for: 15s, when: A acquired, after: 1s}",
		parameters: []parameter{clientList("suspend", &s.Clients, "the clients whose hosts sleep")},
		ending:     mustEnd,
		causes:     []string{"paused", "resumed", "drifted"},
		halts:      true,
		begin:      eachClient(s.Clients, ProcessHandle.Suspend),
		end:        eachClient(s.Clients, ProcessHandle.Wake),
	}
}

// SlowClient makes clients notice late what arrives, as a process does that is
// starved of CPU time. Its clocks are right.
type SlowClient struct {
	Clients []string
	By      Span
}

func (s *SlowClient) definition() definition {
	return definition{
		summary: "makes clients notice late what arrives; their clocks are right",
		breaks:  []string{"A-WORK"}, condition: "when a holder touches the resource after the end of its validity",
		example: "{name: A is starved, slow_client: A, by: 1ms..20ms, at: 0s}",
		parameters: []parameter{
			clientList("slow_client", &s.Clients, "the clients that are slow"),
			span("by", &s.By, "how late they notice each reply, connection and timer"),
		},
		ending: mayEnd,
		causes: []string{"impaired", "recovered"},
		begin: each(s.Clients, func(a action, c string) {
			a.Process(c).SetNotice(func(arrival int) time.Duration {
				return s.By.draw(a.Random("fault/"+a.fault+"/notice/"+c, uint64(arrival)))
			}, a.fault)
		}),
		end: eachClient(s.Clients, func(c ProcessHandle, fault string) { c.SetNotice(nil, fault) }),
	}
}

// LateTimers makes the timers of clients fire late, as a loaded scheduler or a coarse
// clock does. What arrives from the network is noticed in time.
type LateTimers struct {
	Clients []string
	By      Span
}

func (l *LateTimers) definition() definition {
	return definition{
		summary: "makes the timers of clients fire late; their clocks are right",
		breaks:  []string{"A-WORK"}, condition: "when a holder touches the resource after the end of its validity",
		example: "{name: A wakes late, late_timers: A, by: 50µs..5ms, at: 0s}",
		parameters: []parameter{
			clientList("late_timers", &l.Clients, "the clients whose timers are late: those that they arm while the fault lasts"),
			span("by", &l.By, "how late each of them fires"),
		},
		ending: mayEnd,
		causes: []string{"impaired", "recovered"},
		begin: each(l.Clients, func(a action, c string) {
			// Timers that are due at one instant are late by the same: who armed which is chance.
			a.Process(c).SetTimerDelay(func(due time.Duration) time.Duration {
				return l.By.draw(a.Random("fault/"+a.fault+"/timer/"+c, uint64(due)))
			}, a.fault)
		}),
		end: eachClient(l.Clients, func(c ProcessHandle, fault string) { c.SetTimerDelay(nil, fault) }),
	}
}

// ClientCrash ends clients without a warning: they release nothing.
type ClientCrash struct{ Clients []string }

func (k *ClientCrash) definition() definition {
	return definition{
		summary: "crashes clients: they release nothing", condition: "a client that is gone wants nothing any more",
		example:    "{name: A dies, client_crash: A, when: A acquired, after: 1s}",
		parameters: []parameter{clientList("client_crash", &k.Clients, "the clients that crash")},
		causes:     []string{"crashed"},
		begin:      eachClient(k.Clients, ProcessHandle.Crash),
	}
}
