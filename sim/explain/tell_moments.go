package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// moments makes an entry for each event that is a line by itself.
func (t *teller) moments() {
	outages := map[string]*entry{}
	for _, e := range t.d.moments {
		switch {
		case e.Kind == sim.Done: // attach adds it to the last line of the process
		case e.Kind == sim.ClockRate && !t.d.rateChanged(e): // it changes nothing
		case e.Kind == sim.Access:
			if all := t.d.together(e); len(all) > 0 {
				made := t.event(e, func() string { return t.accessed(all) })
				for _, a := range all[1:] {
					made.events = append(made.events, a.event.Seq)
				}
			}
		case e.Node != "" && (e.Kind == sim.Crash || e.Kind == sim.Restart):
			outages[e.Node] = t.outage(e)
		case e.Node != "" && (e.Kind == sim.Forget || e.Kind == sim.Revive):
			if latest := outages[e.Node]; latest != nil {
				latest.memory = append(latest.memory, t.memory(e))
				latest.events = append(latest.events, e.Seq)
			} else {
				t.event(e, func() string { return "on " + e.Node + ", " + t.memory(e) + because(e.Fault) })
			}
		case e.Kind == sim.Expire:
			made := t.event(e, nil)
			made.kind, made.names, made.group = runOut, []string{e.Node}, e.Key+" "+t.d.loser(e)
			made.words = func() string { return t.expired(e, made.names) }
		default:
			t.event(e, func() string { return t.moment(e) })
		}
	}
}

// marks are the marks of lines that tell one event, unless it returns from an operation.
var marks = map[sim.Kind]Mark{
	sim.Access: MarkAccess, sim.Lapsed: MarkHolds,
	sim.Crash: MarkFault, sim.Restart: MarkFault, sim.Forget: MarkFault, sim.Revive: MarkFault,
	sim.ClockStep: MarkFault, sim.ClockRate: MarkFault, sim.Pause: MarkFault, sim.Resume: MarkFault,
	sim.Cut: MarkFault, sim.Heal: MarkFault, sim.Impair: MarkFault, sim.Recover: MarkFault,
	sim.NodeCall: MarkFault, sim.Delay: MarkFault, sim.Moved: MarkFault, sim.ResourceRestart: MarkFault,
}

// moment returns the words for one event, with the fault that caused it.
func (t *teller) moment(e *sim.Event) string {
	switch e.Kind {
	case sim.Cut:
		return t.cutWords(e, "begins")
	case sim.Heal:
		return t.cutWords(e, "ends")
	}
	return t.momentWords(e) + because(e.Fault)
}

func (t *teller) momentWords(e *sim.Event) string {
	clock := e.Node + "'s clock"
	if e.Node == "" {
		clock = fmt.Sprintf("%s's %s clock", e.Process, e.Detail)
	}
	switch e.Kind {
	case sim.NodeCall:
		return t.operatorWords(e)
	case sim.Crash:
		return e.Process + " crashes and does not come back" + t.holding(e)
	case sim.ClockStep:
		return clock + " jumps " + stepWords(e.Duration)
	case sim.ClockRate:
		if e.PPM == 0 {
			return clock + " runs right again"
		}
		return clock + " now has a rate error of " + rateWords(e.PPM)
	case sim.Pause:
		return e.Process + " is paused: it does nothing, but time goes on" + t.holding(e)
	case sim.Resume:
		return t.resumed(e)
	case sim.Impair:
		return fmt.Sprintf("%s%s is %s from now on", e.Node, e.Process, e.Detail)
	case sim.Recover:
		return fmt.Sprintf("%s%s is no longer %s", e.Node, e.Process, e.Detail)
	case sim.Moved:
		return fmt.Sprintf("new connections to %s reach %s from now on", e.Node, cmp.Or(e.Detail, "it again"))
	case sim.ResourceRestart:
		return fmt.Sprintf("resource %s restarts and has forgotten %s", e.Resource, e.Detail)
	case sim.Delay:
		return fmt.Sprintf("a message between %s and %s is delayed by %s", e.Process, e.Node, words.Period(e.Duration))
	case sim.Lapsed:
		return fmt.Sprintf("%s notices that its lease %s on %s is over", e.Process, e.Lease, e.Resource)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s%s %s", e.Kind, e.Process, e.Node, e.Detail))
}

// holding says which lock the process of an event holds then; "" when it holds none.
func (t *teller) holding(e *sim.Event) string {
	for _, l := range t.run.held(e.Process, e.At) {
		return fmt.Sprintf("; it holds %s until %s", l.Resource, words.Instant(l.Until))
	}
	return ""
}

func (t *teller) resumed(e *sim.Event) string {
	text := e.Process + " continues"
	for _, s := range t.d.stretches {
		if s.end != e {
			continue
		}
		text += " after " + words.Period(e.At-s.from)
		for _, l := range t.run.held(e.Process, s.from) {
			if !l.Released && l.Until <= e.At {
				text += fmt.Sprintf("; its lease %s ended %s ago, during the pause", l.ID, words.Period(e.At-l.Until))
			}
		}
	}
	return text
}

func (t *teller) cutWords(e *sim.Event, verb string) string {
	text := fmt.Sprintf("fault %q %s", e.Fault, verb)
	f := t.run.fault(e.Fault)
	switch what := cmp.Or(f.Words, e.Detail); {
	case verb == "begins" && what != "":
		return text + ": " + what
	case verb == "ends" && e.Detail != "" && f.Name == "":
		return text + " (" + e.Detail + ")"
	}
	return text
}

func (t *teller) operatorWords(e *sim.Event) string {
	switch e.Command {
	case sim.Removal:
		left := words.Period(e.TTL) + " left"
		if e.TTL < 0 {
			left = "no TTL"
		}
		return fmt.Sprintf("%s thereby loses %s for %s, which had %s", e.Node, keyOf(t.d.loser(e), "the key"), e.Key, left)
	case sim.Eviction:
		return e.Node + " is short of memory and evicts keys"
	}
	return fmt.Sprintf("an operator runs %s on %s", cmp.Or(strings.TrimSpace(e.Command+" "+e.Key), e.Detail), e.Node)
}

// expired says that keys of one owner have expired on some nodes.
func (t *teller) expired(e *sim.Event, nodes []string) string {
	owner := t.d.loser(e)
	text := fmt.Sprintf("%s for %s expires on %s", keyOf(owner, "the key"), e.Key, t.run.nodeNames(nodes))
	if l := t.run.entitled(owner, e.Key, e.At); l != nil {
		text += fmt.Sprintf(", although %s is entitled to %s until %s", owner, l.Resource, words.Instant(l.Until))
	}
	return text
}

func (t *teller) outage(e *sim.Event) *entry {
	made := t.event(e, nil)
	made.words = func() string { return made.opening + made.forgotten() }
	if e.Kind == sim.Crash {
		made.kind, made.opening = crashed, e.Node+" crashes"
		if e.Detail != "" {
			made.opening += " (" + e.Detail + ")"
		}
	} else {
		made.kind, made.opening = restart, e.Node+" is up again"
		switch e.Detail {
		case sim.Promoted:
			made.opening += ": its replica, which lacks the last writes, was promoted"
		case sim.PromotedAgain:
			made.opening = e.Node + " is the master again, with the memory of its replica, which lacks the last writes"
		}
	}
	made.opening += because(e.Fault)
	return made
}

// forgotten says which keys an outage lost or brought back.
func (e *entry) forgotten() string {
	if len(e.memory) == 0 {
		return ""
	}
	return ": " + strings.Join(e.memory, ", ")
}

// memory returns the words for a key that a restart lost or brought back.
func (t *teller) memory(e *sim.Event) string {
	if e.Kind == sim.Revive {
		whose := ""
		if c := t.d.changes[e.Seq]; c != nil && c.After.Owner != "" {
			whose = " of " + c.After.Owner
		}
		return fmt.Sprintf("an old key%s for %s is back", whose, e.Key)
	}
	text := fmt.Sprintf("it has forgotten %s's vote for %s", cmp.Or(t.d.loser(e), "somebody"), e.Key)
	if e.TTL > 0 {
		text += fmt.Sprintf(", which had %s left", words.Period(e.TTL))
	}
	return text
}

// because names the fault that caused something; "" for none.
func because(fault string) string {
	if fault == "" {
		return ""
	}
	return fmt.Sprintf(" (fault %q)", fault)
}

// keyOf names the key of a client: "A's key", or other words when nobody knows whose it is.
func keyOf(owner, unknown string) string {
	if owner == "" {
		return unknown
	}
	return owner + "'s key"
}

// nodeNames returns the names of nodes, or "all five nodes" for all of them.
func (r *Run) nodeNames(nodes []string) string {
	if len(nodes) == len(r.Nodes) && len(nodes) > 2 {
		return "all " + words.Cardinal(len(nodes)) + " nodes"
	}
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return slices.Index(r.Nodes, a) - slices.Index(r.Nodes, b)
	})
	return words.Listed(ordered)
}

// stepWords says how far a clock was stepped.
func stepWords(d time.Duration) string {
	if d < 0 {
		return "back by " + words.Period(-d)
	}
	return "forward by " + words.Period(d)
}

// rateWords names the rate error of a clock, in parts per million.
func rateWords(ppm int64) string {
	if ppm == 0 {
		return "right again"
	}
	return fmt.Sprintf("%+d ppm", ppm)
}
