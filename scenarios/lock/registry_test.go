package lock

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestClassOf: errors are classed however they are wrapped; those of any lock come first.
func TestClassOf(t *testing.T) {
	own := errors.New("own")
	classes := []ErrorClass{{own, "own class"}, {ErrContended, "not reached"}}
	for _, test := range []struct {
		err  error
		want string
	}{
		{ErrContended, "contended"},
		{ErrLate, "late"},
		{ErrNotHeld, "not held"},
		{ErrNoExtension, "no extension"},
		{sim.ErrCrashed, "crashed"},
		{context.Canceled, "cancelled"},
		{context.DeadlineExceeded, "deadline"},
		{fmt.Errorf("n1: %w", own), "own class"},
		{errors.Join(own, ErrLate), "late"},
		{errors.New("dial tcp 10.0.0.1: refused"), "error"},
	} {
		if got := ClassOf(test.err, classes); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
	if got := ClassOf(own, nil); got != "error" {
		t.Errorf("without classes: %q", got)
	}
}

func TestRegister(t *testing.T) {
	declaration := plan.SubjectDeclaration{
		Name: "SY-0", Options: []plan.OptionDeclaration{{Name: "guard", Values: []string{"false", "true"}}},
	}
	Register(declaration, Implementation{
		Clock:   func(option func(string, string) string) sim.ClockKind { return sim.ClockKind(option("clock", "wall")) },
		Guarded: func(option func(string, string) string) bool { return option("guard", "false") == "true" },
	})
	Register(plan.SubjectDeclaration{Name: "SY-1"}, Implementation{})
	guarded := plan.Subject{Name: "SY-0", Options: []plan.Option{{Name: "guard", Value: "true"}, {Name: "clock", Value: "boottime"}}}
	for _, test := range []struct {
		subject plan.Subject
		guards  bool
		clock   sim.ClockKind
	}{
		{guarded, true, sim.Boottime},
		{plan.Subject{Name: "SY-0"}, false, sim.Wall},
		{plan.Subject{Name: "SY-1"}, false, ""},
		{plan.Subject{Name: "unknown"}, false, ""},
	} {
		if Guards(test.subject) != test.guards || ClockOf(test.subject) != test.clock {
			t.Errorf("%+v: guards %v, clock %q", test.subject, Guards(test.subject), ClockOf(test.subject))
		}
	}
	if _, known := Of("unknown"); known {
		t.Error("a lock that was not registered is known")
	}
	if _, known := plan.Declared("SY-1"); !known {
		t.Error("a registered lock is not declared")
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was registered twice")
		}
	}()
	Register(declaration, Implementation{})
}
