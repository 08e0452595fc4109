package faults

// End says what a crash takes away, with the simulator's words.
type End string

// The two ends of a node.
const (
	ProcessCrash End = "process crash" // what was written to disk survives
	PowerLoss    End = "power loss"    // only what was synced survives
)

// Crash ends nodes without a word: connections are cut, what was not on disk is
// gone. Where it ends, the nodes are restarted.
type Crash struct {
	Nodes []string
	How   End
}

// Kind implements [Effect].
func (*Crash) Kind() string { return "crash" }

func (c *Crash) parameters() []parameter {
	return []parameter{
		nodeList("crash", &c.Nodes, false, "the nodes that end"),
		choice("end", &c.How, "whether written data survives (process crash) or only what was synced (power loss)",
			ProcessCrash, PowerLoss).or(string(ProcessCrash)),
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
