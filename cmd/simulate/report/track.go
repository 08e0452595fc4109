package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// finding is one line of the track record.
type finding struct {
	text      string
	diagnosis *Diagnosis // nil where an assumption was broken
	cells     []*Cell    // that show it
	tally     *tally
	at        *witness // the run that is shown
}

// trackRecord is the table of what was found: every mistake of a system, with the picture of a
// minimal plan and the command that plays it.
func (in *Input) trackRecord() string {
	var rows [][]string
	for _, s := range plan.Systems() {
		for i, f := range in.diagnosed(s) {
			name := ""
			if i == 0 {
				name = "**" + plan.KnownAs(s.Name) + "**"
			}
			shown := f.shown()
			rows = append(rows, []string{
				name, f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "),
				fmt.Sprintf("[picture](%s) %s", shown.Picture(), in.minimalCells(&f)[1]),
			})
		}
	}
	return table([]string{"system", "finding", "whose", "claims", "see it"}, rows)
}

// minimalHeads are the last columns of a table of findings.
var minimalHeads = []string{"first seen in", "minimal plan: faults, clients, steps", "again"}

// findings tells every finding with its reason and its minimal plan, by systems.
func (in *Input) findings() string {
	d := &document{}
	for _, s := range plan.Systems() {
		if found := in.diagnosed(s); len(found) > 0 {
			d.line("\n### %s, %s\n\n%s", s.Name, s.Doc, tableOf(found, func(f finding) []string {
				return append([]string{
					f.text, string(f.diagnosis.Cause), strings.Join(claimsOf(f.cells), ", "), checker.Join(f.tally.bugs),
					strings.Join(strings.Fields(f.diagnosis.Why), " "), f.at.seen(),
				}, in.minimalCells(&f)...)
			}, append([]string{"finding", "whose", "claims", "oracles", "why"}, minimalHeads...)...))
		}
	}
	return d.String()
}

// promises is the table of what package redlock loses with an assumption broken.
func (in *Input) promises() string {
	return tableOf(in.promiseEnds(), func(f finding) []string {
		return append([]string{
			f.text, f.at.cell.Subject, strings.Join(f.tally.broken, ", "), checker.Join(f.tally.oracles), f.at.seen(),
		}, in.minimalCells(&f)...)
	}, append([]string{"finding", "system", "broken", "oracles"}, minimalHeads...)...)
}

// diagnosed are the findings about one system.
func (in *Input) diagnosed(s plan.SubjectDeclaration) []finding {
	var list []finding
	for i := range in.Diagnoses {
		d := &in.Diagnoses[i]
		if name, _, _ := strings.Cut(d.System, " "); name != s.Name {
			continue
		}
		cells := in.choose(func(c *Cell) bool { return in.unexplained(c) && d.about(c) })
		if len(cells) > 0 {
			t := in.tally(cells...)
			list = append(list, finding{strings.TrimSuffix(strings.TrimSpace(d.Finding), "."), d, cells, t, t.bareRun()})
		}
	}
	return list
}

// promiseEnds are the cells in which package redlock loses with an assumption broken.
func (in *Input) promiseEnds() []finding {
	var list []finding
	for _, claim := range plan.Claims() {
		for _, c := range in.chosen(claim.ID, "SY-10") {
			if t := in.tally(c); t.firstBroken != nil {
				list = append(list, finding{in.scenario(c.Scenario).Title, nil, []*Cell{c}, t, t.firstBroken})
			}
		}
	}
	return list
}

// claimsOf names the claims that cells are about.
func claimsOf(cells []*Cell) []string {
	var list []string
	for _, claim := range plan.Claims() {
		if slices.ContainsFunc(cells, func(c *Cell) bool { return c.Claim == claim.ID }) {
			list = append(list, claim.ID)
		}
	}
	return list
}

// seen says where a run is.
func (p *witness) seen() string {
	return fmt.Sprintf("[%s](scenarios/suite/%s.yaml), seed %d", p.cell.Scenario, p.cell.Scenario, p.seed)
}

// seedAndCommand is how to see a run.
func (p *witness) seedAndCommand() string { return fmt.Sprintf("%d: %s", p.seed, code(p.command())) }

// Shown is a run in the track record, and the violation that it shows.
type Shown struct {
	Scenario, Subject string // the subject is the row's title
	Seed              uint64
	Target            search.Target
	chosen            bool // the target's oracle is the one of a diagnosis
}

// File is the name of the minimal plan's file: SY-10-unguarded-BA-2-A-VOTE.json. It has
// the broken assumptions, and the oracle where a diagnosis names one.
func (s *Shown) File() string {
	words := append([]string{s.Subject, s.Scenario}, s.Target.Broken...)
	if s.chosen {
		words = append(words, string(s.Target.Oracle))
	}
	return strings.ReplaceAll(strings.Join(words, "-"), " ", "-") + ".json"
}

// Picture is the file of the minimal run's picture.
func (s *Shown) Picture() string {
	return PicturesFolder + "/" + strings.TrimSuffix(s.File(), ".json") + ".svg"
}

// shown is the run that shows a finding.
func (f *finding) shown() Shown {
	lost := campaign.Counted(f.at.ending.Answers, f.at.cell.Claim)
	violated := about(lost, f.at.cell.Claim).Violated()
	if f.diagnosis != nil {
		violated = lost.Bugs()
	}
	target, _ := search.Worst(violated, f.at.ending.Broken)
	chosen := f.diagnosis != nil && slices.Contains(violated, f.diagnosis.Oracle)
	if chosen {
		target.Oracle = f.diagnosis.Oracle
	}
	return Shown{f.at.cell.Scenario, f.at.cell.Subject, f.at.seed, target, chosen}
}

// Shown lists the runs in the track record, each once.
func (in *Input) Shown() []Shown {
	var list []Shown
	add := func(findings []finding) {
		for i := range findings {
			shown := findings[i].shown()
			if !slices.ContainsFunc(list, func(s Shown) bool { return s.File() == shown.File() }) {
				list = append(list, shown)
			}
		}
	}
	for _, s := range plan.Systems() {
		add(in.diagnosed(s))
	}
	add(in.promiseEnds())
	return list
}

// Pictured are the runs of findings in the track record that have a minimal plan, which is drawn.
func (in *Input) Pictured() (list []Shown) {
	for _, s := range plan.Systems() {
		for _, f := range in.diagnosed(s) {
			if shown := f.shown(); in.Minimal[shown.File()] != nil {
				list = append(list, shown)
			}
		}
	}
	return list
}

// LoadMinimal reads all minimal plans of a folder, by the names of their files. A
// missing folder has none.
func LoadMinimal(folder string) (map[string]*search.Minimal, error) {
	plans := map[string]*search.Minimal{}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if plans[entry.Name()], err = search.LoadMinimal(filepath.Join(folder, entry.Name())); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// Gap is what is wrong with the minimal plan of a run that is shown; empty when nothing is.
func (in *Input) Gap(s *Shown) string {
	m := in.Minimal[s.File()]
	switch {
	case m == nil:
		return s.File() + ": no minimal plan"
	case m.Plan.Scenario != s.Scenario || m.Plan.Subject.Title() != s.Subject || m.Plan.Seed != s.Seed,
		m.Certificate.Oracle != s.Target.Oracle || !slices.Equal(m.Certificate.Broken, s.Target.Broken):
		return fmt.Sprintf("%s: it was made of %s %s seed %d for %s; the track record shows seed %d for %s",
			s.File(), m.Plan.Scenario, m.Plan.Subject.Title(), m.Plan.Seed, m.Certificate.Oracle, s.Seed,
			s.Target.Oracle)
	}
	return ""
}

// MinimalGaps lists the runs that are shown without a minimal plan of theirs, and the
// minimal plans of what is not shown.
func (in *Input) MinimalGaps() []string {
	var list []string
	for _, s := range in.Shown() {
		if gap := in.Gap(&s); gap != "" {
			list = append(list, gap)
		}
	}
	for _, name := range in.Needless() {
		list = append(list, name+": a minimal plan of what the track record does not show")
	}
	return list
}

// Needless names the files of minimal plans that belong to nothing that is shown, in order.
func (in *Input) Needless() []string {
	shown := in.Shown()
	var list []string
	for name := range in.Minimal {
		if !slices.ContainsFunc(shown, func(s Shown) bool { return s.File() == name }) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// minimalCells are the cells of a table about a finding's minimal plan: its size,
// and the command that plays it.
func (in *Input) minimalCells(f *finding) []string {
	shown := f.shown()
	m := in.Minimal[shown.File()]
	if m == nil {
		return []string{"missing", ""}
	}
	faults, clients, steps := search.Size(m.Plan)
	path := MinimalFolder + "/" + shown.File()
	return []string{fmt.Sprintf("[%d, %d, %d](%s)", faults, clients, steps, path), code("./simulate replay " + path)}
}
