package scenarios

import (
	"embed"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

//go:embed suite/*.yaml
var suite embed.FS

// Suite reads the embedded suite, in the order of claims.
func Suite() ([]*plan.Scenario, error) { return file.LoadFS(suite, "suite") }
