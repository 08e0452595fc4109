package tla

import (
	"errors"
	"slices"
	"strings"
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

// Of messages, TLC says only that the network has changed: who sent what to whom
// shows in it. Here a late DEL removes the key of the same client's next attempt.
func TestStepsOfMessages(t *testing.T) {
	steps, err := recordedTrace(t, "MX-9-twin").Steps()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, step := range steps {
		told = append(told, strings.TrimSpace(step.Action+" "+step.Client+" "+step.Node))
	}
	want := []string{
		"Start c1", "GiveUp c1", "Start c1", "Start c2", "SetExecutes c1 n1", "Decide c1",
		"ForeignReleaseExecutes c1 n1", "SetExecutes c2 n1", "Decide c2",
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q, expected %q", told, want)
	}
}

func TestStepsOfAnotherModule(t *testing.T) {
	if _, err := recordedTrace(t, "LV-2-twin").Steps(); !errors.Is(err, ErrNotRedlock) {
		t.Errorf("error %v", err)
	}
}
