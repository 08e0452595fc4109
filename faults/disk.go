package faults

import "time"

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
