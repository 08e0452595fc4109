package explain

import (
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/resp"
)

// scriptOf tells scripts that nobody has registered apart: by how many words their commands have,
// which is the same for EVAL and EVALSHA. It is 0 for other commands.
func scriptOf(q *sim.Request) int {
	if !resp.IsEval(q.Command) {
		return 0
	}
	return len(strings.Fields(q.Sent.Detail))
}

// scriptPurposes says what such scripts are for, by what they do to keys in the whole run: the
// operation that is open does not tell, as a failed acquisition cleans up while it is. A script
// that does several things is left out.
func scriptPurposes(events []sim.Event) map[int]sim.Purpose {
	purposes, several := map[int]sim.Purpose{}, map[int]bool{}
	var reader sim.Reader
	for step := range reader.Steps(events) {
		q := step.Request
		if q == nil || q.Executed != step.Event || q.Effect == nil || scriptOf(q) == 0 {
			continue
		}
		var did sim.Purpose
		switch c := q.Effect; {
		case c.Gained():
			did = sim.PurposeAcquire
		case c.Lost():
			did = sim.PurposeRelease
		case c.Grown():
			did = sim.PurposeExtend
		default:
			continue
		}
		before, known := purposes[scriptOf(q)]
		several[scriptOf(q)] = several[scriptOf(q)] || known && before != did
		purposes[scriptOf(q)] = did
	}
	for script := range several {
		if several[script] {
			delete(purposes, script)
		}
	}
	return purposes
}
