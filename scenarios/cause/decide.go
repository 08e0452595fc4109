package cause

import (
	"math/bits"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Play plays a plan. An error means that no run came about.
type Play func(*plan.Plan) (*play.Result, error)

// Options say how much is asked. They change no cause that is found.
type Options struct {
	// Needed also asks for the faults and settings that broke nothing. It takes a replay
	// for each.
	Needed bool
}

// mostReplays bounds the replays of one run that look for sets of several heals. Beyond
// it, one smallest set is found by removing one heal after the other.
const mostReplays = 40

// mostHeals is how many heals one run is decided by; further ones are ignored. A run
// has one for each fault that broke something.
const mostHeals = 60

// Decide finds the causes of a run's findings.
func Decide(run *play.Result, replay Play, options Options) *Answer {
	d := &decision{
		run: run, replay: replay, heals: Heals(run), known: map[string]*trial{},
		answer: &Answer{Version: Version, PlanHash: run.PlanHash, TraceHash: run.TraceHash},
	}
	for _, f := range summed(run) {
		for i, h := range d.numbered() {
			if len(h.about(f.candidates)) > 0 {
				f.relevant |= 1 << i
			}
		}
		f.done = f.relevant == 0
		d.findings = append(d.findings, f)
	}
	d.decide()
	if options.Needed {
		d.needed()
	}
	for _, f := range d.findings {
		d.answer.Findings = append(d.answer.Findings, f.Finding)
	}
	return d.answer
}

// finding is all that an oracle found about one resource or goal, and how far it is decided.
type finding struct {
	Finding
	first      *checker.Finding
	candidates []string // assumptions that can explain any of it
	relevant   uint64   // heals that can explain it, a bit each
	causes     []uint64 // found
	done       bool
}

// summed sums up what the oracles found, in the order of the oracles and of time. It ignores
// the sort of findings: one bug shows as one sort here and as another there.
func summed(run *play.Result) []*finding {
	var list []*finding
	for _, result := range unabridged(run).Results() {
		for i := range result.Findings {
			found := &result.Findings[i]
			f := about(list, result.Oracle, found)
			if f == nil {
				f = &finding{Finding: Finding{
					Oracle: result.Oracle, Sort: found.Sort, Resource: found.Resource, Goal: found.Goal,
					AtNS: found.AtNS, Text: found.Text, Ledger: found.ExplainedBy,
				}, first: found}
				list = append(list, f)
			}
			f.candidates = union(f.candidates, found.Candidates())
			if len(found.ExplainedBy) == 0 {
				f.Ledger = nil
			}
		}
	}
	return list
}

// about returns the one of the findings that stands for what an oracle found; nil: none does.
func about(list []*finding, oracle checker.Oracle, found *checker.Finding) *finding {
	for _, f := range list {
		if f.is(oracle, found) {
			return f
		}
	}
	return nil
}

// unabridged is the verdict on a run with all findings and breaks. Those that a verdict does not
// list can be about other resources, clients and nodes.
func unabridged(run *play.Result) *checker.Verdict {
	unlisted, most := 0, 0
	count := func(n, found int) { unlisted, most = max(unlisted, found-n), max(most, found) }
	for _, result := range run.Verdict.Results() {
		count(len(result.Findings), result.Found)
	}
	for _, a := range run.Verdict.Ledger {
		count(len(a.Breaks), a.Found)
	}
	if unlisted == 0 {
		return &run.Verdict
	}
	all := checker.Judge(run.History, checker.Options{Evidence: most})
	return &all
}

// decision is the state of deciding one run.
type decision struct {
	run      *play.Result
	replay   Play
	heals    []*Heal
	findings []*finding
	known    map[string]*trial // by the names of the heals
	answer   *Answer
}

// numbered lists the heals that have a bit in a set.
func (d *decision) numbered() []*Heal { return d.heals[:min(len(d.heals), mostHeals)] }

// chosen lists the heals in a set.
func (d *decision) chosen(set uint64) []*Heal {
	var chosen []*Heal
	for i, h := range d.numbered() {
		if set&(1<<i) != 0 {
			chosen = append(chosen, h)
		}
	}
	return chosen
}

// decide looks for the causes of all findings, smallest sets first. Findings share replays.
func (d *decision) decide() {
	if slices.ContainsFunc(d.findings, func(f *finding) bool { return bits.OnesCount64(f.relevant) > 2 }) {
		d.tryAll() // this shows whose bug it is, before many replays ask which break it was
	}
	for size := 1; slices.ContainsFunc(d.findings, func(f *finding) bool { return !f.done }); size++ {
		for _, f := range d.findings {
			if !f.done {
				d.ofSize(f, size)
			}
		}
		if size == 1 {
			d.tryAll()
		}
	}
	for _, f := range d.findings {
		for _, set := range f.causes {
			chosen := d.chosen(set)
			c := Cause{Without: consequence(d.run, d.play(chosen).run, f.first)}
			for _, h := range chosen {
				c.Heals = append(c.Heals, f.decided(h, h.about(f.candidates)))
			}
			f.Causes = append(f.Causes, c)
		}
	}
}

// tryAll ends the search for findings that stay although every assumption is kept.
func (d *decision) tryAll() {
	for _, f := range d.findings {
		for !f.done {
			t := d.play(d.chosen(f.relevant))
			if t.gone(f) {
				break
			}
			f.Undecided = t.failed
			if f.done = t.failed != "" || !d.addHidden(f, t.run); f.done {
				if left := t.left(f); left != nil {
					f.Stays = left.Text
				}
			}
		}
	}
}

// addHidden adds the heals of breaks that happen only in a replay, where other events happen
// during a fault than in the run. It reports whether there are any.
func (d *decision) addHidden(f *finding, replay *play.Result) bool {
	added := false
	for _, h := range Heals(replay) {
		i := slices.IndexFunc(d.heals, func(other *Heal) bool { return other.Name == h.Name })
		known := i >= 0 && f.relevant&(1<<i) != 0
		switch {
		case len(h.about(f.candidates)) == 0 || known || i < 0 && len(d.heals) >= mostHeals:
			continue
		case i < 0:
			for j := range h.Breaks {
				h.Breaks[j].Event = 0
				h.Breaks[j].Reason += ", where the others are healed"
			}
			i, d.heals = len(d.heals), append(d.heals, h)
		}
		f.relevant |= 1 << i
		added = true
	}
	return added
}

// ofSize tries the sets of so many heals. A finding is done with the first size that
// has a cause.
func (d *decision) ofSize(f *finding, size int) {
	if size > 1 && size >= bits.OnesCount64(f.relevant) { // tryAll has played it
		f.causes, f.done = append(f.causes, f.relevant), true
		return
	}
	sets := subsets(f.relevant, size)
	if size > 1 && d.answer.Replays+len(sets) > mostReplays {
		f.causes, f.done = []uint64{d.reduce(f)}, true
		return
	}
	for _, set := range sets {
		if !d.contains(set, f.causes) && d.play(d.chosen(set)).gone(f) {
			f.causes = append(f.causes, set)
		}
	}
	f.done = len(f.causes) > 0
}

// contains reports whether a set takes away all that one of the causes does.
func (d *decision) contains(set uint64, causes []uint64) bool {
	all := set
	for i, h := range d.numbered() {
		for j, part := range d.heals[:i] { // a heal stands behind those that it covers
			if set&(1<<i) != 0 && h.covers(part) {
				all |= 1 << j
			}
		}
	}
	return slices.ContainsFunc(causes, func(c uint64) bool { return c&^all == 0 })
}

// subsets lists the subsets of a size, those of the first heals first. It stops after mostReplays.
func subsets(of uint64, size int) []uint64 {
	if size == 0 {
		return []uint64{0}
	}
	var list []uint64
	for i := range bits.Len64(of) {
		if of&(1<<i) == 0 {
			continue
		}
		for _, rest := range subsets(of&^(1<<(i+1)-1), size-1) {
			list = append(list, 1<<i|rest)
			if len(list) > mostReplays {
				return list
			}
		}
	}
	return list
}

// reduce removes each heal that the finding does not need.
func (d *decision) reduce(f *finding) uint64 {
	set := f.relevant
	for i := range bits.Len64(set) {
		if smaller := set &^ (1 << i); smaller != set && d.play(d.chosen(smaller)).gone(f) {
			set = smaller
		}
	}
	return set
}

// trial is a replay with some heals.
type trial struct {
	run      *play.Result
	findings []*finding
	failed   string // why it proves nothing
}

// play plays the run with some heals, once for each set.
func (d *decision) play(chosen []*Heal) *trial {
	var names []string
	for _, h := range chosen {
		names = append(names, h.Name)
	}
	slices.Sort(names)
	key := strings.Join(names, "\n")
	if known := d.known[key]; known != nil {
		return known
	}
	t := &trial{}
	d.known[key] = t
	d.answer.Replays++
	run, err := d.replay(without(d.run, chosen))
	switch {
	case err != nil:
		t.failed = "the replay failed: " + err.Error()
	case run.Outcome != string(sim.Finished):
		t.failed = "the replay ended at its bound: " + run.Outcome
	case len(run.Verdict.Problems) > 0:
		t.failed = "the history of the replay contradicts itself"
	default:
		t.run, t.findings = run, summed(run)
	}
	return t
}

// gone reports whether a finding is not in the replay. An inconclusive oracle proves nothing,
// but a goal can be missed only if its time begins. A goal that operations must fail exists
// because of a break: without the break, they may succeed.
func (t *trial) gone(f *finding) bool {
	switch {
	case t.failed != "":
		return false
	case f.Goal != "":
		goal := t.run.History.Goal(f.Goal)
		return goal != nil && goal.Form == checker.GoalEachFails || t.left(f) == nil
	}
	return t.left(f) == nil && !slices.Contains(t.run.Verdict.Answers().Inconclusive(), f.Oracle)
}

// left finds what is left of a finding in the replay; nil when nothing is.
func (t *trial) left(f *finding) *finding { return about(t.findings, f.Oracle, f.first) }
