package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Config is everything that a world depends on. It is plain data: a saved plan
// contains it.
type Config struct {
	Seed      uint64          `json:"seed"`
	Nodes     []NodeConfig    `json:"nodes"`
	Processes []ProcessConfig `json:"processes"`
	Network   NetworkConfig   `json:"network"`
	Bounds    Bounds          `json:"bounds"`
	Drain     time.Duration   `json:"drain_ns"` // how long the run continues after the last client is done
}

// Persistence says how a node writes its memory to disk.
type Persistence string

// The modes of persistence.
const (
	NoPersistence Persistence = "none"
	RDB           Persistence = "rdb"          // snapshots every SnapshotEvery
	AOFEverySec   Persistence = "aof-everysec" // synced once a second
	AOFAlways     Persistence = "aof-always"   // synced before the answer
)

// Words returns all modes.
func (Persistence) Words() []Persistence {
	return []Persistence{NoPersistence, RDB, AOFEverySec, AOFAlways}
}

// NodeConfig is one Redis server.
type NodeConfig struct {
	Name          string        `json:"name"`
	Persistence   Persistence   `json:"persistence,omitempty"` // default none
	SnapshotEvery time.Duration `json:"snapshot_every_ns,omitempty"`
	RatePPM       int64         `json:"rate_ppm,omitempty"`
	Offset        time.Duration `json:"offset_ns,omitempty"` // of its clock from true time at the start of the run
	Age           time.Duration `json:"age_ns,omitempty"`    // how long the server had been up at the start of the run
	// SameAs names an earlier node. When it is set, this node is another address
	// of that node's server, and all other fields but Name are ignored.
	SameAs string `json:"same_as,omitempty"`
}

// ProcessConfig is one client's process.
type ProcessConfig struct {
	Name           string        `json:"name"`
	RatePPM        int64         `json:"rate_ppm,omitempty"` // of all its clocks
	WallOffset     time.Duration `json:"wall_offset_ns,omitempty"`
	BoottimeOffset time.Duration `json:"boottime_offset_ns,omitempty"`
}

// Latency is how long a message takes in one direction.
type Latency struct {
	Min time.Duration `json:"min_ns"`
	Max time.Duration `json:"max_ns"`
	// Shape is "uniform" (default) in [Min, Max], or "exponential": Min plus an
	// exponential delay whose mean is a quarter of Max − Min, cut off at Max.
	Shape string `json:"shape,omitempty"`
}

// NetworkConfig is how messages travel. The first link that matches a message
// overrides Latency and LossPPM.
type NetworkConfig struct {
	Latency Latency      `json:"latency"`
	LossPPM int64        `json:"loss_ppm,omitempty"` // parts per million of messages that are lost, in each direction
	Links   []LinkConfig `json:"links,omitempty"`
}

// LinkConfig overrides the network for the messages between some processes and
// nodes. An empty name or direction matches all.
type LinkConfig struct {
	Process   string    `json:"process,omitempty"`
	Node      string    `json:"node,omitempty"`
	Direction Direction `json:"direction,omitempty"`
	Latency   Latency   `json:"latency"`
	LossPPM   int64     `json:"loss_ppm,omitempty"`
}

// Link returns how messages travel one way between a process and a node.
func (c *NetworkConfig) Link(process, node string, d Direction) LinkConfig {
	for _, l := range c.Links {
		if cmp.Or(l.Process, process) == process && cmp.Or(l.Node, node) == node && cmp.Or(l.Direction, d) == d {
			return LinkConfig{Process: process, Node: node, Direction: d, Latency: l.Latency, LossPPM: l.LossPPM}
		}
	}
	return LinkConfig{Process: process, Node: node, Direction: d, Latency: c.Latency, LossPPM: c.LossPPM}
}

// Bounds limit a run that does not end by itself.
type Bounds struct {
	Events  int           `json:"events"`          // lines of the trace
	Virtual time.Duration `json:"virtual_ns"`      // true time in the run
	Bytes   int64         `json:"bytes,omitempty"` // of the trace as NDJSON; 0: [DefaultBytes]
}

const DefaultBytes = 150_000_000 // of a trace: a run that is judged then stays below 1 GB of memory

// Options change how a run is played, never what happens in it.
type Options struct {
	Keep      bool          // keep the events of the trace
	Lua       bool          // interpret the Lua of scripts instead of running their native twins
	Real      time.Duration // limit of real time; 0 is none
	Pool      int           // connections of the smallest pool of a driver; 0: those of [DriverOptions]
	Processor time.Duration // limit of the processor time that this program uses meanwhile; 0 is none
}

// Validate reports all problems of the configuration, joined.
func (c *Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("sim: "+format, args...)) }
	seen := map[string]bool{}
	name := func(what, s string) {
		if s == "" || seen[s] {
			bad("%s name %q is empty or used twice", what, s)
		}
		seen[s] = true
	}
	rate := func(what, name string, ppm int64) {
		if ppm < Frozen {
			bad("%s %s: clock rate %d ppm; allowed are %d (frozen) and more", what, name, ppm, Frozen)
		}
	}
	if len(c.Nodes) == 0 || len(c.Nodes) > 250 {
		bad("%d nodes; allowed are 1 to 250", len(c.Nodes))
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		name("node", n.Name)
		if n.Persistence != "" && !slices.Contains(n.Persistence.Words(), n.Persistence) {
			bad("node %s: persistence %q; allowed are %q", n.Name, n.Persistence, n.Persistence.Words())
		}
		rate("node", n.Name, n.RatePPM)
	}
	for i, n := range c.Nodes {
		isServer := func(o NodeConfig) bool { return o.Name == n.SameAs && o.SameAs == "" }
		if n.SameAs != "" && !slices.ContainsFunc(c.Nodes[:i], isServer) {
			bad("node %s: same as %q; allowed are the names of earlier nodes that are servers of their own", n.Name, n.SameAs)
		}
	}
	for _, p := range c.Processes {
		name("process", p.Name)
		rate("process", p.Name, p.RatePPM)
	}
	latency := func(where string, l Latency) {
		if l.Min < time.Microsecond || l.Max < l.Min {
			bad("%s: latency %v..%v; allowed are 1µs and more, the larger end last", where, l.Min, l.Max)
		}
		if l.Shape != "" && l.Shape != "uniform" && l.Shape != "exponential" {
			bad("%s: shape %q; allowed are uniform, exponential", where, l.Shape)
		}
	}
	latency("network", c.Network.Latency)
	for i, l := range c.Network.Links {
		latency(fmt.Sprintf("link %d", i+1), l.Latency)
	}
	if c.Bounds.Events <= 0 || c.Bounds.Virtual <= 0 || c.Bounds.Bytes < 0 {
		bad("bounds of %d events and %v; allowed are positive bounds", c.Bounds.Events, c.Bounds.Virtual)
	}
	if c.Drain < 0 {
		bad("drain %v; allowed are 0 and more", c.Drain)
	}
	return errors.Join(errs...)
}
