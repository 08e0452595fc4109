package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain/grammar"
	"redlocklab/sim/explain/times"
)

// access is one access to one register of the protected resource.
type access struct {
	event    *sim.Event
	register string // the name of its lane
	kind     string // of the register, such as "fenced"; "" when the resource has only one
	action   string // "read" or "write"
	accepted bool
	stale    bool   // it arrived when its lease was over
	value    string // what a write wrote
}

// newAccess reads the detail of an access: "accepted write of the fenced register".
func (d *digest) newAccess(e *sim.Event) access {
	a := access{event: e, accepted: true, register: "resource " + e.Resource, value: d.run.Values[e.Seq]}
	words := strings.Fields(e.Detail)
	if len(words) > 0 && (words[0] == "accepted" || words[0] == "refused") {
		a.accepted = words[0] == "accepted"
		words = words[1:]
	}
	if len(words) > 0 {
		a.action = words[0]
	}
	if len(words) == 5 && words[4] == "register" {
		a.kind = strings.ReplaceAll(words[3], "_", " ")
		a.register = e.Resource + ": " + a.kind
	}
	if l := d.run.lease(e.Lease); l != nil {
		a.stale = e.At >= l.Until
	}
	return a
}

// enter adds an access to the digest, and names what a client writes unless the run does.
func (d *digest) enter(e *sim.Event) {
	a := d.newAccess(e)
	d.registers, d.resourceOf[a.register] = appendNew(d.registers, a.register), e.Resource
	if a.action != "read" && a.value == "" {
		writes := d.writes[e.Process]
		if len(writes) == 0 || writes[len(writes)-1] != e.At {
			writes = append(writes, e.At)
			d.writes[e.Process] = writes
		}
		a.value = fmt.Sprintf("write %d", len(writes))
	}
	d.accesses = append(d.accesses, a)
}

// together returns the accesses with which a client reached all registers of a resource
// at one instant, if this is the first of them; none when it is a later one.
func (d *digest) together(e *sim.Event) []access {
	first := slices.IndexFunc(d.accesses, func(a access) bool {
		return a.event.At == e.At && a.event.Process == e.Process && a.event.Resource == e.Resource && a.event.Lease == e.Lease
	})
	if first < 0 || d.accesses[first].event != e {
		return nil
	}
	last := first
	for last+1 < len(d.accesses) && d.accesses[last+1].follows(&d.accesses[first]) {
		last++
	}
	return d.accesses[first : last+1]
}

func (a *access) follows(first *access) bool {
	e, f := a.event, first.event
	return e.At == f.At && e.Process == f.Process && e.Resource == f.Resource && e.Lease == f.Lease && a.action == first.action
}

// accessed says what some accesses at one instant did, and whether their lease had ended.
func (t *teller) accessed(all []access) string {
	a, e := &all[0], all[0].event
	words := e.Process + "'s " + a.action
	if a.action != "read" && a.value != "" && !strings.HasPrefix(a.value, a.action) {
		words += " of " + a.value
	}
	words += " arrives at resource " + e.Resource
	switch l := t.run.lease(e.Lease); {
	case l != nil && a.stale:
		words += fmt.Sprintf(", %s after its lease %s ended", times.Period(e.At-l.Until), l.ID)
	case l != nil:
		words += ", under lease " + l.ID
	}
	for _, l := range t.run.Leases {
		if l.Client != e.Process && l.Resource == e.Resource && l.From <= e.At && e.At < l.Until {
			words += fmt.Sprintf(", while %s holds %s", l.Client, l.Resource)
		}
	}
	return words + outcomes(all)
}

// outcomes says which registers accepted and which refused; "" for a lone register that
// accepts.
func outcomes(all []access) string {
	var accepted, refused []string
	for _, a := range all {
		kind := "the resource"
		if a.kind != "" {
			kind = "the " + a.kind + " register"
		}
		if a.accepted {
			accepted = append(accepted, kind)
		} else {
			refused = append(refused, kind)
		}
	}
	switch {
	case len(refused) == 0 && len(all) > 1:
		return ": all registers accept it"
	case len(refused) == 0:
		return ""
	case len(accepted) == 0:
		return ": " + grammar.List(refused) + grammar.Plural(len(refused), " refuses it", " refuse it")
	}
	return fmt.Sprintf(": %s %s it, %s %s it", grammar.List(accepted), grammar.Plural(len(accepted), "accepts", "accept"), grammar.List(refused), grammar.Plural(len(refused), "refuses", "refuse"))
}

// writtenAt are the instants at which clients wrote.
type writtenAt map[string][]time.Duration
