package ask

import (
	"fmt"
	"time"

	"redlocklab/scenarios/plan"
)

// Note says what was played in place of what a setup says, and why; or what it does not ask.
type Note struct {
	Field string `json:"field"` // that the note is about
	Says  string `json:"says"`  // in sentences
}

// Notes says where fields of a setup contradict each other, and what is played. It returns the
// setup as it is played. Every question sees the setup so, whoever asks it.
func (s *Setup) Notes() (played Setup, notes []Note) {
	played = *s
	note := func(field, text string, values ...any) {
		notes = append(notes, Note{field, fmt.Sprintf(text, values...)})
	}
	if s.declaration().Abilities.OneNode && s.Nodes > 1 {
		note("nodes", "%s keeps its lock on one server: played with nodes 1, not %d.", s.Lock, s.Nodes)
		played.Nodes = 1
	}
	switch {
	case s.Disk == "empty" && s.Persistence != "none":
		note("persistence", "A server that comes back without its volume has no log: played as persistence none, not %s.", s.Persistence)
		played.Persistence = "none"
	case s.Disk == "pod" && s.Persistence == "none":
		note("disk", "With persistence none nothing is written to the pod's disk: every return finds it empty.")
	}
	if s.states("guard") && s.Guard && !s.has("guard") {
		note("guard", "The restart guard is redlock's: played without a guard, since the lock is %s.", s.Lock)
		played.Guard = false
	}
	if s.states("move_after") && s.Disk != "pod" {
		note("move_after", "Only with disk: pod is a move unlike a restart: not played, since disk is %s.", s.Disk)
	}
	if s.Fencing != "none" && !s.declaration().Abilities.Fences {
		note("fencing", "%s gives no fencing tokens: played with ideal tokens, which you must get from elsewhere.", s.Lock)
	}
	if standard := plan.Default().Lock.NodeTimeout; s.nodeTimeout() > standard {
		note("latency", "A message takes up to %v: played with a node timeout of %v, not %v.", s.Latency.High, s.nodeTimeout(), standard)
	}
	if out, spare := s.barred(), s.Nodes-(s.Nodes/2+1); s.Rolls && out > spare {
		note("rolling", "With the guard, a restarted server gives no vote for a TTL: %d of %d are out at a time. "+
			"Then nobody can lock; at most %d may be out. Let %v pass between two servers.", out, s.Nodes, spare, s.TTL)
	}
	return played, notes
}

// barred is how many servers are down or barred by the guard at a time, in a rolling restart: 0
// without a guard.
func (s *Setup) barred() int {
	if !s.has("guard") || !s.Guard {
		return 0
	}
	away, every := s.away()+s.TTL, max(time.Millisecond, s.away()+s.RollingGap)
	return min(s.Nodes, int((away+every-1)/every))
}

// kept is what a server still writes to a disk that it finds again.
func (s *Setup) kept() string {
	if s.Disk == "empty" {
		return "none"
	}
	return s.Persistence
}

// away is how long a server is away in a rolling restart, which replaces pods.
func (s *Setup) away() time.Duration {
	if s.Disk == "pod" {
		return s.MoveAfter
	}
	return s.RestartAfter
}

// nodeTimeout is how long a lock waits for one server: the usual time, or long enough for slow messages.
func (s *Setup) nodeTimeout() time.Duration {
	return max(plan.Default().Lock.NodeTimeout, 12*s.Latency.High)
}
