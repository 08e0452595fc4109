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
	"MajorityHasKey":     everyEvent(keyGoneWhileBelieved, "every key outlives the belief of its holder"),
	"LateIsRefused":      everyEvent(grantedLate, "no acquisition took longer than its validity"),
	"ForeignKeysStay":    everyEvent(foreignKeyRemoved, "every release removed keys of its own only"),
	"NeverRevived":       everyEvent(revived, "no lapsed lease was extended"),
	"NotOvertaken":       everyEvent(overtaken, "nobody was granted the resource before an extension"),
	"NoFalseWin":         everyEvent(falseWin, "a majority carried the key of every lease"),
	"NotRefusedByOwnKey": everyEvent(refusedByOwnKey, "nobody was refused by its own key"),
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

// lease is one of the replayed resource, as the trace shows it.
type lease struct {
	holder          string
	acquired, until time.Duration // true time; until on the holder's clock, read as true
}

// moment is what happened to the replayed resource before an event.
type moment struct {
	result *play.Result
	keys   sim.Keys                 // with the event
	before sim.KeyState             // of the event's key
	called map[string]time.Duration // process → when it last called for the lock
	leases map[string]lease         // process → its lease, until its release
	newest lease                    // the last that was granted
}

// everyEvent checks each event of the replayed resource: violation describes one
// that violates the property, and is empty for others. It returns the last.
func everyEvent(violation func(m *moment, e *sim.Event) string, otherwise string) check {
	return func(r *play.Result, _ tla.Model) (violated bool, text string) {
		m := &moment{result: r, called: map[string]time.Duration{}, leases: map[string]lease{}}
		text = otherwise
		for i := range r.Events {
			e := &r.Events[i]
			change, _ := m.keys.Apply(e)
			m.before = change.Before
			if e.Resource != resource && e.Key != resource {
				continue
			}
			if found := violation(m, e); found != "" {
				violated, text = true, found
			}
			m.pass(e)
		}
		return violated, text
	}
}

// pass notes an event for those that follow.
func (m *moment) pass(e *sim.Event) {
	switch {
	case e.Kind == sim.Acquired:
		m.newest = lease{holder: e.Process, acquired: e.At, until: e.At + e.Duration}
		m.leases[e.Process] = m.newest
	case e.Kind == sim.Extended:
		extended := m.leases[e.Process]
		extended.until = e.At + e.Duration
		m.leases[e.Process] = extended
	case e.Kind == sim.Call && e.Detail == "acquire":
		m.called[e.Process] = e.At
	case e.Kind == sim.Call && e.Detail == "release":
		delete(m.leases, e.Process)
	}
}

// keyGoneWhileBelieved: a node of the majority has lost the key of a client that
// believes.
func keyGoneWhileBelieved(m *moment, e *sim.Event) (text string) {
	if e.Kind != sim.Expire {
		return ""
	}
	for _, l := range m.result.History.Leases {
		until := time.Duration(l.Validity[len(l.Validity)-1].UntilNS)
		if l.Resource == resource && l.Token == e.Value && e.At < until {
			text = fmt.Sprintf("%s let %s go %s before its holder stops believing", e.Node, e.Value, until-e.At)
		}
	}
	return text
}

// grantedLate: an acquisition that took longer than its validity is granted.
func grantedLate(m *moment, e *sim.Event) string {
	took := e.At - m.called[e.Process]
	if e.Kind != sim.Acquired || took < ttl-allowance {
		return ""
	}
	return fmt.Sprintf("%s was granted a lease of %s after %s", e.Process, ttl, took)
}

// falseWin: a lease is granted while no majority carries its key.
func falseWin(m *moment, e *sim.Event) string {
	nodes, own := m.result.Plan.World.Nodes, 0
	for _, node := range nodes {
		if m.keys.At(node.Name, resource).Owner == e.Process {
			own++
		}
	}
	if e.Kind != sim.Acquired || own >= len(nodes)/2+1 {
		return ""
	}
	return fmt.Sprintf("%s was granted a lease with its key at %d of %d nodes", e.Process, own, len(nodes))
}

// refusedByOwnKey: a SET is refused because the key is there with its own token.
func refusedByOwnKey(m *moment, e *sim.Event) string {
	if e.Kind != sim.Execute || e.Command != "SET" || e.Detail == "OK" || m.before.Owner != e.Process {
		return ""
	}
	return fmt.Sprintf("%s refused %s because of its own key", e.Node, e.Process)
}

// foreignKeyRemoved: a release removes the key of another.
func foreignKeyRemoved(m *moment, e *sim.Event) string {
	removed := e.Kind == sim.Execute && (e.Command == "DEL" || e.Command == "release") && e.Detail == "1"
	if !removed || m.before.Owner == e.Process {
		return ""
	}
	return fmt.Sprintf("%s removed the key of %s at %s", e.Process, m.before.Owner, e.Node)
}

// revived: a lease is extended after its validity has ended.
func revived(m *moment, e *sim.Event) string {
	after := e.At - m.leases[e.Process].until
	if e.Kind != sim.Extended || after < 0 {
		return ""
	}
	return fmt.Sprintf("%s extended its lease %s after its end", e.Process, after)
}

// overtaken: a lease is extended after another client was granted the resource.
func overtaken(m *moment, e *sim.Event) string {
	if e.Kind != sim.Extended || m.leases[e.Process].acquired >= m.newest.acquired {
		return ""
	}
	return fmt.Sprintf("%s extended its lease after %s was granted the resource", e.Process, m.newest.holder)
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
