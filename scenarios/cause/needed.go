package cause

import (
	"cmp"
	"slices"
	"strings"

	"redlocklab/checker"
)

// cause words one cause.
func (d *decision) cause(f *finding, set uint64) Cause {
	var chosen []*Heal
	for i, h := range d.heals {
		if i < mostHeals && set&(1<<i) != 0 {
			chosen = append(chosen, h)
		}
	}
	return d.worded(f, chosen)
}

func (d *decision) worded(f *finding, chosen []*Heal) Cause {
	c := Cause{Without: consequence(d.run, d.play(chosen).run, f.first)}
	for _, h := range chosen {
		c.Heals = append(c.Heals, Healed{Name: h.Name, Words: h.Words, Fault: h.Fault, Breaks: f.decisive(h.about(f.candidates))})
	}
	return c
}

// decisive keeps one break of each assumption: one that hit what the finding is about, rather
// than another; of these the last one up to the finding, or else the first.
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

// needed looks for what broke nothing that a finding is about, and without which it vanishes.
func (d *decision) needed() {
	for _, h := range unbroken(d.run) {
		var open []*finding
		for _, f := range d.findings {
			relevant := slices.ContainsFunc(f.Causes, func(c Cause) bool {
				return slices.ContainsFunc(c.Heals, func(x Healed) bool { return x.Fault != "" && x.Fault == h.Fault })
			})
			if !relevant && !d.broke(f, h.Fault) {
				open = append(open, f)
			}
		}
		if len(open) == 0 {
			continue
		}
		o := d.play([]*Heal{h})
		for _, f := range open {
			if o.gone(f) {
				f.Needed = append(f.Needed, Cause{
					Heals:   []Healed{{Name: h.Name, Words: h.Words, Fault: h.Fault, Breaks: f.decisive(d.other(h.Fault))}},
					Without: consequence(d.run, o.run, f.first),
				})
			}
		}
	}
}

// broke reports whether a whole fault was tried for a finding already.
func (d *decision) broke(f *finding, fault string) bool {
	return slices.ContainsFunc(d.heals, func(h *Heal) bool {
		return h.whole && h.Fault == fault && fault != "" && len(h.about(f.candidates)) > 0
	})
}

// other lists what a fault broke that is not about a finding.
func (d *decision) other(fault string) []Break {
	var list []Break
	for _, h := range d.heals {
		if fault != "" && h.Fault == fault {
			list = append(list, h.Breaks...)
		}
	}
	slices.SortStableFunc(list, func(a, b Break) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return list
}
