package ask

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// Question is one thing that can go wrong with a setup.
type Question struct {
	Name string // "restart"
	prose

	kind    plan.ParameterKind // of the searched number
	step    int64              // how exact the boundary is
	below   bool               // what is violated lies below the boundary
	oracles func(*Setup) []checker.Oracle
	applies func(*Setup) bool // nil: always
	low     int64
	high    func(*Setup) int64
	own     func(*Setup) int64 // the setup's own number
	tell    func(*Question, *story)
}

// prose is the text of a question, which stories.yaml has. %s is a number.
type prose struct {
	Claim     string
	Title     string
	Story     string
	Parameter string // the searched number's name in scenario files; empty: it is none there
	Unit      string
	Numbers   string   // what the searched number is: "how long the server is away"
	Event     string   // "a server whose process dies and that is back within %s"
	Harm      string   // "makes two holders"
	Unless    string   // "a server that dies stays out for %s": what keeps from harm
	Never     string   // added where the setup says that it never happens
	Changes   []string // keys of the changes, the cheaper ones first
}

//go:embed stories.yaml
var storiesText []byte

// texts are all texts of the package.
var texts = func() (t struct {
	Questions map[string]prose
	Changes   map[string]string // what an answer advises
}) {
	decoder := yaml.NewDecoder(bytes.NewReader(storiesText))
	decoder.KnownFields(true)
	if err := decoder.Decode(&t); err != nil {
		panic(fmt.Sprintf("ask: stories.yaml: %v", err))
	}
	return t
}()

func holders(*Setup) []checker.Oracle {
	return []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
}

// twoTTL is a time that is longer than any lease.
func twoTTL(s *Setup) int64 { return int64(2 * s.TTL) }

func restartAfter(s *Setup) int64 { return int64(s.RestartAfter) }

// timed is a question about a time, which is searched to a millisecond.
func timed(q Question) Question {
	q.kind, q.step, q.low = plan.DurationParameter, int64(time.Millisecond), int64(time.Millisecond)
	return q
}

// allQuestions are in the order of answers.
var allQuestions = []Question{
	timed(Question{
		Name: "restart", below: true, oracles: holders, high: twoTTL, own: restartAfter, tell: (*Question).outage,
	}),
	timed(Question{
		Name: "power", below: true, oracles: holders, high: twoTTL, own: restartAfter, tell: (*Question).outage,
		applies: func(s *Setup) bool { return s.Disk == "kept" && s.Persistence != "none" },
	}),
	timed(Question{
		Name: "failover", oracles: holders, tell: (*Question).failover,
		applies: func(s *Setup) bool { return s.Failover },
		high:    func(s *Setup) int64 { return int64(max(2*time.Second, 2*s.FailoverLag)) },
		own:     func(s *Setup) int64 { return int64(s.FailoverLag) },
	}),
	{
		Name: "clocks", oracles: holders, tell: (*Question).clocks, kind: plan.NumberParameter, step: 10,
		high: func(*Setup) int64 { return 100_000 },
		own:  func(s *Setup) int64 { return s.ClockRate },
	},
	timed(Question{
		Name: "step", oracles: holders, high: twoTTL, tell: (*Question).clockStep,
		own: func(s *Setup) int64 { return int64(s.ClockStep) },
	}),
	timed(Question{
		Name: "pause", tell: (*Question).pause,
		oracles: func(s *Setup) []checker.Oracle {
			return []checker.Oracle{map[string]checker.Oracle{
				"none": checker.OracleResourceUnfenced, "writes": checker.OracleResourceFencedWrites,
				"every": checker.OracleResourceFenced,
			}[s.Fencing]}
		},
		high: func(s *Setup) int64 { return int64(s.TTL + s.TTL/4) },
		own:  func(s *Setup) int64 { return int64(s.Pause) },
	}),
	{
		Name: "down", tell: (*Question).down, kind: plan.NumberParameter, step: 1,
		oracles: func(*Setup) []checker.Oracle { return []checker.Oracle{checker.OracleLiveness} },
		high:    func(s *Setup) int64 { return int64(s.Nodes) },
		own:     func(*Setup) int64 { return 1 },
	},
}

// Questions returns those that a setup raises.
func Questions(s *Setup) []Question {
	var list []Question
	for _, q := range allQuestions {
		if q.applies == nil || q.applies(s) {
			q.prose = texts.Questions[q.Name]
			list = append(list, q)
		}
	}
	return list
}

// Own is the setup's own number, or the nearest that is searched.
func (q *Question) Own(s *Setup) int64 { return clamp(q.own(s), q.low, q.high(s)) }

// Say writes a number of the question for readers.
func (q *Question) Say(n int64) string {
	switch {
	case q.kind == plan.DurationParameter:
		return time.Duration(n).String()
	case q.Unit != "":
		return fmt.Sprintf("%d %s", n, q.Unit)
	}
	return strconv.FormatInt(n, 10)
}

// Plan is the run of one seed.
func (q *Question) Plan(s *Setup, x int64, seed uint64) (*plan.Plan, error) {
	scenario, err := q.Scenario(s, x)
	if err != nil {
		return nil, err
	}
	return scenario.PlanOf(scenario.Subjects[0], seed), nil
}
