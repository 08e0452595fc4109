// Package choice turns the words of a command line into what they choose: scenarios, seeds,
// values of parameters, and the rows that are played.
package choice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// ErrNothing is wrapped when no row that was chosen is applicable.
var ErrNothing = errors.New("nothing was played: no chosen row is applicable")

// Scenarios finds what the arguments name: scenarios and claims of the
// built-in suite, files, folders. None is the whole suite.
func Scenarios(arguments []string) ([]*plan.Scenario, error) {
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, err
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
		if slices.Contains(atlas.Ready(), argument) {
			s, err := readyMap(argument)
			if err != nil {
				return nil, err
			}
			chosen, found = append(chosen, s), true
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
			text := fmt.Sprintf("found %q, which is no command, no scenario or claim of the suite, and no file; allowed: the names that ./simulate list shows, files and folders", argument)
			if _, nearest, some := strings.Cut(faults.Allowed(argument, names), "; nearest: "); some {
				text += "; nearest: " + nearest
			}
			return nil, errors.New(text)
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

// readyMap is a map that comes with the program.
func readyMap(name string) (*plan.Scenario, error) {
	text, err := atlas.ReadyText(name)
	if err != nil {
		return nil, err
	}
	return file.Parse("maps/"+name+".yaml", text)
}

// Settings reads the values of a flag, which are NAME=VALUE.
func Settings(flag string, texts []string) ([]plan.Setting, error) {
	var settings []plan.Setting
	for _, text := range texts {
		setting, err := plan.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

// Set gives parameters other values. Of several scenarios those that have no such
// parameter are left out: the text names them. It is an error if none has it.
func Set(chosen []*plan.Scenario, texts []string) (set []*plan.Scenario, leftOut string, err error) {
	if len(texts) == 0 {
		return chosen, "", nil
	}
	settings, err := Settings("--set", texts)
	if err != nil {
		return nil, "", err
	}
	var without []string
	var first error
	for _, s := range chosen {
		changed, err := file.With(s, settings...)
		switch {
		case err == nil:
			set = append(set, changed)
		case errors.Is(err, file.ErrUnknownParameter) && len(chosen) > 1:
			without = append(without, s.Name)
			if first == nil {
				first = err
			}
		default:
			return nil, "", fmt.Errorf("--set: %w", err)
		}
	}
	if len(set) == 0 {
		return nil, "", fmt.Errorf("--set: %w", first)
	}
	if len(without) > 0 {
		leftOut = fmt.Sprintf("left out, for they have no such parameter: %s\n", strings.Join(without, ", "))
	}
	return set, leftOut, nil
}

// One finds the one scenario that a name or a file stands for. A claim
// with several stories is one of them when it is called like the claim.
func One(name string) (*plan.Scenario, error) {
	chosen, err := Scenarios([]string{name})
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

// Seeds is which seeds are played; the zero value leaves it to the scenario.
type Seeds struct {
	plan.Seeds
	Given bool
	// Story and Family bound how many seeds are played: of a scripted story, and of a
	// random family, which shows only in some seeds what it is about. 0 is all.
	Story, Family uint64
}

// How many seeds of each row are played by --quick, and without any arguments.
const (
	QuickSeeds   = 3
	QuickFamily  = 50
	DefaultSeeds = 20
)

// ParseSeeds reads "1-200" or "7".
func ParseSeeds(text string) (Seeds, error) {
	seeds, err := plan.ParseSeeds(text)
	if err != nil {
		return Seeds{}, fmt.Errorf("--seeds: %w", err)
	}
	return Seeds{Seeds: seeds, Given: true}, nil
}

// otherSeeds is how many of a scenario's seeds are played, unless --seeds says so, of
// rows that nothing is stated of or that have a planted bug, and of other locks than those that most
// claims are about: the textbook algorithm and this project's package.
const otherSeeds = 50

// Of lists the seeds for a cell of the matrix.
func (r Seeds) Of(c matrix.Cell) []uint64 {
	s, subject := c.Scenario, c.Subject.Name
	first, last := s.Seeds.First, s.Seeds.Last
	switch {
	case r.Given:
		first, last = r.First, r.Last
	case !c.Stated() || c.Subject.Option("bug", "none") != "none" || subject != "SY-0" && subject != "SY-10":
		last = min(last, first+otherSeeds-1)
	}
	few := r.Story
	if slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool { return x.Runs == plan.RunsSome }) {
		few = r.Family
	}
	if few > 0 {
		last = min(last, first+few-1)
	}
	seeds := make([]uint64, last-first+1)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}

// Jobs makes one job for each chosen row. Without subjects these are the rows
// that the files have, with subjects all cells of theirs. It also returns why chosen cells
// are not applicable, a line per reason; no job at all is an error.
func Jobs(chosen []*plan.Scenario, subjects []string, seeds Seeds) (jobs []campaign.Job, notApplicable string, err error) {
	var cells []matrix.Cell
	for _, s := range chosen {
		if len(subjects) == 0 {
			cells = append(cells, matrix.Rows(s)...)
		} else {
			cells = append(cells, matrix.CellsOf(s)...)
		}
	}
	if cells, err = matrix.Select(cells, subjects); err != nil {
		return nil, "", err
	}
	var reasons [][2]string // subject, reason
	names := map[[2]string][]string{}
	var played []plan.Subject
	for _, c := range cells {
		if c.NotApplicable == "" {
			played = append(played, c.Subject)
			jobs = append(jobs, campaign.Job{Scenario: c.Scenario, Subject: c.Subject.Title(), Seeds: seeds.Of(c)})
			continue
		}
		reason := [2]string{c.Subject.Title(), c.NotApplicable}
		if names[reason] == nil {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], c.Scenario.Name)
	}
	for _, r := range reasons {
		notApplicable += fmt.Sprintf("n/a for %s: %s: %s\n", r[0], strings.Join(names[r], ", "), r[1])
	}
	if len(jobs) == 0 {
		err = fmt.Errorf("%w\n%s", ErrNothing, strings.TrimSpace(notApplicable))
	} else if err = plan.CheckOptions(chosen[0].Options, played); err != nil { // all have the same
		err = fmt.Errorf("--set: %w", err)
	}
	return jobs, notApplicable, err
}

// SeedsOf says which seeds jobs have, from the lowest to the highest.
func SeedsOf(jobs []campaign.Job) string {
	low, high := ^uint64(0), uint64(0)
	for _, job := range jobs {
		for _, seed := range job.Seeds {
			low, high = min(low, seed), max(high, seed)
		}
	}
	return fmt.Sprintf("%d-%d", low, high)
}
