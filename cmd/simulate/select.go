package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// selectScenarios finds what the arguments name: scenarios and claims of the
// built-in suite, files, folders. None is the whole suite.
func selectScenarios(arguments []string) ([]*plan.Scenario, error) {
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, &exitError{exitBug, err}
	}
	if len(arguments) == 0 {
		return suite, nil
	}
	var chosen []*plan.Scenario
	var paths []string
	for _, argument := range arguments {
		found := false
		for _, s := range suite {
			if s.Name != argument && s.Claim != argument {
				continue
			}
			found = true
			if !slices.Contains(chosen, s) {
				chosen = append(chosen, s)
			}
		}
		if found {
			continue
		}
		looksLikePath := strings.ContainsRune(argument, filepath.Separator) || filepath.Ext(argument) == ".yaml"
		if _, err := os.Stat(argument); err != nil && !looksLikePath && errors.Is(err, fs.ErrNotExist) {
			names := make([]string, len(suite))
			for i, s := range suite {
				names[i] = s.Name
			}
			return nil, fmt.Errorf("found %q, which is no command, no scenario or claim of the suite, and no file; %s; files and folders", argument, faults.Allowed(argument, names))
		}
		paths = append(paths, argument)
	}
	if len(paths) > 0 {
		own, err := file.LoadAll(paths...)
		if err != nil {
			return nil, err
		}
		for _, s := range own {
			if slices.ContainsFunc(chosen, func(other *plan.Scenario) bool { return other.Name == s.Name }) {
				return nil, fmt.Errorf("%s: found a second scenario %s beside the one of the suite; allowed: each name once", s.Path, s.Name)
			}
		}
		chosen = append(chosen, own...)
	}
	return chosen, nil
}

// setParameters gives parameters other values: those of every scenario that was chosen.
func setParameters(chosen []*plan.Scenario, texts []string) ([]*plan.Scenario, error) {
	if len(texts) == 0 {
		return chosen, nil
	}
	settings := make([]plan.Setting, len(texts))
	for i, text := range texts {
		var err error
		if settings[i], err = plan.ParseSetting(text); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	set := make([]*plan.Scenario, len(chosen))
	for i, s := range chosen {
		var err error
		if set[i], err = file.With(s, settings...); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return set, nil
}

// oneScenario finds the one scenario that a name or a file stands for. A claim
// with several stories is one of them when it is called like the claim.
func oneScenario(name string) (*plan.Scenario, error) {
	chosen, err := selectScenarios([]string{name})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(chosen))
	for i, s := range chosen {
		if s.Name == name || len(chosen) == 1 {
			return s, nil
		}
		names[i] = s.Name
	}
	return nil, fmt.Errorf("found %q, which are %d scenarios; allowed: one of %s", name, len(chosen), strings.Join(names, ", "))
}

// seedRange is which seeds to play; the zero value leaves it to the scenario.
type seedRange struct {
	first, last uint64
	given       bool
	few         fewSeeds
}

// fewSeeds bounds how many of the seeds are played: of a scripted story, and of a
// random family, which shows only in some seeds what it is about. 0 is all of them.
// Seeds that were given on the command line are all played, except with --quick.
type fewSeeds struct{ story, family uint64 }

// How many seeds of each row are played by --quick, and without any arguments.
const (
	quickSeeds   = 3
	quickFamily  = 50
	defaultSeeds = 20
)

// parseSeeds reads "1-200" or "7".
func parseSeeds(text string) (seedRange, error) {
	seeds, err := plan.ParseSeeds(text)
	if err != nil {
		return seedRange{}, fmt.Errorf("--seeds: %w", err)
	}
	return seedRange{first: seeds.First, last: seeds.Last, given: true}, nil
}

// otherSeeds is how many of a scenario's seeds are played, unless it is said, of a
// row of which nothing is stated, of one with a planted bug, and of one of other
// locks than the two that most claims are about: the textbook algorithm and this
// project's package.
const otherSeeds = 50

// of lists the seeds for a cell of the matrix.
func (r seedRange) of(c matrix.Cell) []uint64 {
	s, subject := c.Scenario, c.Subject.Name
	first, last := s.Seeds.First, s.Seeds.Last
	switch {
	case r.given:
		first, last = r.first, r.last
	case !c.Stated() || c.Subject.Option("bug", "none") != "none" || subject != "SY-0" && subject != "SY-10":
		last = min(last, first+otherSeeds-1)
	}
	few := r.few.story
	if slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool { return x.Runs == plan.RunsSome }) {
		few = r.few.family
	}
	if few > 0 {
		last = min(last, first+few-1)
	}
	seeds := make([]uint64, 0, last-first+1)
	for seed := first; ; seed++ {
		seeds = append(seeds, seed)
		if seed == last {
			return seeds
		}
	}
}

// selection is what the command line chose of the matrix.
type selection struct {
	jobs []campaign.Job
	// notApplicable are the chosen cells that there is nothing to play of.
	notApplicable []matrix.Cell
}

// selectJobs makes one job per scenario and chosen row. Without subjects that is
// every row that the files have. A subject is named by its name, its alias or its
// system, which takes all of its rows, or by its title, which takes one; where a file says
// nothing of it, what is found is shown.
func selectJobs(chosen []*plan.Scenario, subjects []string, seeds seedRange) (selection, error) {
	var found selection
	take := func(c matrix.Cell) {
		if c.NotApplicable != "" {
			found.notApplicable = append(found.notApplicable, c)
			return
		}
		found.jobs = append(found.jobs, campaign.Job{
			Scenario: c.Scenario, Subject: c.Subject.Title(), Seeds: seeds.of(c),
		})
	}
	if len(subjects) == 0 {
		for _, s := range chosen {
			for _, subject := range s.Subjects {
				take(matrix.Cell{Scenario: s, Subject: subject})
			}
		}
		return found, nil
	}
	names := make([]subjectName, len(subjects))
	for i, text := range subjects {
		declarations, label, err := plan.SubjectNamed(text)
		if err != nil {
			return found, fmt.Errorf("--subject: %w", err)
		}
		names[i] = subjectName{text: text, declarations: declarations, label: label}
	}
	for _, s := range chosen {
		for _, c := range matrix.CellsOf(s) {
			wanted := false
			for i := range names {
				wanted = names[i].takes(c.Subject) || wanted
			}
			if wanted {
				take(c)
			}
		}
	}
	for _, n := range names {
		if !n.used && len(n.titles) == 0 {
			return found, fmt.Errorf("--subject: found %q, which is no system of the claims and has no row in these scenarios; allowed: a file that names it", n.text)
		}
		if !n.used {
			return found, fmt.Errorf("--subject: found %q, which none of these scenarios has; %s", n.text, faults.Allowed(n.text, n.titles))
		}
	}
	return found, nil
}

// nothingPlayed is the error of a choice of which no row can be played; nil when one can.
func (s *selection) nothingPlayed() error {
	if len(s.jobs) > 0 {
		return nil
	}
	var reasons strings.Builder
	writeNotApplicable(&reasons, s.notApplicable)
	return &exitError{exitInconclusive, fmt.Errorf("nothing was played: no chosen row is applicable\n%s", strings.TrimSpace(reasons.String()))}
}

// subjectName is one --subject of the command line.
type subjectName struct {
	text         string
	declarations []plan.SubjectDeclaration
	label        string
	used         bool
	titles       []string // that it could have meant
}

func (n *subjectName) takes(s plan.Subject) bool {
	if !slices.ContainsFunc(n.declarations, func(d plan.SubjectDeclaration) bool { return d.Name == s.Name }) {
		return false
	}
	if !slices.Contains(n.titles, s.Title()) {
		n.titles = append(n.titles, s.Title())
	}
	if n.label != "" && n.label != s.Label {
		return false
	}
	n.used = true
	return true
}

// writeNotApplicable says which chosen cells there is nothing to play of, and why.
func writeNotApplicable(w io.Writer, cells []matrix.Cell) {
	type reason struct{ subject, text string }
	var order []reason
	scenariosOf := map[reason][]string{}
	for _, c := range cells {
		r := reason{c.Subject.Title(), c.NotApplicable}
		if scenariosOf[r] == nil {
			order = append(order, r)
		}
		scenariosOf[r] = append(scenariosOf[r], c.Scenario.Name)
	}
	for _, r := range order {
		fmt.Fprintf(w, "n/a for %s: %s: %s\n", r.subject, strings.Join(scenariosOf[r], ", "), r.text)
	}
}
