package counterexample

import (
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/tla"
)

// holder is one grant of Fencing.tla: a process that locks, reads, computes and
// writes at the instants of the counterexample.
type holder struct {
	process                    string
	grant, read, write, giveUp time.Duration // 0: it does not
	reached                    []string      // the nodes whose counters it draws from
}

// fencingPlan turns a counterexample of Fencing.tla into a plan. Where the model's
// tokens grow, the lock hands out the laboratory's tokens, which grow. Otherwise the
// tokens come from counters, and each attempt reaches the nodes that it reached in the
// model: SY-0 takes the largest count of a quorum, package redlock writes it back.
func fencingPlan(model tla.Model, trace tla.ErrorTrace, constants map[string]string) (*plan.Plan, error) {
	if constants["Skewed"] == "TRUE" {
		return nil, unsupported("counters that are apart from the beginning")
	}
	holders, lost, err := readHolders(trace)
	if err != nil {
		return nil, err
	}
	subject := plan.Subject{Name: "SY-0"}
	counters := true
	switch {
	case constants["Scheme"] == `"max"`:
		subject.Options = []plan.Option{{Name: "fence", Value: "maximum"}}
	case constants["Durable"] == "FALSE": // a guard brings no counter back; it would only refuse the votes
		subject = plan.Subject{Name: "SY-10", Options: []plan.Option{{Name: "guard", Value: "false"}}}
	default:
		counters = false
	}
	scenario := newScenario(model, 3, subject)
	scenario.Lock.Fencing = plan.FencingIdeal
	if counters {
		scenario.Lock.Fencing = plan.FencingSubject
		scenario.Faults = cutOff(holders, lost)
	}
	for _, h := range holders {
		scenario.Clients = append(scenario.Clients, h.client())
	}
	return finish(scenario)
}

// loss is the restart that takes a node's counter.
type loss struct {
	node string // empty: there is none
	at   time.Duration
}

// cutOff separates every attempt from the nodes whose counters it does not draw
// from, for as long as it may try them, and crashes the node whose counter is lost.
func cutOff(holders []*holder, lost loss) faults.Schedule {
	var b builder
	for _, h := range holders {
		for _, node := range []string{"n1", "n2", "n3"} {
			if !slices.Contains(h.reached, node) {
				b.lose(h.process, node, h.grant-window, window+nodeTimeout+slot)
			}
		}
	}
	if lost.node != "" {
		b.crash(lost.node, lost.at, time.Millisecond)
	}
	return b.list
}

// readHolders gives every step its instant. A lease that ends while its client is not
// done has lapsed. A counter that is lost while an attempt draws is lost before the
// attempt, because the crash would cut its connection; its draws were at other nodes.
func readHolders(trace tla.ErrorTrace) (holders []*holder, lost loss, err error) {
	current := map[string]*holder{}
	attempts := map[string]int{}
	now, serving := first, ""
	for i := 1; i < len(trace); i++ {
		now += slot
		before, after := trace[i-1], trace[i]
		client := after.Changed(before, "client")
		h := current[client]
		switch after.Action {
		case "Grant":
			attempts[client]++
			h = &holder{process: processName(client, attempts[client]), grant: now}
			current[client], holders, serving = h, append(holders, h), client
		case "Read":
			h.read = now
		case "Write":
			h.write = now
		case "LeaseEnds":
			h = current[serving]
			switch before.Field("client", serving, "phase") {
			case "done":
				h.giveUp = now
			case "drawing": // its attempt is lost
				now = max(now, h.grant+nodeTimeout+slot)
			default:
				now = max(now, h.grant+ttl+slot)
			}
		case "Draw":
			h.reached = append(h.reached, after.Changed(before, "counter"))
		case "CounterForgotten":
			lost = loss{after.Changed(before, "counter"), now}
			if h := current[serving]; before.Field("client", serving, "phase") == "drawing" {
				if slices.Contains(h.reached, lost.node) {
					return nil, lost, unsupported("a counter that is lost between a draw and its token")
				}
				lost.at = h.grant - slot/2
			}
		case "TokenDecided", "WriteBack", "WrittenBack", "Rest":
		default:
			return nil, lost, unsupported("action %s", after.Action)
		}
	}
	return holders, lost, nil
}

// client plays a holder.
func (h *holder) client() plan.Client {
	now := time.Duration(0)
	wait := func(until time.Duration) plan.Step {
		step := plan.Step{Kind: plan.StepWait, Duration: exactly(until - now)}
		now = until
		return step
	}
	steps := []plan.Step{wait(h.grant), {Kind: plan.StepTryLock, Resource: resource}}
	switch {
	case h.write > 0:
		think := exactly(h.write - h.read)
		steps = append(steps, wait(h.read), plan.Step{Kind: plan.StepDecrement, Resource: resource, Think: think})
		now = h.write
	case h.read > 0:
		steps = append(steps, wait(h.read), plan.Step{Kind: plan.StepRead, Resource: resource})
	}
	if h.giveUp > 0 {
		steps = append(steps, wait(h.giveUp), plan.Step{Kind: plan.StepRelease, Resource: resource})
	}
	return plan.Client{Name: h.process, Steps: steps}
}
