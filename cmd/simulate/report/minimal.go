package report

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

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

// Pictured are the minimal plans of the findings in the track record, by the files of
// their pictures.
func (in *Input) Pictured() iter.Seq2[string, *plan.Plan] {
	return func(yield func(string, *plan.Plan) bool) {
		for _, s := range plan.Systems() {
			for _, f := range in.diagnosed(s) {
				shown := f.shown()
				if m := in.Minimal[shown.File()]; m != nil && !yield(shown.Picture(), m.Plan) {
					return
				}
			}
		}
	}
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
