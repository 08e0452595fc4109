package atlas

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// Spec is all that a map's runs depend on, as a journal keeps it.
type Spec struct {
	Name     string         `json:"name"` // what commands call the scenario
	File     string         `json:"file"` // its path
	Text     string         `json:"text"` // the scenario
	Settings []plan.Setting `json:"settings,omitempty"`
	Map      plan.Map       `json:"map"`
	Subjects []string       `json:"subjects,omitempty"` // names or titles; none is all of the file
	// Refine is how often a border between two cells is halved.
	Refine int `json:"refine"`
	// Pin is a value per axis x and y: the cells in line with it are played, too.
	Pin []plan.Setting `json:"pin,omitempty"`
}

// holders is the judge that asks for two holders.
const holders = "holders"

// mostRuns bounds a map: what lies beyond it is a slip of the pen.
const mostRuns = 5_000_000

// Place is one point with one subject: the values of the axes, in the order of
// [plan.Map.Axes].
type Place struct {
	Values  [3]int64
	Subject int
}

// Map is a map with what has been played of it.
type Map struct {
	Spec     Spec
	Scenario *plan.Scenario // without the values of the axes
	Axes     []plan.Axis
	Subjects []string // titles

	expected   []plan.Subject // of the file, in the order of Subjects
	judges     []string
	parameters []plan.Parameter // that formulas know: the axes, and those that the file declares
	rules      []rule
	grid       []Place
	pin        []int64
	extra      []Place // beside the grid, in the order in which they were found
	borders    []Border
	set        map[[3]int64]*plan.Scenario
	reports    map[runKey]*campaign.Summary
}

// New makes a map. Errors say what does not fit.
func New(spec Spec) (*Map, error) {
	base, err := file.Parse(spec.File, []byte(spec.Text))
	if err != nil {
		return nil, err
	}
	m := &Map{Spec: spec, set: map[[3]int64]*plan.Scenario{}, reports: map[runKey]*campaign.Summary{}}
	if m.Scenario, err = file.With(base, spec.Settings...); err != nil {
		return nil, err
	}
	m.Scenario.Text = base.Text
	m.Spec.Map.Cut()
	m.Axes = m.Spec.Map.Axes()
	if m.judges = m.Spec.Map.Judges; len(m.judges) == 0 {
		m.judges = []string{holders}
	}
	rows, err := m.rows()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		m.Subjects, m.expected = append(m.Subjects, row.Subject.Title()), append(m.expected, row.Subject)
	}
	seeds := m.Spec.Map.Seeds
	runs := (seeds.Last - seeds.First + 1) * uint64(len(rows))
	for _, axis := range m.Axes {
		if runs *= uint64(len(axis.Values)); runs > mostRuns {
			return nil, fmt.Errorf("found a map of more than %d runs; allowed: fewer values, subjects or seeds", mostRuns)
		}
	}
	m.grid = m.places(m.Axes)
	if len(m.grid) > 0 {
		first, err := m.scenarioOf(m.grid[0])
		if err == nil {
			err = plan.CheckOptions(first.Options, m.expected)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, errors.Join(m.compile(), m.setPin())
}

// rows are the cells of the matrix that the map is about. A subject that the file does not
// name is played if the scenario is applicable to it.
func (m *Map) rows() ([]matrix.Cell, error) {
	rows, err := matrix.Select(matrix.Rows(m.Scenario), m.Spec.Subjects)
	if err == nil {
		return rows, nil
	}
	can := slices.DeleteFunc(matrix.CellsOf(m.Scenario), func(c matrix.Cell) bool { return c.NotApplicable != "" })
	return matrix.Select(can, m.Spec.Subjects)
}

// places lists all points of axes with all subjects, the last axis fastest.
func (m *Map) places(axes []plan.Axis) []Place {
	points := []Place{{}}
	for i, axis := range axes {
		var longer []Place
		for _, p := range points {
			for _, value := range axis.Values {
				p.Values[i] = value
				longer = append(longer, p)
			}
		}
		points = longer
	}
	var all []Place
	for _, p := range points {
		for p.Subject = range m.Subjects {
			all = append(all, p)
		}
	}
	return all
}

// Settings are the values of a place as --set takes them, with those of the whole map.
func (m *Map) Settings(p Place) []plan.Setting {
	settings := slices.Clone(m.Spec.Settings)
	for i, axis := range m.Axes {
		settings = append(settings, plan.Setting{Name: axis.Parameter.Name, Value: axis.Parameter.Format(p.Values[i])})
	}
	return settings
}

// scenarioOf is the scenario with the values of a place.
func (m *Map) scenarioOf(p Place) (*plan.Scenario, error) {
	if s := m.set[p.Values]; s != nil {
		return s, nil
	}
	base := *m.Scenario
	base.Name, _, _ = strings.Cut(m.Scenario.Name, "@") // without settings
	set, err := file.With(&base, m.Settings(p)...)
	if err == nil {
		m.set[p.Values] = set
	}
	return set, err
}

// job is the work of a place: these seeds.
func (m *Map) job(p Place, seeds ...uint64) (campaign.Job, error) {
	s, err := m.scenarioOf(p)
	if err != nil {
		return campaign.Job{}, err
	}
	j := campaign.Job{Scenario: s, Subject: m.Subjects[p.Subject], Seeds: seeds}
	if j.Expected() == nil { // a subject that the file does not name
		j.Scenario = s.With(m.expected[p.Subject].With(s.Options))
	}
	return j, nil
}

// Plan is the plan of one run of a place.
func (m *Map) Plan(p Place, seed uint64) (*plan.Plan, error) {
	j, err := m.job(p, seed)
	if err != nil {
		return nil, err
	}
	return j.Scenario.Plan(j.Subject, seed)
}

func (m *Map) seeds() (all []uint64) {
	for seed := m.Spec.Map.Seeds.First; seed <= m.Spec.Map.Seeds.Last; seed++ {
		all = append(all, seed)
	}
	return all
}

// runKey names a run, whoever played it.
type runKey struct {
	scenario, subject string
	seed              uint64
}

func keyOf(r *campaign.Summary) runKey { return runKey{r.Scenario, r.Subject, r.Seed} }

// report is that of one run of a place; nil when it is not played.
func (m *Map) report(p Place, seed uint64) *campaign.Summary {
	name, _, _ := strings.Cut(m.Scenario.Name, "@")
	for _, s := range m.Settings(p) {
		name += "@" + s.String()
	}
	return m.reports[runKey{name, m.Subjects[p.Subject], seed}]
}

// Add takes in the report of a run. Of a run that was played twice the later one counts.
func (m *Map) Add(r campaign.Summary) {
	r.Points = nil // nobody asks a map for coverage
	m.reports[keyOf(&r)] = &r
}

// Runs counts the runs that have a report.
func (m *Map) Runs() int { return len(m.reports) }

// Failed counts the reports that have no verdict.
func (m *Map) Failed() (n int) {
	for _, r := range m.reports {
		if r.Failure != "" {
			n++
		}
	}
	return n
}

// judged are the oracles of a judge.
func judged(judge string) []checker.Oracle {
	if judge == holders {
		return []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
	}
	return []checker.Oracle{checker.Oracle(judge)}
}

// jobs are the jobs of some places, each with the seeds that the function chooses.
func (m *Map) jobs(places []Place, choose func(Place) []uint64) ([]campaign.Job, error) {
	var jobs []campaign.Job
	for _, p := range places {
		seeds := choose(p)
		if len(seeds) == 0 {
			continue
		}
		j, err := m.job(p, seeds...)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// playJobs plays the seeds of some places that a function chooses.
func (m *Map) playJobs(places []Place, choose func(Place) []uint64, play func([]campaign.Job) error) error {
	jobs, err := m.jobs(places, choose)
	if err == nil && len(jobs) > 0 {
		err = play(jobs)
	}
	return err
}

// Play plays what is left of the map: its grid, the borders, and the cause of one
// run of each violated cell. play plays jobs, and looks for the causes of what is
// violated when causes is set; it hands each report to [Map.Add].
func (m *Map) Play(play func(jobs []campaign.Job, causes bool) error) error {
	some := func(places []Place) error { return m.playLeft(places, nil, play) }
	lines := m.foresee()
	if err := some(slices.Concat(m.grid, m.extra)); err != nil {
		return err
	}
	if m.Spec.Refine > 0 {
		m.findBorders(append(m.gridLines(), lines...))
		for range m.Spec.Refine {
			middles := m.middles()
			if err := some(middles); err != nil {
				return err
			}
			m.narrow()
		}
	}
	if m.Spec.Map.Measure != plan.MeasureVerdict {
		return nil
	}
	return m.playJobs(m.grid, m.unexplained, func(jobs []campaign.Job) error { return play(jobs, true) })
}

// PlayPart plays those runs of the grid, and in line with the pin, whose numbers has selects.
// The numbers are those of [Map.WriteRuns], from 0 to Foreseen. The others depend on these.
func (m *Map) PlayPart(has func(int) bool, play func(jobs []campaign.Job, causes bool) error) error {
	m.foresee()
	return m.playLeft(slices.Concat(m.grid, m.extra), has, play)
}

// Foreseen counts the runs that depend on no others.
func (m *Map) Foreseen() int {
	m.foresee()
	return (len(m.grid) + len(m.extra)) * len(m.seeds())
}

// foresee forgets what was found beside the grid, and returns the lines of the pin.
func (m *Map) foresee() []line {
	m.extra, m.borders = nil, nil
	lines := m.pinLines()
	m.beside(lines)
	return lines
}

// playLeft plays the runs of some places that have no report, or a failed one. has reports
// which runs are asked for, by their numbers from 0; nil is all.
func (m *Map) playLeft(places []Place, has func(int) bool, play func(jobs []campaign.Job, causes bool) error) error {
	number := -1
	return m.playJobs(places, func(p Place) (seeds []uint64) {
		for _, seed := range m.seeds() {
			if number++; has != nil && !has(number) {
				continue
			}
			if r := m.report(p, seed); r == nil || r.Failure != "" {
				seeds = append(seeds, seed)
			}
		}
		return seeds
	}, func(jobs []campaign.Job) error { return play(jobs, false) })
}

// Reports are those of the map's runs, in the order of [Map.WriteRuns].
func (m *Map) Reports() []*campaign.Summary {
	var all []*campaign.Summary
	for _, p := range slices.Concat(m.grid, m.extra) {
		for _, seed := range m.seeds() {
			if r := m.report(p, seed); r != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// Number returns a function that numbers the reports of the map's runs, in the order of
// [Map.WriteRuns]; of others the number is negative.
func (m *Map) Number() func(campaign.Summary) int {
	numbers := map[runKey]int{}
	for i, r := range m.Reports() {
		numbers[keyOf(r)] = i + 1
	}
	return func(r campaign.Summary) int { return numbers[keyOf(&r)] - 1 }
}

// unexplained are the first violated runs of a cell by each judge whose causes are not known.
func (m *Map) unexplained(p Place) (seeds []uint64) {
	for _, judge := range m.judges {
		v, seed, _ := m.verdict(p, judge)
		if v.Grade() == campaign.Violated && m.report(p, seed).Causes == nil {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds)
}

// Places are the points of the grid with all subjects, in the order of the lines.
func (m *Map) Places() []Place { return m.grid }

// Jobs are the jobs of some places, with all seeds.
func (m *Map) Jobs(places ...Place) ([]campaign.Job, error) {
	return m.jobs(places, func(Place) []uint64 { return m.seeds() })
}

//go:embed maps/*.yaml
var maps embed.FS

var ready = file.Ready{Files: maps, Folder: "maps", Is: "no ready map"}

// Ready returns the names of the maps that come with the package.
func Ready() []string { return ready.Names() }

// ReadyText returns the file of a ready map.
func ReadyText(name string) ([]byte, error) { return ready.Text(name) }
