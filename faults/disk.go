package faults

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
