package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Config is everything that a world depends on, as plain data: it is a part of
// a saved plan.
type Config struct {
	Seed      uint64          `json:"seed"`
	Nodes     []NodeConfig    `json:"nodes"`
	Processes []ProcessConfig `json:"processes"`
	Network   NetworkConfig   `json:"network"`
	Bounds    Bounds          `json:"bounds"`
	Drain     time.Duration   `json:"drain_ns"` // how long the run goes on after the last client is done
}

// Persistence is what a node writes to disk.
type Persistence string

// The modes of persistence.
const (
	NoPersistence Persistence = "none"
	RDB           Persistence = "rdb"          // snapshots every SnapshotEvery
	AOFEverySec   Persistence = "aof-everysec" // synced once a second
	AOFAlways     Persistence = "aof-always"   // synced before the answer
)

// NodeConfig is one Redis server.
type NodeConfig struct {
	Name          string        `json:"name"`
	Persistence   Persistence   `json:"persistence,omitempty"` // default none
	SnapshotEvery time.Duration `json:"snapshot_every_ns,omitempty"`
	RatePPM       int64         `json:"rate_ppm,omitempty"`
	Offset        time.Duration `json:"offset_ns,omitempty"` // of its clock, against true time
	Age           time.Duration `json:"age_ns,omitempty"`    // how long it had been up at the start of the run
	// SameAs names an earlier node whose server listens at this one's address
	// too: whatever is done to either is done to that server. Nothing else of
	// this configuration counts then.
	SameAs string `json:"same_as,omitempty"`
}

// ProcessConfig is one client's process.
type ProcessConfig struct {
	Name           string        `json:"name"`
	RatePPM        int64         `json:"rate_ppm,omitempty"` // of all its clocks
	WallOffset     time.Duration `json:"wall_offset_ns,omitempty"`
	BoottimeOffset time.Duration `json:"boottime_offset_ns,omitempty"`
}

// Latency is how long one message takes, one way.
type Latency struct {
	Min time.Duration `json:"min_ns"`
	Max time.Duration `json:"max_ns"`
	// Shape is "uniform" (default) in [Min, Max], or "exponential": Min plus an
	// exponential delay whose mean is a quarter of Max − Min, cut off at Max.
	Shape string `json:"shape,omitempty"`
}

// NetworkConfig is how messages travel. The first link that matches decides.
type NetworkConfig struct {
	Latency Latency      `json:"latency"`
	LossPPM int64        `json:"loss_ppm,omitempty"` // parts per million of messages that vanish, each way
	Links   []LinkConfig `json:"links,omitempty"`
}

// LinkConfig overrides the network for the messages of some processes and
// nodes in one direction. Empty names match all.
type LinkConfig struct {
	Process   string    `json:"process,omitempty"`
	Node      string    `json:"node,omitempty"`
	Direction Direction `json:"direction,omitempty"`
	Latency   Latency   `json:"latency"`
	LossPPM   int64     `json:"loss_ppm,omitempty"`
}

// Bounds end a run that does not end by itself.
type Bounds struct {
	Events  int           `json:"events"`     // lines of the trace
	Virtual time.Duration `json:"virtual_ns"` // true time in the run
}

// Options change how a run is played, never what happens in it.
type Options struct {
	Keep      bool                  // keep the events of the trace
	Lua       bool                  // run scripts in the engine's interpreter, not their native twins
	Real      time.Duration         // real-time bound; 0 is none
	Processor time.Duration         // bound on the processor time of this process meanwhile; 0 is none
	Bare      bool                  // record nothing (benchmarks)
	Respond   func([]string) []byte // answers for the engine (benchmarks: canned replies)
}

// Validate reports everything that is wrong with the configuration.
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
	if len(c.Nodes) == 0 || len(c.Nodes) > 250 {
		bad("%d nodes; allowed are 1 to 250", len(c.Nodes))
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		name("node", n.Name)
		switch n.Persistence {
		case "", NoPersistence, RDB, AOFEverySec, AOFAlways:
		default:
			bad("node %s: persistence %q; allowed are none, rdb, aof-everysec, aof-always", n.Name, n.Persistence)
		}
		if n.RatePPM < -1_000_000 {
			bad("node %s: a clock rate of %d ppm runs backwards", n.Name, n.RatePPM)
		}
	}
	for i, n := range c.Nodes {
		if n.SameAs != "" && !slices.ContainsFunc(c.Nodes[:i], func(o NodeConfig) bool { return o.Name == n.SameAs && o.SameAs == "" }) {
			bad("node %s: same as %q, which is no earlier server", n.Name, n.SameAs)
		}
	}
	for _, p := range c.Processes {
		name("process", p.Name)
		if p.RatePPM < -1_000_000 {
			bad("process %s: a clock rate of %d ppm runs backwards", p.Name, p.RatePPM)
		}
	}
	latency := func(where string, l Latency) {
		if l.Min < time.Microsecond || l.Max < l.Min {
			bad("%s: latency %v..%v; allowed is 1µs or more, the larger end last", where, l.Min, l.Max)
		}
		if l.Shape != "" && l.Shape != "uniform" && l.Shape != "exponential" {
			bad("%s: shape %q; allowed are uniform, exponential", where, l.Shape)
		}
	}
	latency("network", c.Network.Latency)
	for i, l := range c.Network.Links {
		latency(fmt.Sprintf("link %d", i+1), l.Latency)
	}
	if c.Bounds.Events <= 0 || c.Bounds.Virtual <= 0 {
		bad("bounds of %d events and %v; both must be positive", c.Bounds.Events, c.Bounds.Virtual)
	}
	if c.Drain < 0 {
		bad("negative drain %v", c.Drain)
	}
	return errors.Join(errs...)
}
