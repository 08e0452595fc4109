package cause

import (
	"cmp"
	"slices"
	"strings"

	"redlocklab/checker"
)

// decided is a heal with those of its breaks that decide the finding.
func (f *finding) decided(h *Heal, breaks []Break) Heal {
	return Heal{Name: h.Name, Words: h.Words, Fault: h.Fault, Breaks: f.decisive(breaks)}
}

// decisive keeps one break of each assumption. It prefers a break that hit the lease or key of the
// finding; among several, the last one up to the finding, or else the first.
func (f *finding) decisive(breaks []Break) []Break {
	var kept []Break
	for _, b := range breaks {
		i := slices.IndexFunc(kept, func(k Break) bool { return k.Assumption == b.Assumption })
		switch {
		case i < 0:
			kept = append(kept, b)
		case f.hit(b) != f.hit(kept[i]):
			if f.hit(b) {
				kept[i] = b
			}
		case b.AtNS <= f.AtNS && (kept[i].AtNS > f.AtNS || b.AtNS > kept[i].AtNS):
			kept[i] = b
		}
	}
	return kept
}

// hit reports whether a break hit the lease or the key that the finding is about. The key of a
// counter contains the name of its resource.
func (f *finding) hit(b Break) bool {
	switch {
	case b.lease != "":
		return slices.Contains(f.first.Leases, b.lease)
	case b.Assumption == checker.AssumptionCounter:
		return strings.Contains(b.key, f.Resource)
	}
	return b.key == "" || f.Resource == "" || b.key == f.Resource
}

// needed looks for faults and settings that broke nothing that a finding is about, and without
// which it vanishes.
func (d *decision) needed() {
	for _, h := range unbroken(d.run) {
		var open []*finding
		for _, f := range d.findings {
			if !d.tried(f, h) {
				open = append(open, f)
			}
		}
		if len(open) == 0 {
			continue
		}
		t := d.play([]*Heal{h})
		for _, f := range open {
			if t.gone(f) {
				f.Needed = append(f.Needed, Cause{
					Heals:   []Heal{f.decided(h, d.breaksOf(h.Fault))},
					Without: consequence(d.run, t.run, f.first),
				})
			}
		}
	}
}

// tried reports whether a heal, or another of its fault, is in a cause of a finding, or the
// fault was removed to look for one.
func (d *decision) tried(f *finding, heal *Heal) bool {
	same := func(h Heal) bool { return h.Name == heal.Name || h.Fault != "" && h.Fault == heal.Fault }
	inCause := func(c Cause) bool { return slices.ContainsFunc(c.Heals, same) }
	removed := func(h *Heal) bool { return h.scope == removes && same(*h) && len(h.about(f.candidates)) > 0 }
	return slices.ContainsFunc(f.Causes, inCause) || slices.ContainsFunc(d.heals, removed)
}

// breaksOf lists what a fault broke, in the order of time.
func (d *decision) breaksOf(fault string) []Break {
	var list []Break
	for _, h := range d.heals {
		if fault != "" && h.Fault == fault {
			list = append(list, h.Breaks...)
		}
	}
	slices.SortStableFunc(list, func(a, b Break) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return list
}
