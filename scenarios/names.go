package scenarios

import (
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// What the author of a lock needs, under this package's name. Package lock explains
// each of them.
type (
	Scenario    = plan.Scenario
	Abilities   = plan.Abilities
	Environment = lock.Environment
	Locker      = lock.Locker
	Lease       = lock.Lease
	Extender    = lock.Extender
	Reporter    = lock.Reporter
	Started     = lock.Started
	Fenced      = lock.Fenced
	Tokened     = lock.Tokened
	Renewing    = lock.Renewing
	Timer       = lock.Timer
)

// Load reads one scenario file. Its error is a [file.FileErrors]: everything that is wrong.
func Load(path string) (*Scenario, error) { return file.Load(path) }
