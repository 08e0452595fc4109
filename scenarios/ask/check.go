package ask

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
	"redlocklab/sim/random"
)

// Case is a drawn setup, what was answered, and what attacks from outside made of it.
type Case struct {
	Number   int    `json:"number"` // of the case, from 0
	Question string `json:"question"`
	Setup    string `json:"setup"` // as flags of ask
	Status   Status `json:"status"`
	Says     string `json:"says"`
	Disagree string `json:"disagree,omitempty"`
	Attacks  int    `json:"attacks"`         // runs on the safe side
	Wrong    string `json:"wrong,omitempty"` // a violated run on the safe side; empty: none
	// Strict is how far the stated border lies on the safe side of the nearest violated number, as a
	// part of a TTL; a rate is such a part. Absent where there is no border.
	Strict *float64 `json:"strict,omitempty"`
}

// draws are numbers for one purpose, one after the other.
type draws struct {
	seed  uint64
	of    string
	index uint64
}

func (d *draws) next() uint64 {
	d.index++
	return random.Value(d.seed, "ask/"+d.of, d.index)
}

func (d *draws) below(n int) int { return int(d.next() % uint64(n)) }

// between draws a number whose logarithm is spread evenly.
func (d *draws) between(low, high int64) int64 {
	share := float64(d.next()>>11) / (1 << 53)
	return int64(float64(low) * math.Pow(float64(high)/float64(low), share))
}

func (d *draws) time(low, high time.Duration) time.Duration {
	return time.Duration(d.between(int64(low), int64(high)))
}

func pick[T any](d *draws, list ...T) T { return list[d.below(len(list))] }

// fields that hold the own number of a question.
var ownField = map[string]string{
	"restart": "restart_after", "power": "restart_after", "failover": "failover_lag", "clocks": "clock_rate_ppm",
	"step": "clock_step", "pause": "pause", "move": "move_after", "suspend": "suspend", "rolling": "restart_after",
}

// drawSetup draws a setup that raises a question, with its own number at or around the rule's border.
func drawSetup(q *Question, d *draws) Setup {
	for {
		s := NewSetup()
		s.Name = "drawn"
		s.Lock = pick(d, ruledLocks()...)
		s.TTL = d.time(200*time.Millisecond, time.Minute).Truncate(time.Millisecond)
		s.Nodes, s.Guard = pick(d, 1, 2, 3, 3, 4, 5, 5, 6, 7), d.below(3) == 0
		if s.declaration().Abilities.OneNode {
			s.Nodes = 1
		}
		s.Persistence, s.Disk = pick(d, modes...), "kept"
		if s.Persistence == "none" && d.below(2) == 0 {
			s.Disk = "empty"
		}
		s.Fencing, s.ClockRate = pick(d, "none", "none", "writes", "every"), pick(d, int64(0), 100, 500, 2000, 4500)
		if s.Failover = q.Name == "failover" || q.Name == "down" && d.below(3) == 0; s.Failover {
			s.FailoverLag = d.time(time.Millisecond, time.Second)
		}
		for _, o := range s.declaration().Options {
			switch {
			case d.below(2) == 0:
			case o.Name == "clock_rate_bound":
				s.setOption(o.Name, fmt.Sprint(d.between(1, 50_000)))
			case o.Name == "drift_factor":
				s.setOption(o.Name, fmt.Sprintf("%.2f%%", float64(d.between(10, 500))/100))
			}
		}
		switch q.Name { // what only some questions are about
		case "move":
			s.Disk, s.Persistence = "pod", pick(d, modes[1:]...)
		case "rolling":
			s.Rolls, s.RollingGap = true, d.time(time.Millisecond, 2*s.TTL)
			s.Disk = pick(d, "kept", s.Disk, "pod")
		case "suspend":
			s.Suspend = time.Second
		}
		if s.Check() == nil && q.raised(&s) {
			q.drawOwn(&s, d)
			return s
		}
	}
}

// drawOwn draws the setup's own number: at the border, at 0.1 % and 1 % of it on both sides, or anywhere.
func (q *Question) drawOwn(s *Setup, d *draws) {
	f, _ := s.facts(q, false)
	x := d.between(max(1, q.low), q.high(s))
	if b := q.rule().Border(f); b.Sort == rules.At && d.below(4) > 0 {
		x = b.Safe + pick(d, -b.Safe/100, -b.Safe/1000, 0, b.Safe/1000, b.Safe/100)
	}
	field := ownField[q.Name]
	if q.Name == "rolling" && s.Disk == "pod" {
		field = ownField["move"]
	}
	if field != "" {
		text := fmt.Sprint(x)
		if q.kind == plan.DurationParameter {
			text = time.Duration(x).String()
		}
		_ = s.Set(field, text) // what is out of range keeps its default
	}
}

// ruledLocks are the locks about which the claims have rules.
func ruledLocks() []string {
	return slices.DeleteFunc(locks(), func(name string) bool {
		s := Setup{Lock: name, TTL: time.Second}
		_, known := lock.AllowanceOf(s.subject(), s.TTL)
		return !known
	})
}

// Flags returns the setup as flags of ask.
func (s *Setup) Flags() string {
	standard := NewSetup()
	var words []string
	for _, f := range Fields() {
		if value := f.Get(s); value != f.Get(&standard) {
			words = append(words, "--"+strings.ReplaceAll(f.Name, "_", "-")+" "+value)
		}
	}
	for _, o := range s.Options {
		words = append(words, "--set "+o.String())
	}
	return strings.Join(words, " ")
}

// Cases is how many cases a check of n setups for each question has.
func Cases(n int) int { return n * len(allQuestions) }

// Check draws a case by its number and a seed, asks, and attacks the safe side from outside.
func (a *Asker) Check(ctx context.Context, seed uint64, number int) (Case, error) {
	q := allQuestions[number%len(allQuestions)]
	d := &draws{seed: random.Value(seed, "ask/case", uint64(number)), of: "check"}
	return a.examine(ctx, drawSetup(&q, d), q, number, d)
}

// examine asks about a setup, and attacks the safe side of the answer.
func (a *Asker) examine(ctx context.Context, s Setup, q Question, number int, d *draws) (Case, error) {
	c := Case{Number: number, Question: q.Name, Setup: s.Flags()}
	answer, err := a.Ask(ctx, &s, &q)
	if err != nil {
		return c, fmt.Errorf("ask %s: %w", c.Setup, err)
	}
	c.Status, c.Says, c.Disagree = answer.Status, answer.Says, answer.Disagree
	unit := map[string]float64{"ns": float64(s.TTL), "ppm": 1e6}[answer.Unit]
	if answer.Holds != nil && answer.Violated != nil && unit > 0 {
		strict := float64(abs(*answer.Violated-*answer.Holds)) / unit
		c.Strict = &strict
	}
	run := &session{Asker: a, ctx: ctx, q: &q, s: &s, rule: q.rule()}
	if answer.Status == SafeIf && q.stalls(&s) && answer.Play.CleanUnless > 0 {
		q.calm = true // the condition
	}
	for _, x := range q.safeNumbers(&s, &answer) {
		if err := run.outside(&c, x, d); err != nil {
			return c, fmt.Errorf("ask %s: %w", c.Setup, err)
		}
	}
	return c, nil
}

// safeNumbers are those that an answer calls safe: the border, 0.1 % and 1 % from it, and the own.
func (q *Question) safeNumbers(s *Setup, a *Answer) []int64 {
	var list []int64
	if a.Holds != nil {
		for _, part := range []int64{0, *a.Holds / 1000, *a.Holds / 100} {
			list = append(list, *a.Holds-part*q.unsafeWay())
		}
	}
	if a.Status != Unsafe && a.Status != Undecided {
		list = append(list, q.Own(s))
	}
	if q.calm && a.Holds != nil {
		list = list[len(list)-1:]
	}
	return slices.DeleteFunc(list, func(x int64) bool { return x < max(1, q.low) })
}

// attacksOf is how many runs attack each number.
const attacksOf = 16

// outside attacks a number with stories that are wilder than those of the question.
func (a *session) outside(c *Case, x int64, d *draws) error {
	for range attacksOf {
		v := a.q.drawn(a.s, d.next())
		v.seed = d.next()%1_000_000 + 1
		scenario, err := a.q.scenario(a.s, v, x)
		if err != nil {
			return err
		}
		a.q.wild(a.s, scenario, d)
		if err := plan.JoinProblems(append(scenario.EvaluateBounds(), scenario.Validate(nil)...)); err != nil {
			return err
		}
		result, err := a.Laboratory(scenario.PlanOf(scenario.Subjects[0], v.seed))
		if err != nil {
			return err
		}
		c.Attacks++
		for _, o := range result.Answers.Violated() {
			if a.q.judges(a.s, o) && c.Wrong == "" {
				c.Wrong = fmt.Sprintf("%s at %s: %s, seed %d", o, a.q.say(x, 0), v, v.seed)
			}
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// wild changes a story: faults at other times and of other nodes, more contenders, pauses, lost and
// slow messages. It breaks no assumption that the question is not about.
func (q *Question) wild(s *Setup, t *plan.Scenario, d *draws) {
	if q.Name == "down" || q.Name == "pause" {
		return // their numbers count everything that takes time
	}
	half := func() bool { return d.below(2) == 0 }
	start := t.Clients[0].Start.Low
	within := func() time.Duration { return start + d.time(time.Microsecond, 2*s.TTL) }
	slowest := d.time(time.Microsecond, 20*time.Millisecond)
	t.Network.Latency.High = max(t.Network.Latency.High, slowest)
	t.Lock.Retry.Delay = plan.Span{Low: t.Network.Latency.High, High: 10 * t.Network.Latency.High}
	if half() {
		t.Network.LossPPM = int64(d.below(50_000))
	}
	kept := t.Faults[:0:0]
	for _, f := range t.Faults {
		switch effect := f.Effect.(type) {
		case *faults.Partition:
			if half() {
				continue
			}
			f.End.For = within()
		case *faults.Pause: // the contender's wait
			if half() {
				continue
			}
		case *faults.Crash:
			if q.Name == "rolling" { // one after the other
				break
			}
			again := *effect
			if again.Nodes = q.others(t, effect.Nodes, d); half() && len(again.Nodes) > 0 {
				kept = append(kept, faults.Fault{
					Name: "others die", Effect: &again, Begin: faults.Trigger{At: within()}, End: f.End,
				})
			}
			if half() {
				f.Begin = faults.Trigger{At: within()}
			}
		case *faults.NodeClockStep:
			if half() {
				f.Begin = faults.Trigger{At: within()}
			}
		}
		kept = append(kept, f)
	}
	if half() {
		kept = append(kept, faults.Fault{
			Name: "somebody stands still", Effect: &faults.Pause{Clients: []string{pick(d, "A", "B")}},
			Begin: faults.Trigger{At: within()}, End: after(d.time(1, s.TTL)),
		})
	}
	t.Faults = slices.DeleteFunc(kept, func(f faults.Fault) bool { // a wait for what no fault causes any more
		return f.Name == "" || strings.HasPrefix(f.Name, "B comes") && half()
	})
	steps := append(locked(hold(d.time(1, s.TTL))), pause(d.time(1, s.TTL)))
	t.Clients = append(t.Clients, plan.Client{
		Name: "C", Start: exactly(within()), Steps: []plan.Step{{Kind: plan.StepRepeat, Times: 4, Steps: steps}},
	})
}

// others are nodes that a fault does not hit yet, as many as it hits.
func (q *Question) others(t *plan.Scenario, hit []string, d *draws) []string {
	rest := slices.DeleteFunc(t.Nodes.Names(), func(n string) bool { return slices.Contains(hit, n) })
	if len(rest) == 0 {
		return nil
	}
	first := d.below(len(rest))
	return rest[first:min(len(rest), first+len(hit))]
}
