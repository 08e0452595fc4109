package main

import (
	"cmp"
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

// errNothing is wrapped when no row that was chosen is applicable.
var errNothing = errors.New("nothing was played: no chosen row is applicable")

// findScenarios finds what the arguments name: scenarios and claims of the built-in suite, maps
// that come with the program, files, folders. Without arguments it is the whole suite.
func findScenarios(arguments []string) ([]*plan.Scenario, error) {
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
		named := func(s *plan.Scenario) bool { return s.Name == argument || s.Claim == argument }
		switch {
		case slices.ContainsFunc(suite, named):
			for _, s := range suite {
				if named(s) && !slices.Contains(chosen, s) {
					chosen = append(chosen, s)
				}
			}
		case slices.Contains(atlas.Ready(), argument):
			s, err := readyMap(argument)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, s)
		case isPath(argument):
			paths = append(paths, argument)
		default:
			return nil, unknownScenario(argument, suite)
		}
	}
	if len(paths) == 0 {
		return chosen, nil
	}
	own, err := file.LoadAll(paths...)
	for _, s := range own {
		if slices.ContainsFunc(chosen, func(other *plan.Scenario) bool { return other.Name == s.Name }) {
			return nil, fmt.Errorf("%s: found a second scenario %s beside the one of the suite; allowed: each name once",
				s.Path, s.Name)
		}
	}
	return append(chosen, own...), err
}

// isPath reports whether an argument is a file or a folder, or looks like one.
func isPath(argument string) bool {
	if strings.ContainsRune(argument, filepath.Separator) || filepath.Ext(argument) == ".yaml" {
		return true
	}
	_, err := os.Stat(argument)
	return !errors.Is(err, fs.ErrNotExist)
}

func scenarioName(s *plan.Scenario) string { return s.Name }

// unknownScenario is the error for an argument that names nothing.
func unknownScenario(argument string, suite []*plan.Scenario) error {
	text := fmt.Sprintf("found %q, which is no command, no scenario or claim of the suite, and no file; "+
		"allowed: the names that ./simulate list shows, files and folders", argument)
	if _, nearest, some := strings.Cut(faults.Allowed(argument, plan.Texts(suite, scenarioName)), "; nearest: "); some {
		text += "; nearest: " + nearest
	}
	return errors.New(text)
}

// readyMap is a map that comes with the program.
func readyMap(name string) (*plan.Scenario, error) {
	text, err := atlas.ReadyText(name)
	if err != nil {
		return nil, err
	}
	return file.Parse("maps/"+name+".yaml", text)
}

// parseSettings reads the values of a flag, which are NAME=VALUE.
func parseSettings(flag string, texts []string) ([]plan.Setting, error) {
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

// setParameters gives parameters other values. Of several scenarios it leaves out those without such
// a parameter, and returns a line that names them. It is an error if none has the parameter.
func setParameters(chosen []*plan.Scenario, texts []string) (set []*plan.Scenario, leftOut string, err error) {
	settings, err := parseSettings("--set", texts)
	if len(texts) == 0 || err != nil {
		return chosen, "", err
	}
	var without []string
	var first error
	for _, s := range chosen {
		changed, err := file.With(s, settings...)
		switch {
		case err == nil:
			set = append(set, changed)
		case errors.As(err, new(file.UnknownParameter)) && len(chosen) > 1:
			without = append(without, s.Name)
			first = cmp.Or(first, err)
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

// findScenario finds the one scenario that a name or a file stands for. Of a claim with several
// stories it is the one that has the claim's name.
func findScenario(name string) (*plan.Scenario, error) {
	chosen, err := findScenarios([]string{name})
	if err != nil {
		return nil, err
	}
	for _, s := range chosen {
		if s.Name == name || len(chosen) == 1 {
			return s, nil
		}
	}
	return nil, fmt.Errorf("found %q, which are %d scenarios; allowed: one of %s",
		name, len(chosen), strings.Join(plan.Texts(chosen, scenarioName), ", "))
}

// seedChoice says which seeds are played. The zero value is the seeds of each scenario's file.
type seedChoice struct {
	plan.Seeds
	Given bool
	// Story and Family bound the number of seeds of a scripted story and of a random family, which
	// shows its effect only in some seeds. 0 is no bound.
	Story, Family uint64
}

// How many seeds of each row are played by --quick, and without any arguments.
const (
	quickSeeds   = 3
	quickFamily  = 50
	defaultSeeds = 20
)

func oneSeed(seed uint64) seedChoice {
	return seedChoice{Seeds: plan.Seeds{First: seed, Last: seed}, Given: true}
}

// parseSeeds reads "1-200" or "7".
func parseSeeds(text string) (seedChoice, error) {
	seeds, err := plan.ParseSeeds(text)
	if err != nil {
		return seedChoice{}, fmt.Errorf("--seeds: %w", err)
	}
	return seedChoice{Seeds: seeds, Given: true}, nil
}

// otherSeeds bounds the seeds, without --seeds, of rows without expectations or with a planted bug,
// and of locks other than the textbook algorithm and this project's package. Most claims are about
// these two.
const otherSeeds = 50

// of lists the seeds for a cell of the matrix.
func (r seedChoice) of(c matrix.Cell) []uint64 {
	s, subject := c.Scenario, c.Subject.Name
	first, last := s.Seeds.First, s.Seeds.Last
	switch {
	case r.Given:
		first, last = r.First, r.Last
	case !c.Stated(), c.Subject.Option("bug", "none") != "none", subject != "SY-0" && subject != "SY-10":
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

// chooseJobs makes one job for each row that arguments choose, with parameters set. Without subjects
// it chooses the rows of the files, with subjects all their cells. notes has a line that names the
// scenarios without the parameters, and one for each reason why chosen cells are not applicable. If no
// cell is, the error wraps errNothing.
func chooseJobs(arguments, set, subjects []string, seeds seedChoice) (jobs []campaign.Job, notes string, err error) {
	chosen, err := findScenarios(arguments)
	if err != nil {
		return nil, "", err
	}
	chosen, leftOut, err := setParameters(chosen, set)
	if err != nil {
		return nil, "", err
	}
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
	var notPlayed reasons
	notApplicable := ""
	var played []plan.Subject
	for _, c := range cells {
		if c.NotApplicable == "" {
			played = append(played, c.Subject)
			jobs = append(jobs, campaign.Job{Scenario: c.Scenario, Subject: c.Subject.Title(), Seeds: seeds.of(c)})
			continue
		}
		notPlayed.add(c.Subject.Title()+"\t"+c.NotApplicable, c.Scenario.Name)
	}
	for _, r := range notPlayed {
		subject, reason, _ := strings.Cut(r.why, "\t")
		notApplicable += fmt.Sprintf("n/a for %s: %s: %s\n", subject, strings.Join(r.scenarios, ", "), reason)
	}
	if len(jobs) == 0 {
		err = fmt.Errorf("%w\n%s", errNothing, strings.TrimSpace(notApplicable))
	} else if err = plan.CheckOptions(chosen[0].Options, played); err != nil { // all have the same
		err = fmt.Errorf("--set: %w", err)
	}
	return jobs, leftOut + notApplicable, err
}

// reasons groups scenarios by why they are not played, in the order in which the reasons came.
type reasons []struct {
	why       string
	scenarios []string
}

func (r *reasons) add(why, scenario string) {
	for i := range *r {
		if known := &(*r)[i]; known.why == why {
			if !slices.Contains(known.scenarios, scenario) {
				known.scenarios = append(known.scenarios, scenario)
			}
			return
		}
	}
	*r = append(*r, reasons{{why, []string{scenario}}}...)
}

// seedsOf says which seeds jobs have, from the lowest to the highest.
func seedsOf(jobs []campaign.Job) string {
	low, high := ^uint64(0), uint64(0)
	for _, job := range jobs {
		low, high = min(low, slices.Min(job.Seeds)), max(high, slices.Max(job.Seeds))
	}
	return fmt.Sprintf("%d-%d", low, high)
}
