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

// Restart brings nodes back that crashed.
type Restart struct {
	Nodes []string
}

// Kind implements [Effect].
func (*Restart) Kind() string { return "restart" }

func (r *Restart) parameters() []parameter {
	return []parameter{nodeList("restart", &r.Nodes, false, "the nodes that come back")}
}
