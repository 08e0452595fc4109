package ask

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
	"redlocklab/sim"
)

// Question is one thing that can go wrong with a setup.
type Question struct {
	Name string // "restart"; its rule has the same name
	prose

	kind    plan.ParameterKind // of the searched number
	low     int64
	high    func(*Setup) int64            // nil: two TTLs
	own     func(*Setup) int64            // the setup's own number
	moments []moment                      // when its fault may fall, the worst first
	fields  []string                      // of the setup that decide the answer
	oracles func(*Setup) []checker.Oracle // nil: those that find two holders
	applies func(*Setup) bool             // nil: always
	tell    func(*Question, *story)
	calm    bool // no file waits for an fsync
}

// prose is the text of a question, which stories.yaml has. %s is a number.
type prose struct {
	Claim     string
	Title     string
	Story     string
	Parameter string // the searched number's name in scenario files; empty: it is none there
	Unit      string
	Numbers   string // what the searched number is: "how long the server is away"
	Need      string // what harm needs: "two holders need a return within %s"
	Yours     string // the setup's number: "yours takes %s"
	Unless    string // what must stay true where the setup says nothing: "a server that dies stays out for %s"
	None      string // where no number is unsafe
	Any       string // where every number is unsafe
}

//go:embed stories.yaml
var storiesText []byte

// texts are all texts of the package.
var texts = func() (t struct{ Questions map[string]prose }) {
	decode("stories.yaml", storiesText, &t)
	return t
}()

// decode reads a file that comes with the package.
func decode(name string, text []byte, to any) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(to); err != nil {
		panic(fmt.Sprintf("ask: %s: %v", name, err))
	}
}

func whole(n int64) func(*Setup) int64 { return func(*Setup) int64 { return n } }

func restartAfter(s *Setup) int64 { return int64(s.RestartAfter) }

// votes are the moments at which a vote may be lost.
var votes = []moment{atVote, atExtension, atAcquired, atRelease}

// allQuestions are in the order of answers. What most of them have stands below.
var allQuestions = completed([]Question{
	{
		Name: "restart", own: restartAfter, tell: (*Question).outage,
		moments: votes, fields: []string{"persistence", "disk", "guard", "restart_after"},
	},
	{
		Name: "power", own: restartAfter, tell: (*Question).outage,
		moments: votes, fields: []string{"persistence", "disk", "guard", "restart_after"},
		applies: func(s *Setup) bool { return s.kept() != "none" },
	},
	{
		Name: "move", own: func(s *Setup) int64 { return int64(s.MoveAfter) }, tell: (*Question).outage,
		moments: votes, fields: []string{"disk", "guard", "move_after"},
		applies: func(s *Setup) bool { return s.Disk == "pod" },
	},
	{
		Name: "rolling", own: func(s *Setup) int64 { return int64(s.away()) }, tell: (*Question).rolling,
		moments: votes, fields: []string{"persistence", "disk", "guard", "restart_after", "move_after", "rolling"},
		applies: func(s *Setup) bool { return s.Rolls },
	},
	{
		Name: "failover", own: func(s *Setup) int64 { return int64(s.FailoverLag) }, tell: (*Question).failover,
		moments: votes, fields: []string{"failover_lag", "guard"},
		applies: func(s *Setup) bool { return s.Failover },
		high:    func(s *Setup) int64 { return int64(max(2*time.Second, 2*s.FailoverLag)) },
	},
	{
		Name: "clocks", own: func(s *Setup) int64 { return s.ClockRate }, tell: (*Question).clocks,
		moments: []moment{atVote, atExtension}, fields: []string{"clock_rate_ppm"}, low: 1, high: whole(100_000),
	},
	{
		Name: "step", own: func(s *Setup) int64 { return int64(s.ClockStep) }, tell: (*Question).clockStep,
		moments: votes, fields: []string{"clock_step"}, low: 1,
	},
	{
		Name: "suspend", own: func(s *Setup) int64 { return int64(s.Suspend) }, tell: (*Question).suspend,
		moments: []moment{atAcquired}, fields: []string{"suspend"},
		applies: func(s *Setup) bool { return s.Suspend > 0 },
	},
	{
		Name: "pause", own: func(s *Setup) int64 { return int64(s.Pause) }, tell: (*Question).pause,
		moments: []moment{atAcquired}, fields: []string{"pause", "fencing"},
		oracles: func(s *Setup) []checker.Oracle {
			return []checker.Oracle{map[string]checker.Oracle{
				"none": checker.OracleResourceUnfenced, "writes": checker.OracleResourceFencedWrites,
				"every": checker.OracleResourceFenced,
			}[s.Fencing]}
		},
	},
	{
		Name: "down", own: whole(1), tell: (*Question).down,
		moments: []moment{atAcquired}, fields: []string{"nodes"},
		oracles: func(*Setup) []checker.Oracle { return []checker.Oracle{checker.OracleLiveness} },
		high:    func(s *Setup) int64 { return int64(s.Nodes) },
	},
})

// completed gives questions their texts, and what they do not state: times are searched from a millisecond
// to what is longer than any lease, and two holders are the harm.
func completed(questions []Question) []Question {
	for i := range questions {
		q := &questions[i]
		q.prose, q.kind = texts.Questions[q.Name], plan.NumberParameter
		if q.rule().Unit == "ns" {
			q.kind = plan.DurationParameter
			q.low = cmp.Or(q.low, int64(time.Millisecond))
		}
		if q.high == nil {
			q.high = func(s *Setup) int64 { return int64(2 * s.TTL) }
		}
		if q.oracles == nil {
			q.oracles = func(*Setup) []checker.Oracle {
				return []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
			}
		}
	}
	return questions
}

// Questions returns those that a setup raises.
func Questions(s *Setup) []Question {
	played, _ := s.Notes()
	return slices.DeleteFunc(slices.Clone(allQuestions), func(q Question) bool { return !q.raised(&played) })
}

// raised reports whether a setup raises the question.
func (q *Question) raised(s *Setup) bool { return q.applies == nil || q.applies(s) }

// rule is the line of the table about the question.
func (q *Question) rule() rules.Rule {
	r, found := rules.Of(q.Name)
	if !found {
		panic("ask: no rule about " + q.Name)
	}
	return r
}

// Own is the setup's own number, or the nearest that is searched.
func (q *Question) Own(s *Setup) int64 { return max(q.own(s), q.low) }

// step is how near a violated run must lie to a border, in the question's unit: a millisecond,
// and what that is of a TTL; more where every message takes long. It is the resolution to which
// rule and play must agree.
func (q *Question) step(s *Setup) int64 {
	step := int64(time.Millisecond + 30*s.fastest())
	switch {
	case q.Name == "down":
		return 1
	case q.kind == plan.NumberParameter:
		return 10 + step*1_000_000/int64(s.TTL)
	}
	return step
}

// unsafeWay is the sign of the way from a border to the unsafe side.
func (q *Question) unsafeWay() int64 {
	if q.rule().Below {
		return -1
	}
	return 1
}

// calmed is the question where no file waits for an fsync.
func (q *Question) calmed() *Question {
	calm := *q
	calm.calm = true
	return &calm
}

// unsafe reports whether a number lies beyond the last safe one.
func (q *Question) unsafe(x, safe int64) bool { return (x-safe)*q.unsafeWay() > 0 }

// grain is that of Redis, which keeps deadlines in whole milliseconds. The laboratory's
// servers keep them exactly.
const grain = time.Millisecond

// facts are what the rules are about. Played ones are those of the laboratory, where some
// locks read true time. Except in the question about rates, clocks err there as the setup
// says only if the allowance covers that. Otherwise every run would show what that question says.
func (s *Setup) facts(q *Question, played bool) (f rules.Facts, known bool) {
	subject := s.subject()
	f = rules.Facts{
		TTL: s.TTL, Grain: grain, NodeRate: s.ClockRate, ClientRate: s.ClockRate, Nodes: s.Nodes, Pairs: s.Failover,
		Guard: lock.Guards(subject), Stepped: s.ClockStep > 0, Fenced: s.Fencing == "every",
		Crash: rules.MemoryOf(s.kept(), false), Power: rules.MemoryOf(s.kept(), true),
		Rolled: rules.MemoryOfStop(s.kept()), Gap: s.RollingGap, Sleeps: s.sleeps(played),
	}
	if s.Disk == "pod" { // an update replaces pods
		f.Rolled = rules.Forgets
	}
	f.Allowance, known = lock.AllowanceOf(subject, s.TTL)
	covered := f.Covered() // whether the lock's allowance covers the setup's clocks
	if played {
		f.Grain = 0
		if s.clock() == sim.True {
			f.ClientRate = 0
		}
	}
	if q.Name == "clocks" {
		f.ClientRate = min(f.ClientRate, 1) // any: the rule asks only whether clients' clocks err
		if !played || s.clock() != sim.True {
			f.ClientRate = 1
		}
	} else if played && !covered {
		f.NodeRate, f.ClientRate = 0, 0
	}
	return f, known
}

// clock is the clock of the lock that the laboratory can make wrong; true time: none.
func (s *Setup) clock() sim.ClockKind {
	return cmp.Or(lock.ClockOf(s.subject()), sim.True)
}

// sleeps reports whether the lock's clock stands still while its machine sleeps: Go's monotonic
// clock, which locks read that declare none. The laboratory gives such locks true time.
func (s *Setup) sleeps(played bool) bool {
	clock := s.clock()
	return clock == sim.Monotonic || clock == sim.True && !played
}

// Say writes a number of the question for readers, rounded to three digits towards the safe side.
func (q *Question) Say(n int64) string { return q.say(n, -q.unsafeWay()) }

// say rounds upwards (1), downwards (-1), or hardly (0).
func (q *Question) say(n, way int64) string {
	switch {
	case q.kind == plan.DurationParameter:
		return period(n, way)
	case q.Unit != "":
		return strconv.FormatInt(rounded(n, way), 10) + " " + q.Unit
	}
	return strconv.FormatInt(n, 10)
}

// rounded leaves three digits of a number; five where it is not rounded up or down.
func rounded(n, way int64) int64 {
	unit, most := int64(1), int64(1000)
	if way == 0 {
		most = 100_000
	}
	for n/unit >= most {
		unit *= 10
	}
	if rest := n % unit; rest > 0 && way > 0 {
		return n - rest + unit
	}
	return n - n%unit
}

// period writes a duration with a suitable unit: "9.91 s".
func period(n, way int64) string {
	n = rounded(n, way)
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Minute, "min"}, {time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if u.size == time.Minute && n%int64(time.Minute) != 0 {
			continue
		}
		if n >= int64(u.size) {
			return strconv.FormatFloat(float64(n)/float64(u.size), 'f', -1, 64) + " " + u.name
		}
	}
	if n == 0 {
		return "0 s"
	}
	return strconv.FormatInt(n, 10) + " ns"
}

// judges reports whether a setup is judged by an oracle.
func (q *Question) judges(s *Setup, o checker.Oracle) bool { return slices.Contains(q.oracles(s), o) }
