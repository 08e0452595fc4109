package counterexample

import (
	"time"

	"redlocklab/scenarios"
	"redlocklab/tla"
)

// holder is one grant of Fencing.tla: a process that locks, reads, computes and
// writes at the instants of the counterexample.
type holder struct {
	process                    string
	grant, read, write, giveUp time.Duration // 0: it does not
}

// fencingPlan turns a counterexample of Fencing.tla into a plan. The lock hands
// out the laboratory's tokens, which grow: counters that do not are another model's matter.
func fencingPlan(model tla.Model, trace tla.ErrorTrace, constants map[string]string) (*scenarios.Plan, error) {
	if constants["Scheme"] != `"writeback"` || constants["Durable"] != "TRUE" {
		return nil, unsupported("the package's own counters are written back, and what they lose in a restart is RS-4's scenario")
	}
	holders, err := readHolders(trace)
	if err != nil {
		return nil, err
	}
	scenario := newScenario(model, 3, scenarios.Subject{Name: "SY-0"})
	scenario.Lock.Fencing = scenarios.FencingIdeal
	for _, h := range holders {
		scenario.Clients = append(scenario.Clients, h.client())
	}
	return finish(scenario)
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
			if phaseOf(trace.States[i-1], serving) == "done" {
				h.giveUp = now
			} else {
				now = max(now, h.grant+ttl+slot)
			}
		case "Draw", "TokenDecided", "WriteBack", "WrittenBack", "Rest":
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
