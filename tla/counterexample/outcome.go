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

// Judge says whether a run violates what the counterexample violates.
func Judge(model tla.Model, result *play.Result) (Outcome, error) {
	outcome := Outcome{Broken: result.Verdict.Broken()}
	if result.Outcome != string(sim.Finished) {
		return outcome, fmt.Errorf("the run of %s ended at its %s", model.Name, result.Outcome)
	}
	look, known := properties[model.Violates]
	if !known {
		return outcome, unsupported("%s is no property of a run", model.Violates)
	}
	outcome.Reproduced, outcome.Text = look(result, model)
	return outcome, nil
}

// properties read the specification's claims in a run: whether it violates them.
var properties = map[string]func(*play.Result, tla.Model) (bool, string){
	"MutualExclusion": func(r *play.Result, _ tla.Model) (bool, string) {
		return r.Verdict.Overlap.Status == checker.Violated, overlapText(r)
	},
	"MajorityHasKey":  keyGoneWhileBelieved,
	"LateIsRefused":   grantedLate,
	"ForeignKeysStay": foreignKeyRemoved,
	"NeverRevived":    revived,
	"NotOvertaken":    overtaken,
	"NoStaleWrite":    accepted,
	"NoLostUpdate":    accepted,
	"TokensGrow": func(r *play.Result, _ tla.Model) (bool, string) {
		n := r.Verdict.Resource.Tokens.Found
		return n > 0, fmt.Sprintf("%d leases with a token that is not larger than an earlier one", n)
	},

	"NoFalseWin":         falseWin,
	"NotRefusedByOwnKey": refusedByOwnKey,
	"ReleaseReachesAll":  notReleased,
}

func overlapText(r *play.Result) string {
	for _, finding := range r.Verdict.Overlap.Findings {
		return finding.Text
	}
	return "no two leases overlap"
}

// lease is one of the replayed resource, as the trace tells it.
type lease struct {
	acquired, until time.Duration // true time; until on the holder's clock, read as true
}

// leases calls f with every event of the replayed resource and the leases so far.
func leases(r *play.Result, f func(e *sim.Event, all map[string]*lease)) {
	all := map[string]*lease{}
	for i := range r.Events {
		e := &r.Events[i]
		if e.Resource != resource && e.Key != resource {
			continue
		}
		f(e, all)
		switch e.Kind {
		case sim.Acquired:
			all[e.Process] = &lease{acquired: e.At, until: e.At + e.Duration}
		case sim.Extended:
			all[e.Process].until = e.At + e.Duration
		case sim.Call:
			if e.Detail == "release" {
				delete(all, e.Process)
			}
		}
	}
}

// keyGoneWhileBelieved: a node of the majority has lost the key of a client that
// believes.
func keyGoneWhileBelieved(r *play.Result, _ tla.Model) (found bool, text string) {
	beliefs := map[string]time.Duration{} // token → end of belief in true time
	for _, l := range r.History.Leases {
		if l.Resource == resource {
			beliefs[l.Token] = time.Duration(l.Validity[len(l.Validity)-1].UntilNS)
		}
	}
	text = "every key outlives the belief of its holder"
	leases(r, func(e *sim.Event, _ map[string]*lease) {
		if until, believed := beliefs[e.Value]; e.Kind == sim.Expire && believed && e.At < until {
			found, text = true, fmt.Sprintf("%s let %s go %s before its holder stops believing", e.Node, e.Value, until-e.At)
		}
	})
	return found, text
}

// grantedLate: an acquisition that took longer than its validity is granted.
func grantedLate(r *play.Result, _ tla.Model) (found bool, text string) {
	calls := map[string]time.Duration{}
	text = "no acquisition took longer than its validity"
	leases(r, func(e *sim.Event, _ map[string]*lease) {
		switch {
		case e.Kind == sim.Call && e.Detail == "acquire":
			calls[e.Process] = e.At
		case e.Kind == sim.Acquired && e.At-calls[e.Process] >= ttl-ttl/100-2*time.Millisecond:
			found, text = true, fmt.Sprintf("%s was granted a lease of %s after %s", e.Process, ttl, e.At-calls[e.Process])
		}
	})
	return found, text
}

// executed keeps up who set which node's key last.
func executed(keys map[string]string, e *sim.Event) {
	switch {
	case e.Kind == sim.Execute && e.Command == "SET" && e.Detail == "OK":
		keys[e.Node] = e.Process
	case e.Kind == sim.Expire, e.Kind == sim.Execute && e.Command == "release" && e.Detail == "1":
		delete(keys, e.Node)
	}
}

// falseWin: a lease is granted while no majority carries its key.
func falseWin(r *play.Result, _ tla.Model) (found bool, text string) {
	keys := map[string]string{} // node → process that set its key
	text = "a majority carried the key of every lease"
	leases(r, func(e *sim.Event, _ map[string]*lease) {
		executed(keys, e)
		if e.Kind != sim.Acquired {
			return
		}
		own := 0
		for _, process := range keys {
			if process == e.Process {
				own++
			}
		}
		if nodes := len(r.Plan.World.Nodes); own < nodes/2+1 {
			found, text = true, fmt.Sprintf("%s was granted a lease with its key at %d of %d nodes", e.Process, own, nodes)
		}
	})
	return found, text
}

// refusedByOwnKey: a SET is refused because the key is there with its own token.
func refusedByOwnKey(r *play.Result, _ tla.Model) (found bool, text string) {
	keys := map[string]string{}
	text = "nobody was refused by its own key"
	leases(r, func(e *sim.Event, _ map[string]*lease) {
		if e.Kind == sim.Execute && e.Command == "SET" && e.Detail != "OK" && keys[e.Node] == e.Process {
			found, text = true, fmt.Sprintf("%s refused %s because of its own key", e.Node, e.Process)
		}
		executed(keys, e)
	})
	return found, text
}

// notReleased: an attempt ends without a release to every node that it asked.
func notReleased(r *play.Result, _ tla.Model) (found bool, text string) {
	asked := map[string]map[string]bool{} // process → nodes that got no release yet
	text = "every node that was asked was released"
	for i := range r.Events {
		e := &r.Events[i]
		switch {
		case e.Kind != sim.Send || e.Key != resource:
		case e.Command == "SET":
			if asked[e.Process] == nil {
				asked[e.Process] = map[string]bool{}
			}
			asked[e.Process][e.Node] = true
		case e.Command == "release":
			delete(asked[e.Process], e.Node)
		}
	}
	for _, c := range r.Plan.Clients {
		if left := len(asked[c.Name]); left > 0 {
			found, text = true, fmt.Sprintf("%s asked %d nodes that it never released", c.Name, left)
		}
	}
	return found, text
}

// foreignKeyRemoved: a release removes the key of another.
func foreignKeyRemoved(r *play.Result, _ tla.Model) (found bool, text string) {
	keys := map[string]string{} // node → process that set its key
	text = "every release removed keys of its own only"
	leases(r, func(e *sim.Event, _ map[string]*lease) {
		switch {
		case e.Kind == sim.Execute && e.Command == "SET" && e.Detail == "OK":
			keys[e.Node] = e.Process
		case e.Kind == sim.Execute && (e.Command == "DEL" || e.Command == "release") && e.Detail == "1":
			if keys[e.Node] != e.Process {
				found, text = true, fmt.Sprintf("%s removed the key of %s at %s", e.Process, keys[e.Node], e.Node)
			}
		}
	})
	return found, text
}

// revived: a lease is extended after its validity has ended.
func revived(r *play.Result, _ tla.Model) (found bool, text string) {
	text = "no lapsed lease was extended"
	leases(r, func(e *sim.Event, all map[string]*lease) {
		if e.Kind == sim.Extended && e.At >= all[e.Process].until {
			found, text = true, fmt.Sprintf("%s extended its lease %s after its end", e.Process, e.At-all[e.Process].until)
		}
	})
	return found, text
}

// overtaken: a lease is extended after another client was granted the resource.
func overtaken(r *play.Result, _ tla.Model) (found bool, text string) {
	var last time.Duration
	by := ""
	text = "nobody was granted the resource before an extension"
	leases(r, func(e *sim.Event, all map[string]*lease) {
		switch {
		case e.Kind == sim.Acquired:
			last, by = e.At, e.Process
		case e.Kind == sim.Extended && all[e.Process].acquired < last:
			found, text = true, fmt.Sprintf("%s extended its lease after %s was granted the resource", e.Process, by)
		}
	})
	return found, text
}

// accepted: the register that the model means accepted a stale or a losing write.
func accepted(r *play.Result, model tla.Model) (bool, string) {
	constants, err := model.Constants()
	if err != nil {
		return false, err.Error()
	}
	which := map[string]checker.Register{
		`"none"`: checker.RegisterUnfenced, `"writes"`: checker.RegisterFencedWrites, `"all"`: checker.RegisterFenced,
	}[constants["Fence"]]
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
