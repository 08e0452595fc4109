package faults

import "time"

// End says what a crash takes away, with the simulator's words.
type End string

// The ends of a node.
const (
	ProcessCrash End = "process crash"  // what was written to disk survives
	PowerLoss    End = "power loss"     // only what was synced survives
	Shutdown     End = "clean shutdown" // everything is saved first, where anything is
)

// Timing says on which clock the delay of a restart passes.
type Timing string

// The clocks of a delayed restart.
const (
	TrueTime  Timing = "true time"
	NodeClock Timing = "node clock" // the node's own: a step of it ends the delay early, or late
)

// Crash ends nodes, without a word or cleanly: connections are cut, what was not
// on disk is gone. Where it ends, the nodes are restarted.
type Crash struct {
	Nodes []string
	How   End
	// TimedBy is the clock on which restart_after passes.
	TimedBy Timing
	// Loading is how long the nodes read their data after the restart.
	Loading time.Duration
}

// Kind implements [Effect].
func (*Crash) Kind() string { return "crash" }

func (c *Crash) parameters() []parameter {
	if c.TimedBy == "" { // built in Go
		c.TimedBy = TrueTime
	}
	return []parameter{
		nodeList("crash", &c.Nodes, false, "the nodes that end"),
		choice("end", &c.How, "whether written data survives (process crash), only what was synced (power loss), or everything that is ever saved (clean shutdown)",
			ProcessCrash, PowerLoss, Shutdown).or(string(ProcessCrash)),
		choice("timed_by", &c.TimedBy, "the clock on which restart_after passes; the node's own is for one node", TrueTime, NodeClock).or(string(TrueTime)),
		length("loading", &c.Loading, "how long a restarted node reads its data and answers LOADING").or("0s"),
	}
}

// Refusal says why nodes refuse commands, with the simulator's words.
type Refusal string

// The reasons of a refusal.
const (
	MemoryFull Refusal = "out of memory"  // what needs memory is answered OOM
	ReadOnly   Refusal = "read-only"      // writes are answered READONLY
	DiskError  Refusal = "unable to save" // writes and PING are answered MISCONF
)

// Refuse lets nodes refuse commands.
type Refuse struct {
	Nodes []string
	As    Refusal
}

// Kind implements [Effect].
func (*Refuse) Kind() string { return "refuse" }

func (r *Refuse) parameters() []parameter {
	return []parameter{
		nodeList("refuse", &r.Nodes, false, "the nodes that refuse commands"),
		choice("as", &r.As, "out of memory: writes that need memory get OOM (maxmemory with noeviction); read-only: all writes get READONLY (a replica); "+
			"unable to save: writes and PING get MISCONF", MemoryFull, ReadOnly, DiskError),
	}
}

// Failover ends nodes and puts their asynchronous replicas into their places.
type Failover struct {
	Nodes []string
	Lag   time.Duration
}

// Kind implements [Effect].
func (*Failover) Kind() string { return "failover" }

func (f *Failover) parameters() []parameter {
	return []parameter{
		nodeList("failover", &f.Nodes, false, "the masters that end; where it ends, their replicas are promoted"),
		length("lag", &f.Lag, "how far the replicas are behind: the writes of that time before the end are gone"),
	}
}

// SlowNode lets nodes take time for each request; those behind it wait.
type SlowNode struct {
	Nodes []string
	By    Span
}

// Kind implements [Effect].
func (*SlowNode) Kind() string { return "slow_node" }

func (s *SlowNode) parameters() []parameter {
	return []parameter{
		nodeList("slow_node", &s.Nodes, false, "the nodes that are slow"),
		span("by", &s.By, "how long a node works on each request"),
	}
}

// StopNode lets nodes execute nothing, as a long command, a fork, swapping or
// SIGSTOP does, while their hosts take connections and requests in.
type StopNode struct {
	Nodes []string
}

// Kind implements [Effect].
func (*StopNode) Kind() string { return "stop_node" }

func (s *StopNode) parameters() []parameter {
	return []parameter{nodeList("stop_node", &s.Nodes, false, "the nodes that stop; where it ends, they execute what has arrived")}
}

// Restart brings nodes back that crashed.
type Restart struct {
	Nodes []string
}

// Kind implements [Effect].
func (*Restart) Kind() string { return "restart" }

func (r *Restart) parameters() []parameter {
	return []parameter{namedNodes("restart", &r.Nodes, "the nodes that come back")}
}
