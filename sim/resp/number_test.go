package resp_test

import (
	"strings"
	"testing"

	"redlocklab/sim/resp"
)

// TestLastOfEach: of options of SET that are repeated, Redis takes the last. The fidelity
// suite asks a real server the same.
func TestLastOfEach(t *testing.T) {
	for line, want := range map[string]string{
		"SET k v":                     "SET k v",
		"SET k v NX PX 100":           "SET k v NX PX 100",
		"SET k v PX 100 NX PX 5000":   "SET k v PX 5000 NX",
		"SET k v nx NX GET":           "SET k v NX GET",
		"SET NX NX PX 5 XX":           "SET NX NX PX 5 XX",
		"SET k v PX PX 100":           "SET k v PX PX 100",
		"SET k v EX 1 PX 5 EX 2":      "SET k v EX 2 PX 5",
		"EVAL return 1 1 k PX 1 PX 2": "EVAL return 1 1 k PX 1 PX 2",
	} {
		args := strings.Fields(line)
		if got := strings.Join(resp.LastOfEach(args[0], args), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		if strings.Join(args, " ") != line {
			t.Errorf("%s: the arguments were changed to %q", line, args)
		}
	}
}
