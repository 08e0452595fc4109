package live

import (
	"testing"

	"redlocklab/faults"
)

// Every kind of fault is either played or refused with a reason.
func TestEveryKindIsDecided(t *testing.T) {
	known := map[string]bool{}
	for _, k := range faults.Kinds() {
		known[k.Name] = true
		if _, decided := kinds[k.Name]; !decided {
			t.Errorf("%s: can it be played on real servers? Say so in playable.go", k.Name)
		}
	}
	for name := range kinds {
		if !known[name] {
			t.Errorf("%s is no kind of fault", name)
		}
	}
}
