package scenarios

import "embed"

//go:embed suite/*.yaml
var suite embed.FS

// Suite reads the embedded suite, in the order of claims.
func Suite() ([]*Scenario, error) { return LoadFS(suite, "suite") }
