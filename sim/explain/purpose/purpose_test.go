package purpose

import (
	"testing"

	"redlocklab/sim"
)

func TestPurposes(t *testing.T) {
	for _, c := range []struct {
		command, key, operation string
		want                    sim.Purpose
	}{
		{"SET", "r", "acquire", sim.PurposeAcquire},
		{"SET", "r", "", sim.PurposeAcquire},
		{"SET", "r", "extend", sim.PurposeExtend}, // of a lock that extends with it
		{"SETNX", "r", "acquire", sim.PurposeAcquire},
		{"GETSET", "r", "acquire", sim.PurposeAcquire},
		{"acquire_fenced", "r", "acquire", sim.PurposeAcquire},
		{"extend", "r", "extend", sim.PurposeExtend},
		{"PEXPIRE", "r", "", sim.PurposeExtend},
		{"release", "r", "acquire", sim.PurposeRelease}, // clean-up after a failed attempt
		{"DEL", "r", "release", sim.PurposeRelease},
		{"DELEX", "r", "", sim.PurposeRelease},
		{"EVALSHA", "r", "release", sim.PurposeRelease},
		{"EVALSHA", "r", "acquire", sim.PurposeAcquire},
		{"EVALSHA", "r", "", Other},
		{"GET", "r", "release", Other}, // the look before a DEL is no release yet
		{"INCR", "r:fence", "acquire", Other},
		{"fence", "r", "acquire", Other},
		{"INFO", "", "acquire", sim.PurposeInspect},
		{"HELLO", "", "", sim.PurposeInspect},
		{"EXEC", "", "release", Other},
	} {
		if got := Of(c.command, c.key, c.operation); got != c.want {
			t.Errorf("%s of %q while in %q: purpose %q, want %q", c.command, c.key, c.operation, got, c.want)
		}
	}
}
