package counterexample

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/tla"
)

// resource is the name that all clients of a replay lock.
const resource = "r"

// Plan turns a counterexample of a model of Redlock.tla, RedlockMessages.tla or
// Fencing.tla into a plan. Errors: *UnsupportedError, tla.ErrNotRedlock.
func Plan(model tla.Model, trace tla.ErrorTrace) (*plan.Plan, error) {
	constants := model.Constants
	if model.Module == "Fencing" {
		return fencingPlan(model, trace, constants)
	}
	if model.Module != "Redlock" && model.Module != "RedlockMessages" {
		return nil, unsupported("%s.tla has steps that the laboratory's schedule does not", model.Module)
	}
	if constants["Membership"] == `"changed"` {
		return nil, unsupported("SY-0 has one set of nodes for all clients")
	}
	subject, err := subject(constants)
	if err != nil {
		return nil, err
	}
	s, err := newSchedule(trace, constants)
	if err != nil {
		return nil, err
	}
	scenario := newScenario(model, len(s.nodes()), subject)
	scenario.Lock.NodeTimeout = s.timeout
	scenario.Clients = s.clients()
	scenario.Faults = s.faults()
	return finish(scenario)
}

// newScenario is a quiet world: messages take microseconds, nothing is retried.
func newScenario(model tla.Model, nodes int, subject plan.Subject) *plan.Scenario {
	subject.Runs = plan.RunsAll
	return &plan.Scenario{
		Name: "from-tlc-" + model.Name, Claim: model.Claims[0], Title: "counterexample of " + model.Name + ": " + model.Says,
		Nodes:   plan.Nodes{Count: nodes, Persistence: sim.NoPersistence},
		Network: plan.Network{Latency: plan.Span{Low: time.Microsecond, High: 2 * time.Microsecond}},
		Lock: plan.Lock{
			TTL: ttl, RateErrorPPM: checker.DefaultRateErrorPPM, WallError: plan.DefaultWallError,
			NodeTimeout: nodeTimeout, Fencing: plan.FencingNone,
			Retry: plan.Retry{Delay: plan.Span{Low: time.Millisecond, High: 2 * time.Millisecond}, Tries: 1},
		},
		Seeds:    plan.Seeds{First: 1, Last: 1},
		Subjects: []plan.Subject{subject},
		Bounds:   plan.Bounds{Virtual: 10 * time.Minute, Events: 100_000},
	}
}

// finish makes the plan and checks it.
func finish(scenario *plan.Scenario) (*plan.Plan, error) {
	plan := scenario.PlanOf(scenario.Subjects[0], 1)
	if err := plan.Validate(); err != nil {
		return nil, fmt.Errorf("counterexample: %w", err)
	}
	return plan, nil
}

// subject is SY-0 with the switches that make it the model's mutant, in the order of
// its declaration. For a mutant of the restart guard it is package redlock with a patch
// that makes the guard too short, because SY-0 has none.
func subject(constants map[string]string) (plan.Subject, error) {
	if guarded(constants) {
		return plan.Subject{Name: "SY-10", Options: []plan.Option{{Name: "patch", Value: "guard-too-short"}}}, nil
	}
	if constants["TokenRule"] == `"reused"` && constants["AnswerRule"] != "" {
		return plan.Subject{}, unsupported("the release would have to outlive the connection that its attempt's lost SETs have closed; MX-1-twin is the same story")
	}
	var options []plan.Option
	bugs := 0
	for _, mutant := range []struct {
		constant, value string
		option          plan.Option
	}{
		{"TokenRule", `"shared"`, plan.Option{Name: "token", Value: "shared"}},
		{"TokenRule", `"shared"`, plan.Option{Name: "set", Value: "get"}},
		{"TokenRule", `"reused"`, plan.Option{Name: "set", Value: "get"}},
		{"TopUp", "TRUE", plan.Option{Name: "extension", Value: "top-up"}},
		{"AnswerRule", `"nil"`, plan.Option{Name: "driver", Value: "retrying"}},
		{"AnswerRule", `"silence"`, plan.Option{Name: "bug", Value: "errors-vote"}},
		{"ReleaseTo", `"voters"`, plan.Option{Name: "bug", Value: "no-clean-up"}},
		{"QuorumRule", `"half"`, plan.Option{Name: "bug", Value: "half-quorum"}},
		{"QuorumRule", `"responders"`, plan.Option{Name: "bug", Value: "responders-quorum"}},
		{"ElapsedCheck", "FALSE", plan.Option{Name: "bug", Value: "late-validity"}},
		{"TokenRule", `"reused"`, plan.Option{Name: "bug", Value: "token-per-client"}},
		{"ReleaseRule", `"plain"`, plan.Option{Name: "bug", Value: "blind-commands"}},
		{"DeadlineRule", "FALSE", plan.Option{Name: "bug", Value: "eager-extension"}},
	} {
		if constants[mutant.constant] != mutant.value {
			continue
		}
		options = append(options, mutant.option)
		if mutant.option.Name == "bug" {
			bugs++
		}
	}
	if bugs > 1 {
		return plan.Subject{}, unsupported("SY-0 has one planted bug at a time")
	}
	return plan.Subject{Name: "SY-0", Options: options}, nil
}

// guarded reports whether a restarted node answers at once while its votes do not count.
func guarded(constants map[string]string) bool {
	return constants["RestartRule"] == `"guarded"` && constants["RestartTicks"] != "0"
}

// clients are the processes. Each warms its connections up, unless a crash would cut
// them, then calls for each operation at its instant.
func (s *schedule) clients() []plan.Client {
	var list []plan.Client
	isCrash := func(step tla.Step) bool { return step.Action == "Crash" }
	for _, o := range s.operations {
		i := slices.IndexFunc(list, func(c plan.Client) bool { return c.Name == o.process })
		if i < 0 {
			c := plan.Client{Name: o.process}
			if !slices.ContainsFunc(s.steps[:o.call], isCrash) { // else the warm connection is a dead one
				warm := "warm-" + o.process
				c.Steps = []plan.Step{
					{Kind: plan.StepTryLock, Resource: warm}, {Kind: plan.StepRelease, Resource: warm},
				}
			}
			list, i = append(list, c), len(list)
		}
		c := &list[i]
		c.Steps = append(c.Steps,
			plan.Step{Kind: plan.StepWait, Duration: exactly(s.at[o.call] - s.free(o))},
			plan.Step{Kind: plan.StepKind(o.kind), Resource: resource})
	}
	// The run must not end before the last step.
	hold := plan.Step{Kind: plan.StepHold, Duration: exactly(s.at[len(s.at)-1] - first + 10*slot)}
	for i := range list {
		list[i].Steps = append(list[i].Steps, hold)
	}
	return list
}

// deciding finds the step and the node of the last command that executes before
// its round is decided; -1: there is none.
func (s *schedule) deciding(o *operation) (last int, where string) {
	last = -1
	for n, i := range o.executes { // the steps differ: the order does not show
		if i < o.decided && i > last {
			last, where = i, n
		}
	}
	return last, where
}

// free is when the process of an operation is done with the one before it.
func (s *schedule) free(o *operation) time.Duration {
	var free time.Duration
	for _, before := range s.operations {
		if before == o {
			break
		}
		if before.process != o.process {
			continue
		}
		switch {
		case before.lost >= 0, before.decided >= 0 && s.bySilence:
			free = s.at[before.call] + s.timeout
		case before.decided >= 0:
			free = s.at[before.decided]
			if last, _ := s.deciding(before); last == before.decided-1 {
				free = s.at[last] // nothing keeps the answer until the decision
			}
		default: // a release, whose answers come at once
			free = s.at[before.call]
		}
	}
	return free
}

func exactly(d time.Duration) plan.Span {
	d = max(d, 0)
	return plan.Span{Low: d, High: d}
}

// faults are the delays and losses of messages, and what happens to nodes and clocks.
func (s *schedule) faults() faults.Schedule {
	b := &builder{schedule: s}
	for _, o := range s.operations {
		call := s.at[o.call]
		switch o.kind {
		case "release":
			b.releases(o, call)
		default:
			b.commands(o, call)
			if o.kind == "trylock" && o.lost >= 0 {
				b.releases(o, call+s.timeout)
			}
		}
	}
	for i, step := range s.steps {
		b.happens(i, step)
	}
	if !s.exact() {
		b.rates()
	}
	return b.list
}

const million = 1_000_000 // parts

// builder collects faults.
type builder struct {
	*schedule
	list faults.Schedule
}

func (b *builder) add(effect faults.Effect, at, lasts time.Duration, format string, arguments ...any) {
	name := fmt.Sprintf("f%d ", len(b.list)+1) + fmt.Sprintf(format, arguments...)
	f := faults.Fault{Name: name, Effect: effect, Begin: faults.Trigger{At: at}}
	if lasts > 0 {
		f.End = faults.Ending{Ends: true, For: lasts}
	}
	b.list = append(b.list, f)
}

// late delays what passes a link around an instant.
func (b *builder) late(process, node string, direction faults.Direction, around, by time.Duration) {
	if by <= 0 {
		return
	}
	b.add(&faults.Delay{
		By: faults.Span{Low: by, High: by}, ProbabilityPPM: million,
		Clients: []string{process}, Nodes: []string{node}, Direction: direction,
	}, around-window, 2*window, "late %s %s", process, node)
}

// lose loses requests to a node that are sent in a span of time.
func (b *builder) lose(process, node string, from, length time.Duration) {
	b.add(&faults.Partition{Clients: []string{process}, Nodes: []string{node}, Direction: faults.Requests},
		from, length, "lost %s %s", process, node)
}

func (b *builder) crash(node string, at, away time.Duration) {
	b.add(&faults.Crash{Nodes: []string{node}, How: sim.ProcessCrash, TimedBy: faults.TrueTime}, at, away, "crash %s", node)
}

// commands makes each SET or extension of a round execute at its step, or loses it. The
// deciding answer is late when the model decides later; silence is late by itself.
func (b *builder) commands(o *operation, call time.Duration) {
	for _, n := range b.nodes() {
		if i, executes := o.executes[n]; executes {
			b.late(o.process, n, faults.Requests, call, b.at[i]-call)
			if o.retries[n] {
				b.add(&faults.Partition{Clients: []string{o.process}, Nodes: []string{n}, Direction: faults.Replies},
					b.at[i]-window, 2*window, "lost answer %s %s", o.process, n)
			}
		} else {
			b.lose(o.process, n, call-window, 2*window)
		}
	}
	if last, where := b.deciding(o); last >= 0 && last < o.decided-1 && !b.bySilence {
		b.late(o.process, where, faults.Replies, b.at[last], b.at[o.decided]-b.at[last])
	}
}

// releases makes each release that leaves at an instant execute at its step. One that
// the model does not execute is lost, unless there is no key that it could remove.
func (b *builder) releases(o *operation, leaves time.Duration) {
	end := o.call
	if o.kind == "trylock" {
		end = o.lost
	}
	for _, n := range b.nodes() {
		i, executes := o.deletes[n]
		switch {
		case executes:
			b.late(o.process, n, faults.Requests, leaves, b.at[i]-leaves)
		case b.steps[end].State.Owner(n) != "none":
			b.lose(o.process, n, leaves-window, 2*window)
		}
	}
}

// happens turns a step of a node into a fault.
func (b *builder) happens(i int, step tla.Step) {
	nodes := []string{step.Node}
	switch step.Action {
	case "Crash":
		away := time.Millisecond
		if ticks := b.number("RestartTicks"); ticks > 0 && !guarded(b.constants) {
			// Up again when that many ticks have begun.
			away = first + time.Duration(step.At+ticks)*b.tick - b.at[i]
		}
		b.crash(step.Node, b.at[i], away)
	case "ClockSteps":
		b.add(&faults.NodeClockStep{Nodes: nodes, By: ttl + time.Second}, b.at[i], 0, "clock of %s", step.Node)
	case "KeyRemoved":
		b.add(&faults.OperatorDelete{Nodes: nodes, Resources: []string{resource}}, b.at[i], 0, "operator at %s", step.Node)
	}
}

// rates makes nodes fast and clients slow, as far as the model's clocks err.
func (b *builder) rates() {
	lifetime, drift, margin := b.number("TTL"), b.number("Drift"), b.number("Margin")
	fast := int64(million*lifetime/(lifetime-drift)) - million
	belief := time.Duration(lifetime-margin+drift) * b.tick
	slow := int64(float64(ttl-allowance)/float64(belief)*million) - million
	b.add(&faults.NodeClockRate{Nodes: b.nodes(), PPM: fast}, 0, 0, "nodes run fast")
	var processes []string
	for _, o := range b.operations {
		if !slices.Contains(processes, o.process) {
			processes = append(processes, o.process)
		}
	}
	b.add(&faults.ClientClockRate{Clients: processes, Clock: sim.Boottime, PPM: slow}, 0, 0, "clients run slow")
}
