package explain

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/words"
)

// access is one access to one register of the protected resource.
type access struct {
	event    *sim.Event
	register string // the name of its lane
	kind     string // of the register, such as "fenced"; "" when the resource has only one
	action   string // "read" or "write"
	accepted bool
	stale    bool   // it arrived when its lease was over
	value    string // of a write
}

// wrote reports whether the access changed its register.
func (a *access) wrote() bool { return a.accepted && a.action != "read" }

// newAccess reads the detail of an access: "accepted write of the fenced register".
func (d *digest) newAccess(e *sim.Event) access {
	a := access{event: e, accepted: true, register: "resource " + e.Resource, value: d.run.Values[e.Seq]}
	fields := strings.Fields(e.Detail)
	if len(fields) > 0 && (fields[0] == "accepted" || fields[0] == "refused") {
		a.accepted = fields[0] == "accepted"
		fields = fields[1:]
	}
	if len(fields) > 0 {
		a.action = fields[0]
	}
	if len(fields) == 5 && fields[4] == "register" {
		a.kind = strings.ReplaceAll(fields[3], "_", " ")
		a.register = e.Resource + ": " + a.kind
	}
	if l := d.run.lease(e.Lease); l != nil {
		a.stale = e.At >= l.Until
	}
	return a
}

// enter adds an access to the digest, and names the written value unless the run does.
func (d *digest) enter(e *sim.Event) {
	a := d.newAccess(e)
	d.registers = appendNew(d.registers, a.register)
	if a.action != "read" && a.value == "" {
		if !slices.Contains(d.writes[e.Process], e.At) {
			d.writes[e.Process] = append(d.writes[e.Process], e.At)
		}
		a.value = fmt.Sprintf("write %d", len(d.writes[e.Process]))
	}
	d.accesses = append(d.accesses, a)
}

// together returns the accesses with which a client reached all registers of a resource
// at one instant, if this is the first of them; none when it is a later one.
func (d *digest) together(e *sim.Event) []access {
	same := func(a access) bool {
		o := a.event
		return o.At == e.At && o.Process == e.Process && o.Resource == e.Resource && o.Lease == e.Lease
	}
	first := slices.IndexFunc(d.accesses, same)
	if first < 0 || d.accesses[first].event != e {
		return nil
	}
	all := d.accesses[first:]
	if end := slices.IndexFunc(all, func(a access) bool { return !same(a) || a.action != all[0].action }); end > 0 {
		return all[:end]
	}
	return all
}

// accessed says what some accesses at one instant did, and whether their lease had ended.
func (t *teller) accessed(all []access) string {
	a, e := &all[0], all[0].event
	text := e.Process + "'s " + a.action
	if a.action != "read" && a.value != "" && !strings.HasPrefix(a.value, a.action) {
		text += " of " + a.value
	}
	text += " arrives at resource " + e.Resource
	switch l := t.run.lease(e.Lease); {
	case l != nil && a.stale:
		text += fmt.Sprintf(", %s after its lease %s ended", words.Period(e.At-l.Until), l.ID)
	case l != nil:
		text += ", under lease " + l.ID
	}
	for _, l := range t.run.Leases {
		if l.Client != e.Process && l.Resource == e.Resource && l.From <= e.At && e.At < l.Until {
			text += fmt.Sprintf(", while %s holds %s", l.Client, l.Resource)
		}
	}
	return text + outcomes(all)
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
		return ": " + words.Listed(refused) + words.Plural(len(refused), " refuses it", " refuse it")
	}
	return fmt.Sprintf(": %s %s it, %s %s it",
		words.Listed(accepted), words.Plural(len(accepted), "accepts", "accept"),
		words.Listed(refused), words.Plural(len(refused), "refuses", "refuse"))
}
