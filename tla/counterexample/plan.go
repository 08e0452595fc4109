package counterexample

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
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
	for _, o := range s.operations {
		i := slices.IndexFunc(list, func(c plan.Client) bool { return c.Name == o.process })
		if i < 0 {
			c := plan.Client{Name: o.process}
			if !s.crashedBefore(o.call) { // else the warm connection is a dead one
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

func (s *schedule) crashedBefore(step int) bool {
	return slices.ContainsFunc(s.steps[:step], func(earlier tla.Step) bool { return earlier.Action == "Crash" })
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
