package faults

import "redlocklab/sim"

// The simulator's words under the names that they had here.
type (
	Clock = sim.ClockKind
	End   = sim.End
)

const (
	Wall         = sim.Wall
	Monotonic    = sim.Monotonic
	Boottime     = sim.Boottime
	ProcessCrash = sim.ProcessCrash
	PowerLoss    = sim.PowerLoss
	MemoryFull   = sim.MemoryFull
	ReadOnly     = sim.ReadOnly
	DiskError    = sim.DiskError
)
