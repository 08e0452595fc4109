package faults

import "time"

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
