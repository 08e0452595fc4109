package generate_test

import (
	"fmt"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/faults/generate"
)

// TestAnyDrawsEveryKind: a kind that the generator cannot draw would be one that
// no property is ever tried with.
func TestAnyDrawsEveryKind(t *testing.T) {
	topology := faults.Topology{Nodes: []string{"n1", "n2", "n3"}, Clients: []string{"A", "B"}, Resources: []string{"r"}}
	drawn := map[string]bool{"restart": true}
	generator := generate.Any(topology, 10*time.Second)
	for seed := range 1000 {
		f := generator.Example(seed)
		drawn[faults.KindOf(f.Effect)] = true
		f.Name = fmt.Sprint("fault ", seed)
		if err := (faults.Schedule{f}).Validate(topology); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	for _, k := range faults.Kinds() {
		if !drawn[k.Name] {
			t.Errorf("%s is never drawn", k.Name)
		}
	}
}
