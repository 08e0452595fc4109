package ask

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

//go:embed questions/*.yaml
var questions embed.FS

// Question is one thing that can go wrong with a setup.
type Question struct {
	Name    string // "restart"
	Claim   string
	File    string // of its story, which Text fills in
	Numbers string // what the searched number is: "how long the server is away"

	kind    plan.ParameterKind // of the searched number
	step    int64              // how exact the boundary is
	below   bool               // what is violated lies below the boundary
	oracles func(*Setup) []checker.Oracle
	applies func(*Setup) bool
	end     string // of the crash
	low     int64
	high    func(*Setup) int64
	own     func(*Setup) int64 // the setup's own number
	words   words
	changes []change
}

// words are the sentences of a question's answers. %s is a number.
type words struct {
	event   string // "a server whose process dies and that comes back %s later"
	harm    string // "makes two holders"
	unless  string // "comes back later than %s": what keeps from harm
	setting string // "restart_after"
}

// change is one way to make a setup safe, the cheaper ones first.
type change struct {
	says  string // with %s for the number that is needed
	apply func(s *Setup, boundary int64) bool
}

func holders(*Setup) []checker.Oracle {
	return []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
}

// twoTTL is a time that is longer than any lease.
func twoTTL(s *Setup) int64 { return int64(2 * s.TTL) }

// roundUp rounds a boundary up, with a tenth to spare.
func roundUp(boundary int64, unit time.Duration) time.Duration {
	d := time.Duration(boundary + boundary/10)
	return (d + unit - 1) / unit * unit
}

var (
	guardOn = change{"switch on redlock's restart guard: WithRestartGuard(ttl)", func(s *Setup, _ int64) bool {
		changed := s.Lock == "redlock" && !s.Guard
		s.Guard = true
		return changed
	}}
	useRedlock = change{"use package redlock, with its restart guard", func(s *Setup, _ int64) bool {
		changed := s.Lock != "redlock"
		s.Lock, s.Guard, s.Options = "redlock", true, nil
		return changed
	}}
	stayOut = change{"let a dead server stay out for %s (systemd: RestartSec=; in a container: sleep before redis-server)", func(s *Setup, boundary int64) bool {
		s.RestartAfter = roundUp(boundary, time.Second)
		return true
	}}
	keepVolume = change{"give each server a volume, with appendonly yes and appendfsync always", func(s *Setup, _ int64) bool {
		changed := s.Disk == "empty"
		s.Disk, s.Persistence = "kept", "aof-always"
		return changed
	}}
	everySecond = change{"write an append-only file (appendonly yes)", persist("aof-everysec")}
	always      = change{"sync the append-only file always (appendonly yes, appendfsync always)", persist("aof-always")}
)

func persist(mode string) func(*Setup, int64) bool {
	return func(s *Setup, _ int64) bool {
		changed := s.Disk == "kept" && s.Persistence != mode
		s.Persistence = mode
		return changed
	}
}

// allQuestions are in the order of answers.
var allQuestions = []Question{
	{
		Name: "restart", Claim: "BA-2", File: "BA-2-restart", Numbers: "how long the server is away", end: "process crash",
		kind: plan.DurationParameter, step: int64(time.Millisecond), below: true, oracles: holders, low: int64(time.Millisecond),
		high: twoTTL, own: func(s *Setup) int64 { return int64(s.RestartAfter) },
		words:   words{"a server whose process dies and that is back within %s", "makes two holders", "a server that dies stays out for %s", "restart_after"},
		changes: []change{guardOn, everySecond, stayOut, keepVolume, always, useRedlock},
	},
	{
		Name: "power", Claim: "BA-3", File: "BA-2-restart", Numbers: "how long the server is away", end: "power loss",
		kind: plan.DurationParameter, step: int64(time.Millisecond), below: true, oracles: holders, low: int64(time.Millisecond),
		applies: func(s *Setup) bool { return s.Disk == "kept" && s.Persistence != "none" },
		high:    twoTTL, own: func(s *Setup) int64 { return int64(s.RestartAfter) },
		words:   words{"a machine that loses power and is back within %s", "makes two holders", "a machine that loses power stays out for %s", "restart_after"},
		changes: []change{guardOn, stayOut, always, useRedlock},
	},
	{
		Name: "failover", Claim: "BA-5", File: "BA-5-failover", Numbers: "how far the replica is behind",
		kind: plan.DurationParameter, step: int64(time.Millisecond), oracles: holders, low: int64(time.Millisecond),
		applies: func(s *Setup) bool { return s.Failover },
		high:    func(s *Setup) int64 { return int64(max(2*time.Second, 2*s.FailoverLag)) }, own: func(s *Setup) int64 { return int64(s.FailoverLag) },
		words: words{"a promoted replica that is more than %s behind", "makes two holders", "replicas are at most %s behind", "failover_lag"},
		changes: []change{{"use independent servers in place of a pair that fails over: five, with redlock", func(s *Setup, _ int64) bool {
			s.Failover, s.Nodes, s.Lock, s.Guard, s.Options = false, 5, "redlock", true, nil
			return true
		}}},
	},
	{
		Name: "clocks", Claim: "BA-8", File: "BA-8-clocks", Numbers: "how much each clock runs wrong",
		kind: plan.NumberParameter, step: 10, oracles: holders, high: func(*Setup) int64 { return 100_000 }, own: func(s *Setup) int64 { return s.ClockRate },
		words: words{"clocks that run wrong by more than %s", "make two holders", "every clock runs wrong by at most %s", "clock_rate_ppm"},
		changes: []change{
			{"let redlock's allowance cover your clocks: WithClockRateBound(%s)", func(s *Setup, _ int64) bool {
				s.Options = []plan.Setting{{Name: "clock_rate_bound", Value: strconv.FormatInt(min(100_000, s.ClockRate+s.ClockRate/10), 10)}}
				return s.Lock == "redlock"
			}},
			{"let the drift factor cover your clocks: %s", func(s *Setup, _ int64) bool {
				s.Options = []plan.Setting{{Name: "drift_factor", Value: strconv.FormatInt(1+s.ClockRate*2/9_000, 10) + "%"}}
				return s.declaration().Check(plan.Option{Name: "drift_factor", Value: "1%"}) == nil
			}},
			{"use package redlock on one server, whose allowance covers your clocks", func(s *Setup, _ int64) bool {
				changed := s.Lock != "redlock"
				s.Lock, s.Options = "redlock", []plan.Setting{{Name: "clock_rate_bound", Value: strconv.FormatInt(min(100_000, s.ClockRate+s.ClockRate/10), 10)}}
				return changed
			}},
		},
	},
	{
		Name: "step", Claim: "BA-1", File: "BA-1-step", Numbers: "by how much the clock is set forwards",
		kind: plan.DurationParameter, step: int64(time.Millisecond), oracles: holders, low: int64(time.Millisecond), high: twoTTL, own: func(s *Setup) int64 { return int64(s.ClockStep) },
		words: words{"a server's clock that is set forwards by more than %s", "makes two holders", "no clock is set forwards by more than %s", "clock_step"},
		changes: []change{{"only slew the servers' clocks (chrony: no makestep after the start)", func(s *Setup, _ int64) bool {
			s.ClockStep = 0
			return true
		}}},
	},
	{
		Name: "pause", Claim: "RS-3", File: "RS-3-pause", Numbers: "how long the holder stands still", kind: plan.DurationParameter, step: int64(time.Millisecond),
		oracles: func(s *Setup) []checker.Oracle {
			return []checker.Oracle{map[string]checker.Oracle{
				"none": checker.OracleResourceUnfenced, "writes": checker.OracleResourceFencedWrites, "every": checker.OracleResourceFenced,
			}[s.Fencing]}
		},
		low: int64(time.Millisecond), high: func(s *Setup) int64 { return int64(s.TTL + s.TTL/4) }, own: func(s *Setup) int64 { return int64(s.Pause) },
		words: words{"a holder that stands still for more than %s before its write", "loses an update", "no holder stands still for more than %s", "pause"},
		changes: []change{
			{"check fencing tokens at every access to the resource, reads included", func(s *Setup, _ int64) bool {
				changed := s.Fencing != "every"
				s.Fencing = "every"
				return changed
			}},
		},
	},
	{
		Name: "down", Claim: "LV-2", File: "LV-2-down", Numbers: "how many servers are down", kind: plan.NumberParameter, step: 1,
		oracles: func(*Setup) []checker.Oracle { return []checker.Oracle{checker.OracleLiveness} },
		high:    func(s *Setup) int64 { return int64(s.Nodes) }, own: func(*Setup) int64 { return 1 },
		words: words{"more than %s", "stop all locking until they are back", "at most %s are down at a time", ""},
		changes: []change{{"use three servers, or five, with redlock", func(s *Setup, _ int64) bool {
			changed := s.Nodes < 3
			s.Nodes, s.Lock, s.Guard, s.Options = 3, "redlock", true, nil
			return changed
		}}},
	},
}

// Questions returns those that a setup raises.
func Questions(s *Setup) []Question {
	return slices.DeleteFunc(slices.Clone(allQuestions), func(q Question) bool { return q.applies != nil && !q.applies(s) })
}

// format writes a number of the question as files do.
func (q *Question) format(n int64) string {
	if q.kind == plan.DurationParameter {
		return time.Duration(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// Text is the question's story as a scenario file, with the setup's numbers and one value of
// the searched number.
func (q *Question) Text(s *Setup, x int64) ([]byte, error) {
	text, err := questions.ReadFile("questions/" + q.File + ".yaml")
	if err != nil {
		return nil, err
	}
	page, err := template.New(q.File).Parse(string(text))
	if err != nil {
		return nil, err
	}
	quorum := s.Nodes/2 + 1
	names := plan.Nodes{Count: s.Nodes}.Names()
	data := map[string]any{
		"X": q.format(x), "Low": q.format(q.low), "High": q.format(max(x, q.high(s))),
		"Nodes": s.Nodes, "Persistence": s.Persistence, "TTL": s.TTL, "Longer": 2 * s.TTL, "Half": s.TTL / 2, "End": q.end, "Victim": map[string]string{"power loss": "A machine that loses power"}[q.end],
		"Node": names[quorum-1], "All": strings.Join(names, " "), "Cut": "", "Clock": "", "Down": "",
		"Virtual": 6*s.TTL + time.Duration(max(0, x)*btoi(q.kind == plan.DurationParameter)) + time.Minute,
	}
	if rest := names[quorum:]; len(rest) > 0 {
		data["Cut"] = fmt.Sprintf("  - { name: A cannot reach the others, partition: A, from: [%s], for: 1s, at: 0s }\n", strings.Join(rest, ", "))
	}
	subject := s.subject()
	if clock := lock.ClockOf(subject); clock != sim.True {
		data["Clock"] = string(clock)
	}
	if q.Name == "down" {
		data["Down"] = strings.Join(names[s.Nodes-int(x):], " ")
	}
	var options []string
	for _, o := range subject.Options {
		options = append(options, fmt.Sprintf("%s: %q", o.Name, o.Value))
	}
	data["Subject"] = fmt.Sprintf("%s: { expect: any }", subject.Name)
	if len(options) > 0 {
		data["Subject"] = fmt.Sprintf("%s: { expect: any, options: { %s } }", subject.Name, strings.Join(options, ", "))
	}
	var b strings.Builder
	if err := page.Execute(&b, data); err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(b.String(), "\n")
	return []byte("claim: " + q.Claim + "\n" + rest), nil
}

// Own is the setup's own number.
func (q *Question) Own(s *Setup) int64 { return q.own(s) }

// Say writes a number of the question for readers.
func (q *Question) Say(n int64) string {
	if q.Name == "clocks" {
		return fmt.Sprintf("%d ppm", n)
	}
	return q.format(n)
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Plan is the run of one seed.
func (q *Question) Plan(s *Setup, x int64, seed uint64) (*plan.Plan, error) {
	text, err := q.Text(s, x)
	if err != nil {
		return nil, err
	}
	scenario, err := file.Parse(q.Claim+"-"+q.Name+".yaml", text)
	if err != nil {
		return nil, err
	}
	return scenario.Plan(scenario.Subjects[0].Title(), seed)
}
