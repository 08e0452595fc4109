package counterexample

import (
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/tla"
)

// holder is one grant of Fencing.tla: a process that locks, reads, computes and
// writes at the instants of the counterexample.
type holder struct {
	process                    string
	grant, read, write, giveUp time.Duration // 0: it does not
	drawn                      []string      // the nodes whose counters it reaches
}

// fencingPlan turns a counterexample of Fencing.tla into a plan. Where the tokens
// of the model grow, the lock hands out the laboratory's, which do. Where they
// are the largest count of a quorum, so are those of SY-0, and each attempt reaches the nodes that
// the model's did.
func fencingPlan(model tla.Model, trace tla.ErrorTrace, constants map[string]string) (*scenarios.Plan, error) {
	if constants["Durable"] != "TRUE" || constants["Skewed"] == "TRUE" {
		return nil, unsupported("counters that are lost are those of package redlock, which writes back; scenarios RS-4 and RP-5 ask for them")
	}
	counted := constants["Scheme"] == `"max"`
	holders, err := readHolders(trace)
	if err != nil {
		return nil, err
	}
	subject := scenarios.Subject{Name: "SY-0"}
	if counted {
		subject.Options = []scenarios.Option{{Name: "fence", Value: "maximum"}}
	}
	scenario := newScenario(model, 3, subject)
	scenario.Lock.Fencing = scenarios.FencingIdeal
	if counted {
		scenario.Lock.Fencing = scenarios.FencingSubject
		scenario.Faults = outOfReach(holders)
	}
	for _, h := range holders {
		scenario.Clients = append(scenario.Clients, h.client())
	}
	return finish(scenario)
}

// outOfReach cuts every attempt off from the nodes whose counters it does not draw from.
func outOfReach(holders []*holder) faults.Schedule {
	var b builder
	for _, h := range holders {
		for _, node := range []string{"n1", "n2", "n3"} {
			if !slices.Contains(h.drawn, node) {
				b.lose(h.process, node, h.grant)
			}
		}
	}
	return b.list
}

// readHolders gives every step its instant: a lease that ends while its client is
// not done has lapsed.
func readHolders(trace tla.ErrorTrace) ([]*holder, error) {
	var holders []*holder
	current := map[string]*holder{}
	attempts := map[string]int{}
	now, serving := first, ""
	for i := 1; i < len(trace.States); i++ {
		now += slot
		client := changedClient(trace.States[i-1], trace.States[i])
		h := current[client]
		switch trace.States[i].Action {
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
			switch phaseOf(trace.States[i-1], serving) {
			case "done":
				h.giveUp = now
			case "drawing": // its attempt is lost
				now = max(now, h.grant+nodeTimeout+slot)
			default:
				now = max(now, h.grant+ttl+slot)
			}
		case "Draw":
			h.drawn = append(h.drawn, drawnFrom(trace.States[i-1], trace.States[i]))
		case "TokenDecided", "WriteBack", "WrittenBack", "Rest":
		default:
			return nil, unsupported("action %s", trace.States[i].Action)
		}
	}
	return holders, nil
}

func changedClient(before, after tla.TraceState) string {
	for _, entry := range after.Variables["client"].Entries {
		old, _ := before.Variables["client"].At(entry.Key.Text)
		if old.String() != entry.Value.String() {
			return entry.Key.Text
		}
	}
	return ""
}

// drawnFrom is the node whose counter has grown.
func drawnFrom(before, after tla.TraceState) string {
	for _, entry := range after.Variables["counter"].Entries {
		if old, _ := before.Variables["counter"].At(entry.Key.Text); old.String() != entry.Value.String() {
			return entry.Key.Text
		}
	}
	return ""
}

func phaseOf(state tla.TraceState, client string) string {
	record, _ := state.Variables["client"].At(client)
	phase, _ := record.At("phase")
	return phase.Text
}

// client plays a holder.
func (h *holder) client() scenarios.Client {
	now := time.Duration(0)
	wait := func(until time.Duration) scenarios.Step {
		step := scenarios.Step{Kind: scenarios.StepWait, Duration: exactly(until - now)}
		now = until
		return step
	}
	steps := []scenarios.Step{wait(h.grant), {Kind: scenarios.StepTryLock, Resource: resource}}
	switch {
	case h.write > 0:
		steps = append(steps, wait(h.read), scenarios.Step{Kind: scenarios.StepDecrement, Resource: resource, Think: exactly(h.write - h.read)})
		now = h.write
	case h.read > 0:
		steps = append(steps, wait(h.read), scenarios.Step{Kind: scenarios.StepRead, Resource: resource})
	}
	if h.giveUp > 0 {
		steps = append(steps, wait(h.giveUp), scenarios.Step{Kind: scenarios.StepRelease, Resource: resource})
	}
	return scenarios.Client{Name: h.process, Steps: steps}
}
