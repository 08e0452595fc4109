package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// TestCommands: what each system sends for its locks is what it declares. A script
// whose source is not to the byte that of the library would show here as EVALSHA,
// and every trigger that waits for a command would wait in vain.
func TestCommands(t *testing.T) {
	s := named(t, "SY-2")
	for _, cell := range matrix.CellsOf(s) {
		if cell.NotApplicable != "" {
			continue
		}
		t.Run(cell.Subject.Title(), func(t *testing.T) {
			d, _ := plan.Declared(cell.Subject.Name)
			plan, err := cell.Scenario.Plan(cell.Subject.Title(), 3)
			if err != nil {
				t.Fatal(err)
			}
			result, err := play.Run(plan, play.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for _, e := range result.Events {
				if e.Kind != sim.Send || e.Key == "" { // the driver speaks of connections, guards of servers
					continue
				}
				seen++
				if !slices.ContainsFunc(d.Abilities.Commands, func(c string) bool {
					return strings.EqualFold(c, e.Command)
				}) {
					t.Fatalf("%s sends %s; declared: %s", d.Name, e.Command, strings.Join(d.Abilities.Commands, ", "))
				}
			}
			if seen == 0 {
				t.Error("it sends nothing")
			}
		})
	}
}
