package scenarios

import (
	"context"
	"embed"

	"redlocklab/scenarios/file"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// What the author of a lock needs, under this package's name. The packages plan and lock
// explain each of them: go doc redlocklab/scenarios/plan.Abilities,
// go doc redlocklab/scenarios/lock.Environment.
type (
	Scenario    = plan.Scenario
	Abilities   = plan.Abilities
	Environment = lock.Environment
	Locker      = lock.Locker
	Lease       = lock.Lease
	Extender    = lock.Extender
	Reporter    = lock.Reporter
	Started     = lock.Started
	Contexted   = lock.Contexted
	Fenced      = lock.Fenced
	Tokened     = lock.Tokened
	Renewing    = lock.Renewing
	Timer       = lock.Timer
)

// ContextLease is the lease of a lock whose acquisition returns a context that ends with the
// lock, and a function that releases it, as rueidislock does.
func ContextLease(ctx context.Context, release func()) Lease { return lock.ContextLease(ctx, release) }

// Load reads one scenario file. Its error is a [file.FileErrors]: everything that is wrong.
func Load(path string) (*Scenario, error) { return file.Load(path) }

//go:embed suite/*.yaml
var suite embed.FS

// Suite reads the embedded suite, in the order of claims.
func Suite() ([]*plan.Scenario, error) { return file.LoadFS(suite, "suite") }
