package rules

import (
	"math"
	"time"
)

// Memory is what a server that comes back still knows of the votes that it gave.
type Memory string

// The memories. Stalls: all, but for writes that wait for an fsync that runs (claim RP-2).
const (
	Forgets Memory = "forgets"
	Stalls  Memory = "stalls"
	Keeps   Memory = "keeps"
)

// MemoryOf returns the memory of a server with a persistence (none, rdb, aof-everysec,
// aof-always) after its process was killed, or its machine lost power (claims BA-2, BA-3, RP-2).
func MemoryOf(persistence string, power bool) Memory {
	switch {
	case persistence == "aof-always":
		return Keeps
	case persistence == "aof-everysec" && !power:
		return Stalls
	}
	return Forgets
}

// MemoryOfStop returns the memory of a server after an orderly stop, which saves whatever is ever saved.
func MemoryOfStop(persistence string) Memory {
	if persistence == "none" {
		return Forgets
	}
	return Keeps
}

// Facts are the numbers that formulas are about.
type Facts struct {
	TTL        time.Duration
	Allowance  time.Duration // what the lock takes off the TTL
	Grain      time.Duration // by how much each reading of a clock, or an expiry, may be early
	NodeRate   int64         // ppm; how much too fast nodes' clocks run at worst
	ClientRate int64         // ppm; how much too slow a holder's clock runs at worst
	Nodes      int
	Pairs      bool // each node is a master with a replica
	Crash      Memory
	Power      Memory
	Rolled     Memory        // after an orderly stop
	Gap        time.Duration // in a rolling restart, from the return of one server to the stop of the next
	Sleeps     bool          // the holder's clock does not count the time for which its machine sleeps
	Guard      bool          // redlock's restart guard
	Stepped    bool          // nodes' clocks may be set forwards
	Fenced     bool          // at every access
}

const million = 1e6

// Lifetime is the shortest true time for which a key lives.
func (f Facts) Lifetime() float64 {
	return float64(f.TTL-f.Grain) / (1 + float64(f.NodeRate)/million)
}

// Belief is the longest true time, from the beginning of an attempt, for which a client believes.
func (f Facts) Belief() float64 {
	return float64(f.TTL-f.Allowance+f.Grain) / (1 - float64(f.ClientRate)/million)
}

// Quorum is how many votes are a majority.
func (f Facts) Quorum() int { return f.Nodes/2 + 1 }

// Victims is how many nodes two majorities share at least: so many votes must be lost at a
// time before two clients hold (claim BA-2; theorem majorities_meet). It is two for an even number of nodes.
func (f Facts) Victims() int { return 2*f.Quorum() - f.Nodes }

// Covered reports whether keys outlive beliefs: the hypothesis Allowance of the theorem.
func (f Facts) Covered() bool { return f.Belief() <= f.Lifetime() }

// up and down round to whole units, within what an int64 has.
func up(v float64) int64   { return int64(math.Ceil(max(0, min(v, math.MaxInt64/2)))) }
func down(v float64) int64 { return int64(math.Floor(max(0, min(v, math.MaxInt64/2)))) }
