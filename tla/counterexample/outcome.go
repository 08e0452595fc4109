package counterexample

import (
	"fmt"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/tla"
)

// Outcome is what the running code made of a counterexample.
type Outcome struct {
	Reproduced bool
	Broken     []string // assumptions
	Text       string   // what was seen
}

// Check reports whether a run violates what the counterexample violates. Error:
// *UnsupportedError, or that the run did not finish.
func Check(model tla.Model, result *play.Result) (Outcome, error) {
	outcome := Outcome{Broken: result.Verdict.Broken()}
	if result.Outcome != string(sim.Finished) {
		return outcome, fmt.Errorf("the run of %s ended at its %s", model.Name, result.Outcome)
	}
	check, known := properties[model.Violates]
	if !known {
		return outcome, unsupported("%s is no property of a run", model.Violates)
	}
	outcome.Reproduced, outcome.Text = check(result, model)
	return outcome, nil
}

// check reports whether a run violates a property, and what was seen.
type check func(result *play.Result, model tla.Model) (violated bool, text string)

// properties are those of the specifications, as checks of a run.
var properties = map[string]check{
	"MutualExclusion":    overlap,
	"MajorityHasKey":     every(sim.Expire, keyGoneWhileBelieved, "every key outlives the belief of its holder"),
	"LateIsRefused":      every(sim.Acquired, grantedLate, "no acquisition took longer than its validity"),
	"ForeignKeysStay":    every(sim.Execute, foreignKeyRemoved, "every release removed keys of its own only"),
	"NeverRevived":       every(sim.Extended, revived, "no lapsed lease was extended"),
	"NotOvertaken":       every(sim.Extended, overtaken, "nobody was granted the resource before an extension"),
	"NoFalseWin":         every(sim.Acquired, falseWin, "a majority carried the key of every lease"),
	"NotRefusedByOwnKey": every(sim.Execute, refusedByOwnKey, "nobody was refused by its own key"),
	"ReleaseReachesAll":  notReleased,
	"NoStaleWrite":       accepted,
	"NoLostUpdate":       accepted,
	"TokensGrow": func(r *play.Result, _ tla.Model) (bool, string) {
		n := r.Verdict.Resource.Tokens.Found
		return n > 0, fmt.Sprintf("%d leases with a token that is not larger than an earlier one", n)
	},
}

func overlap(r *play.Result, _ tla.Model) (bool, string) {
	text := "no two leases overlap"
	if findings := r.Verdict.Overlap.Findings; len(findings) > 0 {
		text = findings[0].Text
	}
	return r.Verdict.Overlap.Status == checker.Violated, text
}

// moment is the replayed run, read up to an event.
type moment struct {
	sim.Reader
	result *play.Result
	newest *sim.Lease // the last that was granted
}

// every checks each event of a kind that is about the replayed resource: violation describes
// one that violates the property, and is empty for others. It returns the last.
func every(kind sim.Kind, violation func(m *moment, step *sim.Step) string, otherwise string) check {
	return func(r *play.Result, _ tla.Model) (violated bool, text string) {
		m := &moment{result: r}
		text = otherwise
		for step := range m.Steps(r.Events) {
			if step.Event.Resource != resource && step.Event.Key != resource {
				continue
			}
			if step.Event.Kind == sim.Acquired {
				m.newest = step.Lease
			}
			if step.Event.Kind == kind {
				if found := violation(m, &step); found != "" {
					violated, text = true, found
				}
			}
		}
		return violated, text
	}
}

// keyGoneWhileBelieved: a node of the majority has lost the key of a client that
// believes.
func keyGoneWhileBelieved(m *moment, step *sim.Step) (text string) {
	e := step.Event
	for _, l := range m.result.History.Leases {
		until := time.Duration(l.Validity[len(l.Validity)-1].UntilNS)
		if l.Resource == resource && l.Token == e.Value && e.At < until {
			text = fmt.Sprintf("%s let %s go %s before its holder stops believing", e.Node, e.Value, until-e.At)
		}
	}
	return text
}

// grantedLate: an acquisition that took longer than its validity is granted.
func grantedLate(_ *moment, step *sim.Step) string {
	e := step.Event
	took := e.At - step.Operation.Call.At
	if took < ttl-allowance {
		return ""
	}
	return fmt.Sprintf("%s was granted a lease of %s after %s", e.Process, ttl, took)
}

// falseWin: a lease is granted while no majority carries its key.
func falseWin(m *moment, step *sim.Step) string {
	e := step.Event
	nodes, own := m.result.Plan.World.Nodes, 0
	for _, node := range nodes {
		if m.At(node.Name, resource).Owner == e.Process {
			own++
		}
	}
	if own >= len(nodes)/2+1 {
		return ""
	}
	return fmt.Sprintf("%s was granted a lease with its key at %d of %d nodes", e.Process, own, len(nodes))
}

// refusedByOwnKey: a SET is refused because the key is there with its own token.
func refusedByOwnKey(_ *moment, step *sim.Step) string {
	e := step.Event
	if e.Command != "SET" || e.Detail == "OK" || step.Change.Before.Owner != e.Process {
		return ""
	}
	return fmt.Sprintf("%s refused %s because of its own key", e.Node, e.Process)
}

// foreignKeyRemoved: a release removes the key of another.
func foreignKeyRemoved(_ *moment, step *sim.Step) string {
	e := step.Event
	removed := (e.Command == "DEL" || e.Command == "release") && e.Detail == "1"
	if !removed || step.Change.Before.Owner == e.Process {
		return ""
	}
	return fmt.Sprintf("%s removed the key of %s at %s", e.Process, step.Change.Before.Owner, e.Node)
}

// revived: a lease is extended after its validity has ended.
func revived(_ *moment, step *sim.Step) string {
	e, l := step.Event, step.Lease
	before := l.Terms[len(l.Terms)-2]
	after := e.At - (before.At + before.Duration)
	if after < 0 {
		return ""
	}
	return fmt.Sprintf("%s extended its lease %s after its end", e.Process, after)
}

// overtaken: a lease is extended after another client was granted the resource.
func overtaken(m *moment, step *sim.Step) string {
	if step.Lease == m.newest {
		return ""
	}
	return fmt.Sprintf("%s extended its lease after %s was granted the resource", step.Event.Process, m.newest.Process)
}

// notReleased: an attempt ends without a release to every node that it asked.
func notReleased(r *play.Result, _ tla.Model) (violated bool, text string) {
	asked := map[string]map[string]bool{} // process → nodes that got no release yet
	for _, c := range r.Plan.Clients {
		asked[c.Name] = map[string]bool{}
	}
	for i := range r.Events {
		e := &r.Events[i]
		switch {
		case e.Kind != sim.Send || e.Key != resource:
		case e.Command == "SET":
			asked[e.Process][e.Node] = true
		case e.Command == "release":
			delete(asked[e.Process], e.Node)
		}
	}
	text = "every node that was asked was released"
	for _, c := range r.Plan.Clients {
		if left := len(asked[c.Name]); left > 0 {
			violated, text = true, fmt.Sprintf("%s asked %d nodes that it never released", c.Name, left)
		}
	}
	return violated, text
}

// accepted: the register that the model means accepted a stale or a losing write.
func accepted(r *play.Result, model tla.Model) (bool, string) {
	which := map[string]checker.Register{
		`"none"`: checker.RegisterUnfenced, `"writes"`: checker.RegisterFencedWrites, `"all"`: checker.RegisterFenced,
	}[model.Constants["Fence"]]
	for _, register := range r.Verdict.Resource.Registers {
		if register.Resource == resource && register.Register == which {
			count, what := register.StaleWrites, "stale writes"
			if model.Violates == "NoLostUpdate" {
				count, what = register.LostUpdates, "lost updates"
			}
			return count > 0, fmt.Sprintf("%d %s at the register %s", count, what, which)
		}
	}
	return false, "the register was not used"
}
