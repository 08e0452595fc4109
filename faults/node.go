package faults

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
	return []parameter{nodeList("restart", &r.Nodes, false, "the nodes that come back")}
}
