package ask

import (
	"fmt"
	"time"

	"redlocklab/scenarios/plan"
)

// moment is when the fault falls.
type moment string

// The moments: as soon as the victim's vote has left it, as soon as its vote for an extension has,
// between the decision and the use, and as soon as it has executed a release.
const (
	atVote      moment = "just after the vote"
	atExtension moment = "just after the vote for an extension"
	atAcquired  moment = "after the decision"
	atRelease   moment = "during the release"
)

// variant is everything of a story that a setup leaves open.
type variant struct {
	moment   moment
	nth      int           // at which command of the moment: a script that the server does not know yet is sent twice
	after    time.Duration // from the moment to the fault
	latency  plan.Span     // of a message
	warm     bool          // B has used the lock before, and has connections
	turn     int           // which nodes the first majority is
	slowDisk bool          // the victim's file waits for an fsync
	work     time.Duration // of the holder before it pauses
	seed     uint64
}

// The networks: one that takes hardly any time, and the usual one.
var (
	quick  = plan.Span{Low: time.Microsecond, High: 10 * time.Microsecond}
	common = plan.Span{Low: time.Millisecond, High: 4 * time.Millisecond}
)

// networks are those at the corners: the usual and the quickest, or the bounds that the setup states.
func (s *Setup) networks() []plan.Span {
	stated := s.Latency
	switch {
	case stated == plan.Span{}:
		return []plan.Span{quick, common}
	case s.fastest() == 0:
		stated.Low = quick.Low
	}
	return []plan.Span{{Low: stated.Low, High: min(stated.High, stated.Low+quick.High)}, stated}
}

// fastest is what every message takes at least, as far as the setup says; one number is the most.
func (s *Setup) fastest() time.Duration {
	if s.Latency.Low == s.Latency.High {
		return 0
	}
	return s.Latency.Low
}

// String tells a variant in a few words.
func (v variant) String() string {
	contender, disk := "a cold contender", ""
	if v.warm {
		contender = "a warm contender"
	}
	if v.slowDisk {
		disk = ", a slow fsync"
	}
	return fmt.Sprintf("the fault %s, messages of %v to %v, %s%s", v.moment, v.latency.Low, v.latency.High, contender, disk)
}

// corners are the variants that are worst as a rule, the worst first.
func (q *Question) corners(s *Setup) []variant {
	var list []variant
	for _, latency := range s.networks() {
		for _, m := range q.moments {
			if m == atExtension && !s.declaration().Abilities.Extends {
				continue
			}
			for _, warm := range []bool{false, true} {
				list = append(list, variant{
					moment: m, nth: s.sends(m), after: time.Nanosecond,
					latency: latency, warm: warm, slowDisk: q.stalls(s),
				})
			}
		}
	}
	return list
}

// command is the lock's command that a moment waits for; empty: none.
func (s *Setup) command(m moment) string {
	return map[moment]string{atVote: s.declaration().Abilities.Commands[0], atExtension: "extend", atRelease: "release"}[m]
}

// sends is how often the first command of a moment is sent to a server. All but SET are scripts.
func (s *Setup) sends(m moment) int {
	if command := s.command(m); command == "" || command == "SET" {
		return 1
	}
	return 2
}

// drawn is a variant by chance.
func (q *Question) drawn(s *Setup, seed uint64) variant {
	d := &draws{seed: seed, of: q.Name}
	v := pick(d, q.corners(s)...)
	v.after = d.time(time.Nanosecond, max(s.TTL, 2))
	if d.below(2) == 0 {
		v.after = time.Nanosecond
	}
	networks := s.networks()
	fast, slow := networks[0].Low, networks[1].High
	v.latency.Low = d.time(fast, slow)
	v.latency.High = d.time(v.latency.Low, slow)
	v.nth = 1 + d.below(v.nth)
	v.turn = d.below(s.Nodes)
	v.work = d.time(time.Microsecond, s.TTL)
	v.slowDisk = d.below(4) > 0 && v.slowDisk
	return v
}

// stalls reports whether the question is about a file that may wait for an fsync.
func (q *Question) stalls(s *Setup) bool {
	return !q.calm && (q.Name == "restart" || q.Name == "power") && s.Persistence == "aof-everysec"
}
