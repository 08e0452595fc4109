package faults

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// Timing says on which clock the delay of a restart passes.
type Timing string

// The clocks of a delayed restart.
const (
	TrueTime  Timing = "true time"
	NodeClock Timing = "node clock" // the node's own: a step of it ends the delay early, or late
)

// Crash shuts nodes down: their connections are cut, and what was not on disk is
// gone. Where the fault ends, the nodes restart.
type Crash struct {
	Nodes   []string
	How     sim.End
	TimedBy Timing        // the clock on which restart_after passes
	Loading time.Duration // how long the nodes read their data after the restart
}

func (c *Crash) definition() definition {
	d := definition{
		summary: "shuts nodes down, abruptly or cleanly, and may restart them",
		breaks:  []string{"A-VOTE"}, condition: "when a restart loses or revives a key whose TTL had not run out",
		example: "{name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nodeList("crash", &c.Nodes, "the nodes that go down"),
			choice("end", &c.How, "what survives: written data (process crash), synced data only (power loss), or all that is ever saved (clean shutdown)",
				sim.ProcessCrash, sim.PowerLoss, sim.Shutdown).or(string(sim.ProcessCrash)),
			choice("timed_by", &c.TimedBy, "the clock on which restart_after passes; node clock: the node's own, for one node only", TrueTime, NodeClock).or(string(TrueTime)),
			duration("loading", &c.Loading, 0, "how long a restarted node reads its data and answers LOADING").or("0s"),
		},
		ending: mayRestart,
		causes: append([]string{"crashed", "restarted", "forgot", "revived"}, loadingWords...),
		halts:  true,
		check:  c.check,
		begin:  each(c.Nodes, func(a action, n string) { a.outages.crash(a.Node(n), c.How, a.fault) }),
		end: each(c.Nodes, func(a action, n string) {
			if a.outages.over(a.Node(n), a.fault) && a.outages.restart(a.Node(n), a.fault) && c.Loading > 0 {
				a.Node(n).LoadFor(c.Loading, a.fault)
			}
		}),
	}
	if c.TimedBy == NodeClock {
		d.endAfter = func(t Target, after time.Duration, f func()) { t.Node(c.Nodes[0]).WhenClockAdvanced(after, f) }
	}
	return d
}

// loadingWords come true of a crashed node only when it takes time to load.
var loadingWords = []string{"impaired", "recovered", "loading", "loaded"}

func (c *Crash) check(v *validator, f Fault) {
	if c.Loading > 0 && !f.End.Ends {
		v.problem("loading", "found a node that this fault does not restart; allowed: with restart_after or restart_when")
	}
	if c.TimedBy == NodeClock && (len(c.Nodes) != 1 || !f.End.Ends || !f.End.When.IsZero()) {
		v.problem("timed_by", "found %q; allowed: with one node and restart_after", NodeClock)
	}
}

// Restart brings nodes back that crashed.
type Restart struct{ Nodes []string }

func (r *Restart) definition() definition {
	return definition{
		summary: "restarts nodes that crashed",
		breaks:  []string{"A-VOTE"}, condition: "as crash",
		example:    "{name: n3 is back, restart: n3, when: n3 dies began, after: 11s}",
		parameters: []parameter{nameList("restart", UnitNodes, &r.Nodes, "the nodes that restart")},
		causes:     []string{"restarted"},
		check:      r.check,
		begin:      each(r.Nodes, func(a action, n string) { a.outages.restart(a.Node(n), a.fault) }),
	}
}

// check requires, for each node, a crash that takes it down for good, and not
// only after the time at which the restart is due.
func (r *Restart) check(v *validator, f Fault) {
	for _, name := range r.Nodes {
		leftDown := slices.ContainsFunc(v.schedule, func(other Fault) bool {
			return LeavesDown(other, name) &&
				(!f.Begin.When.IsZero() || !other.Begin.When.IsZero() || other.Begin.At < f.Begin.At)
		})
		if !leftDown && slices.Contains(v.topology.Nodes, name) {
			v.problem("restart", "found %q, which no fault crashes and leaves down before; allowed: a node of a crash without restart_after and restart_when, or of a fill_disk", name)
		}
	}
}

// LeavesDown reports whether a fault can take a node down for good.
func LeavesDown(f Fault, node string) bool {
	switch effect := f.Effect.(type) {
	case *Crash:
		return !f.End.Ends && slices.Contains(effect.Nodes, node)
	case *FillDisk:
		return slices.Contains(effect.Nodes, node)
	}
	return false
}

// Failover crashes nodes and puts their asynchronous replicas in their places.
type Failover struct {
	Nodes []string
	Lag   time.Duration // how far the replicas are behind
}

func (f *Failover) definition() definition {
	return definition{
		summary: "crashes nodes and promotes their asynchronous replicas, which lag behind",
		breaks:  []string{"A-DISTINCT"}, condition: "while a lease exists, or when the replica does not know a vote whose TTL had not run out",
		example: "{name: n3 fails over, failover: n3, lag: 200ms, promoted_after: 10ms, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nodeList("failover", &f.Nodes, "the masters that crash; where the fault ends, their replicas are promoted"),
			duration("lag", &f.Lag, 0, "how far the replicas are behind: the writes of that time before the crash are lost"),
		},
		ending:  mustPromote,
		causes:  []string{"crashed", "restarted", "promoted", "forgot", "revived"},
		halts:   true,
		prepare: eachNode(f.Nodes, func(n NodeHandle, _ string) { n.Replicate(f.Lag) }),
		begin:   each(f.Nodes, func(a action, n string) { a.outages.crash(a.Node(n), sim.ProcessCrash, a.fault) }),
		end:     each(f.Nodes, func(a action, n string) { a.outages.promote(a.Node(n), a.fault) }),
	}
}

// Demote makes masters replicas of their own replicas, and then masters again. Their processes
// go on, so that only the replication id in INFO tells that they have forgotten writes.
type Demote struct {
	Nodes []string
	Lag   time.Duration // how far the replicas are behind
}

func (d *Demote) definition() definition {
	return definition{
		summary: "makes masters replicas of their own asynchronous replicas, and then masters again, in the same process",
		breaks:  []string{"A-DISTINCT"}, condition: "as failover",
		example: "{name: n3 fails back, demote: n3, lag: 200ms, promoted_after: 10ms, when: A acquired, after: 100ms}",
		parameters: []parameter{
			nodeList("demote", &d.Nodes, "the masters that copy their replicas and refuse writes; where the fault ends, they are masters again"),
			duration("lag", &d.Lag, 0, "how far the replicas are behind: the writes of that time before the demotion are lost"),
		},
		ending:  mustPromote,
		causes:  []string{"impaired", "recovered", "refusing", "restarted", "promoted", "forgot", "revived"},
		prepare: eachNode(d.Nodes, func(n NodeHandle, _ string) { n.Replicate(d.Lag) }),
		begin:   eachNode(d.Nodes, NodeHandle.Demote),
		end:     eachNode(d.Nodes, NodeHandle.PromoteAgain),
	}
}

// Refuse makes nodes refuse commands, for one of the simulator's reasons.
type Refuse struct {
	Nodes []string
	As    string // one of sim.Reasons
}

func (r *Refuse) definition() definition {
	return definition{
		summary: "makes nodes refuse commands",
		breaks:  []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
		example: "{name: n3 is full, refuse: n3, as: out of memory, for: 10s, at: 0s}",
		parameters: []parameter{
			nodeList("refuse", &r.Nodes, "the nodes that refuse commands"),
			choice("as", &r.As, "out of memory: writes that need memory get OOM (maxmemory with noeviction); read-only: all writes get READONLY (a replica); "+
				"unable to save: writes and PING get MISCONF; busy: nearly all commands get BUSY, as while a script runs for too long; "+
				"cut off from its master: writes get READONLY, reads and scripts MASTERDOWN; without permission to write: writes get NOPERM; "+
				"behind a password: new connections get NOAUTH; full of clients: new connections get an error and end (maxclients)", sim.Reasons()...),
		},
		ending: mayEnd,
		causes: []string{"impaired", "recovered", "refusing"},
		begin:  eachNode(r.Nodes, func(n NodeHandle, fault string) { n.Refuse(r.As, fault) }),
		end:    eachNode(r.Nodes, func(n NodeHandle, fault string) { n.Grant(r.As, fault) }),
	}
}

// SlowNode makes nodes take time for each request; those behind it wait.
type SlowNode struct {
	Nodes []string
	By    Span
}

func (s *SlowNode) definition() definition {
	return definition{
		summary: "makes nodes work on each request for some time, one after the other", condition: "any latency is allowed",
		example: "{name: n3 is slow, slow_node: n3, by: 20ms..60ms, at: 0s}",
		parameters: []parameter{
			nodeList("slow_node", &s.Nodes, "the nodes that are slow"),
			span("by", &s.By, "how long a node works on each request"),
		},
		ending: mayEnd,
		causes: []string{"impaired", "recovered"},
		begin: each(s.Nodes, func(a action, n string) {
			a.Node(n).SetService(func(m *sim.Message) time.Duration { return s.By.draw(a.draw("how long", m)) }, a.fault)
		}),
		end: eachNode(s.Nodes, func(n NodeHandle, fault string) { n.SetService(nil, fault) }),
	}
}

// StopNode makes nodes execute nothing, as a long command, a fork, swapping or
// SIGSTOP does. Their hosts still accept connections and requests.
type StopNode struct{ Nodes []string }

func (s *StopNode) definition() definition {
	return definition{
		summary: "makes nodes execute nothing, while their hosts accept requests",
		breaks:  []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
		example:    "{name: n3 swaps, stop_node: n3, for: 3s, when: A sent SET to n3}",
		parameters: []parameter{nodeList("stop_node", &s.Nodes, "the nodes that stop; where the fault ends, they execute what has arrived")},
		ending:     mayEnd,
		causes:     []string{"impaired", "recovered", "stopped", "continued"},
		begin:      eachNode(s.Nodes, NodeHandle.Stop),
		end:        eachNode(s.Nodes, NodeHandle.Continue),
	}
}

// Move makes the address of a node lead to another server, as a changed DNS record, a
// moved service address or Sentinel does. The server that was there before still answers
// on the connections that it has.
type Move struct {
	Nodes []string
	To    []string
}

func (m *Move) definition() definition {
	return definition{
		summary: "makes the addresses of nodes lead new connections to another server, while the old ones still answer on those they have",
		breaks:  []string{"A-DISTINCT"}, condition: "when a client connects to the other server while a lease exists",
		example: "{name: n3 moves, move: n3, to: n2, for: 1s, when: A acquired, after: 5ms}",
		parameters: []parameter{
			nodeList("move", &m.Nodes, "the nodes whose addresses move"),
			oneName(nameList("to", UnitNodes, &m.To, "the node whose server new connections reach")),
		},
		ending: mayEnd,
		causes: []string{"moved"},
		check:  m.check,
		begin:  eachNode(m.Nodes, func(n NodeHandle, fault string) { n.Move(m.To[0], fault) }),
		end:    eachNode(m.Nodes, func(n NodeHandle, fault string) { n.MoveBack(fault) }),
	}
}

func (m *Move) check(v *validator, _ Fault) {
	if len(m.To) != 1 || slices.Contains(m.Nodes, m.To[0]) {
		v.problem("to", "found %q; allowed: one node, and none of those that move", m.To)
	}
}

// FillDisk leaves the append-only files of nodes no room. What was written stays.
type FillDisk struct{ Nodes []string }

func (d *FillDisk) definition() definition {
	return definition{
		summary: "leaves the append-only files of nodes no room",
		breaks:  []string{"A-VOTE", "A-HEAL"}, condition: "A-VOTE when a node with aof-everysec then ends: the write that filled the disk was acknowledged; A-HEAL as refuse",
		example: "{name: n3's disk is full, fill_disk: n3, for: 10s, at: 0s}",
		parameters: []parameter{nodeList("fill_disk", &d.Nodes, "the nodes; with aof-everysec the next write is answered and not saved, and later ones get MISCONF; "+
			"with aof-always the next write makes the server exit without an answer")},
		ending: mayEnd,
		causes: []string{"impaired", "recovered", "crashed", "refusing"},
		begin:  eachNode(d.Nodes, NodeHandle.FillDisk),
		end:    eachNode(d.Nodes, NodeHandle.FreeDisk),
	}
}

// SlowDisk makes the syncs of nodes' append-only files take time. While one runs, a
// node holds writes back in its memory, and answers all the same.
type SlowDisk struct {
	Nodes []string
	By    time.Duration
}

func (s *SlowDisk) definition() definition {
	return definition{
		summary: "makes the syncs of nodes' append-only files take time", condition: "but a crash of the process loses what it held back meanwhile",
		example: "{name: n3's disk is slow, slow_disk: n3, by: 1.5s, at: 0s}",
		parameters: []parameter{
			nodeList("slow_disk", &s.Nodes, "the nodes whose disks are slow"),
			duration("by", &s.By, time.Millisecond, "how long each sync takes that begins from now on; it matters with persistence aof-everysec and rdb"),
		},
		ending: mayEnd,
		causes: []string{"impaired", "recovered"},
		begin:  eachNode(s.Nodes, func(n NodeHandle, fault string) { n.SlowDisk(s.By, fault) }),
		end:    eachNode(s.Nodes, func(n NodeHandle, fault string) { n.SlowDisk(0, fault) }),
	}
}
