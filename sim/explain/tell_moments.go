package explain

import (
	"fmt"
	"strings"
	"time"

	"redlocklab/sim"
)

// moments makes an entry for each event that is a line by itself.
func (t *teller) moments() {
	outages := map[string]*outage{}
	for i := range t.d.moments {
		m := &t.d.moments[i]
		e := &m.event
		if e.Node != "" && (e.Kind == sim.Crash || e.Kind == sim.Restart || e.Kind == sim.Forget || e.Kind == sim.Revive) {
			t.nodeEnd(m, outages)
			continue
		}
		if e.Kind == sim.Done {
			continue // attach adds it to the last line of the process
		}
		made := t.add(&entry{at: e.At, order: e.Seq, events: []int{e.Seq}, process: e.Process, node: e.Node, mark: momentMark(e)})
		if e.Kind == sim.Expire {
			made.kind, made.names, made.group = runOut, []string{e.Node}, e.Key+" "+ownerOf(m)
			made.words = func() string { return t.expired(m, made.names) }
			continue
		}
		made.words = t.moment(m)
	}
}

func momentMark(e *sim.Event) Mark {
	switch e.Kind {
	case sim.Access:
		return MarkAccess
	case sim.Lapsed:
		return MarkHolds
	case sim.Crash, sim.ClockStep, sim.ClockRate, sim.Pause, sim.Resume, sim.Cut, sim.Heal, sim.Impair, sim.Recover, sim.NodeCall, sim.Delay:
		return MarkFault
	}
	return MarkNone
}

func ownerOf(m *moment) string {
	if m.change == nil {
		return ""
	}
	return m.change.Before.Owner
}

// moment returns the words for one event.
func (t *teller) moment(m *moment) func() string {
	e := &m.event
	fixed := func(words string) func() string {
		return func() string { return words + because(e.Fault) }
	}
	switch e.Kind {
	case sim.NodeCall:
		return fixed(t.operatorWords(m))
	case sim.Crash:
		return fixed(e.Process + " crashes and does not come back" + t.holding(e.Process, e.At))
	case sim.ClockStep:
		if e.Node != "" {
			return fixed(fmt.Sprintf("%s's clock jumps %s", e.Node, signed(e.Duration)))
		}
		return fixed(fmt.Sprintf("%s's %s clock jumps %s", e.Process, e.Detail, signed(e.Duration)))
	case sim.ClockRate:
		if e.Node != "" {
			return fixed(fmt.Sprintf("%s's clock now has a rate error of %s", e.Node, ppm(e.PPM)))
		}
		return fixed(fmt.Sprintf("%s's %s clock now has a rate error of %s", e.Process, e.Detail, ppm(e.PPM)))
	case sim.Pause:
		return fixed(e.Process + " is paused: it does nothing, but time goes on" + t.holding(e.Process, e.At))
	case sim.Resume:
		return func() string { return t.resumed(e) + because(e.Fault) }
	case sim.Cut:
		return func() string { return t.cutWords(e, "begins") }
	case sim.Heal:
		return func() string { return t.cutWords(e, "ends") }
	case sim.Impair:
		return fixed(fmt.Sprintf("%s%s is %s from now on", e.Node, e.Process, e.Detail))
	case sim.Recover:
		return fixed(fmt.Sprintf("%s%s is no longer %s", e.Node, e.Process, e.Detail))
	case sim.Delay:
		return fixed(fmt.Sprintf("a message between %s and %s is delayed by %s", e.Process, e.Node, period(e.Duration)))
	case sim.Lapsed:
		return fixed(fmt.Sprintf("%s notices that its lease %s on %s is over", e.Process, e.Lease, e.Resource))
	case sim.Access:
		return func() string { return t.access(e) }
	}
	return fixed(strings.TrimSpace(fmt.Sprintf("%s %s%s %s", e.Kind, e.Process, e.Node, e.Detail)))
}

func because(fault string) string {
	if fault == "" {
		return ""
	}
	return fmt.Sprintf(" (fault %q)", fault)
}

// holding says which lock a client holds at an instant; "" when it holds none.
func (t *teller) holding(client string, at time.Duration) string {
	for i := range t.run.Leases {
		if l := &t.run.Leases[i]; l.Client == client && l.From <= at && at < l.Until {
			return fmt.Sprintf("; it holds %s until %s", l.Resource, instant(l.Until))
		}
	}
	return ""
}

func (t *teller) resumed(e *sim.Event) string {
	words := e.Process + " continues"
	for _, s := range t.d.pauses {
		if s.name != e.Process || s.until != e.At || s.open {
			continue
		}
		words += " after " + period(e.At-s.from)
		for i := range t.run.Leases {
			if l := &t.run.Leases[i]; l.Client == e.Process && !l.Released && l.From <= s.from && s.from < l.Until && l.Until <= e.At {
				words += fmt.Sprintf("; its lease %s ended %s ago, during the pause", l.ID, period(e.At-l.Until))
			}
		}
	}
	return words
}

func (t *teller) cutWords(e *sim.Event, verb string) string {
	words := fmt.Sprintf("fault %q %s", e.Fault, verb)
	f := t.run.fault(e.Fault)
	switch {
	case verb == "begins" && f != nil && f.Words != "":
		return words + ": " + f.Words
	case verb == "begins" && e.Detail != "":
		return words + ": " + e.Detail
	case e.Detail != "" && f == nil:
		return words + " (" + e.Detail + ")"
	}
	return words
}

func (t *teller) operatorWords(m *moment) string {
	e := &m.event
	switch e.Command {
	case sim.Removal:
		whose := "the key"
		if owner := ownerOf(m); owner != "" {
			whose = owner + "'s key"
		}
		left := period(e.TTL) + " left"
		if e.TTL < 0 {
			left = "no TTL"
		}
		return fmt.Sprintf("%s thereby loses %s for %s, which had %s", e.Node, whose, e.Key, left)
	case sim.Eviction:
		return e.Node + " is short of memory and evicts keys"
	}
	command := strings.TrimSpace(e.Command + " " + e.Key)
	if command == "" {
		command = e.Detail
	}
	return fmt.Sprintf("an operator runs %s on %s", command, e.Node)
}

// access says which access arrived, and whether its lease had ended.
func (t *teller) access(e *sim.Event) string {
	words := e.Process + "'s access"
	if e.Detail != "" {
		words += " (" + e.Detail + ")"
	}
	words += " arrives at resource " + e.Resource
	if l := t.run.lease(e.Lease); l != nil && e.At >= l.Until {
		words += fmt.Sprintf("; the lease %s behind it ended %s before", l.ID, period(e.At-l.Until))
	} else if l != nil {
		words += ", under lease " + l.ID
	}
	for i := range t.run.Leases {
		l := &t.run.Leases[i]
		if l.Client != e.Process && l.Resource == e.Resource && l.From <= e.At && e.At < l.Until {
			words += fmt.Sprintf(", while %s holds %s", l.Client, l.Resource)
		}
	}
	return words + because(e.Fault)
}

// expired says that keys of one owner have expired on some nodes.
func (t *teller) expired(m *moment, nodes []string) string {
	e := &m.event
	owner := ownerOf(m)
	if owner == "" {
		return fmt.Sprintf("the key for %s expires on %s", e.Key, t.run.nodeNames(nodes))
	}
	words := fmt.Sprintf("%s's key for %s expires on %s", owner, e.Key, t.run.nodeNames(nodes))
	for i := range t.run.Leases {
		l := &t.run.Leases[i]
		if l.Client == owner && l.Resource == e.Key && l.From <= e.At && e.At < l.Until {
			words += fmt.Sprintf(", although %s is entitled to %s until %s", owner, l.Resource, instant(l.Until))
			break
		}
	}
	return words
}

// outage is a crash or a restart of a node, with the keys that it lost or got back.
type outage struct {
	entry   *entry
	opening string
	memory  []string // words for each of these keys
}

func (o *outage) words() string { return o.opening + o.forgotten() }

func (o *outage) forgotten() string {
	if len(o.memory) == 0 {
		return ""
	}
	return ": " + strings.Join(o.memory, ", ")
}

// nodeEnd makes the entry of a crash or restart of a node, and adds what happened to
// keys to the latest one.
func (t *teller) nodeEnd(m *moment, outages map[string]*outage) {
	e := &m.event
	if e.Kind == sim.Forget || e.Kind == sim.Revive {
		latest := outages[e.Node]
		if latest == nil {
			t.add(&entry{at: e.At, order: e.Seq, events: []int{e.Seq}, node: e.Node, mark: MarkFault,
				words: func() string { return "on " + e.Node + ", " + memory(m) + because(e.Fault) }})
			return
		}
		latest.memory = append(latest.memory, memory(m))
		latest.entry.events = append(latest.entry.events, e.Seq)
		return
	}
	o := &outage{opening: e.Node + " crashes"}
	if e.Detail != "" {
		o.opening += " (" + e.Detail + ")"
	}
	kind := crashed
	if e.Kind == sim.Restart {
		o.opening, kind = e.Node+" is up again", restart
		if e.Detail == sim.Promoted {
			o.opening = e.Node + " is up again: its replica, which lacks the last writes, was promoted"
		}
	}
	o.opening += because(e.Fault)
	o.entry = t.add(&entry{at: e.At, order: e.Seq, events: []int{e.Seq}, node: e.Node, mark: MarkFault, kind: kind, outage: o, words: o.words})
	outages[e.Node] = o
}

// memory returns the words for a key that a restart lost or brought back.
func memory(m *moment) string {
	e := &m.event
	if e.Kind == sim.Revive {
		if m.change != nil && m.change.After.Owner != "" {
			return fmt.Sprintf("an old key of %s for %s is back", m.change.After.Owner, e.Key)
		}
		return "an old key for " + e.Key + " is back"
	}
	owner := ownerOf(m)
	if owner == "" {
		owner = "somebody"
	}
	words := fmt.Sprintf("it has forgotten %s's vote for %s", owner, e.Key)
	if e.TTL > 0 {
		words += fmt.Sprintf(", which had %s left", period(e.TTL))
	}
	return words
}
