package faults

// End says what a crash takes away, with the simulator's words.
type End string

// The ends of a node.
const (
	ProcessCrash End = "process crash"  // what was written to disk survives
	PowerLoss    End = "power loss"     // only what was synced survives
	Shutdown     End = "clean shutdown" // everything is saved first, where anything is
)

// Crash ends nodes, without a word or cleanly: connections are cut, what was not
// on disk is gone. Where it ends, the nodes are restarted.
type Crash struct {
	Nodes []string
	How   End
}

// Kind implements [Effect].
func (*Crash) Kind() string { return "crash" }

func (c *Crash) parameters() []parameter {
	return []parameter{
		nodeList("crash", &c.Nodes, false, "the nodes that end"),
		choice("end", &c.How, "whether written data survives (process crash), only what was synced (power loss), or everything that is ever saved (clean shutdown)",
			ProcessCrash, PowerLoss, Shutdown).or(string(ProcessCrash)),
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
