package tla

import (
	"errors"
	"testing"
)

// BA-2's shortest counterexample: two nodes vote for one client, one of them
// forgets, and with the third it makes a majority for the other.
func TestStepsOfAmnesia(t *testing.T) {
	steps, err := recordedTrace(t, "BA-2").Steps()
	if err != nil {
		t.Fatal(err)
	}

	votes := map[string]map[string]bool{}
	var grants []string
	forgotten := ""
	for _, step := range steps {
		switch step.Action {
		case "SetExecutes":
			if step.Client == "" || step.Node == "" || step.Before != "none" || step.After != step.Client {
				t.Errorf("SET: %+v", step)
			}
			if votes[step.Client] == nil {
				votes[step.Client] = map[string]bool{}
			}
			votes[step.Client][step.Node] = true
		case "Crash":
			forgotten = step.Node
		case "Decide":
			grants = append(grants, step.Client)
		}
	}
	if len(grants) != 2 || grants[0] == grants[1] {
		t.Fatalf("grants: %v", grants)
	}
	for _, holder := range grants {
		if !votes[holder][forgotten] || len(votes[holder]) != 2 {
			t.Errorf("%s has votes %v, and %s forgot", holder, votes[holder], forgotten)
		}
	}
}

func TestStepsOfAnotherModule(t *testing.T) {
	if _, err := recordedTrace(t, "LV-2-twin").Steps(); !errors.Is(err, ErrNotRedlock) {
		t.Errorf("error %v", err)
	}
}
