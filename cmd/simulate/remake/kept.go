package remake

import (
	"context"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
)

// run names a run.
type run struct {
	scenario, subject string
	seed              uint64
}

func runOf(r *campaign.Summary) run { return run{r.Scenario, r.Subject, r.Seed} }

// Keep makes the maker keep each run in a journal, and take from it those that it has.
func (m *Maker) Keep(j *journal.Journal) error {
	m.journal, m.known, m.numbers = j, map[run]campaign.Summary{}, map[run]int{}
	return journal.Read(j, func(r campaign.Summary) error {
		m.know(r)
		return nil
	})
}

// Kept counts the runs that are done.
func (m *Maker) Kept() int { return len(m.known) }

// know notes a run that is done. One that failed is played again.
func (m *Maker) know(r campaign.Summary) {
	if r.Failure == "" {
		m.known[runOf(&r)] = r
	}
}

// keep takes a report that was played.
func (m *Maker) keep(r campaign.Summary) {
	r.Points = nil // nobody asks a report for coverage
	m.journal.Add(r)
	m.know(r)
}

// order gives the next numbers to runs of jobs.
func (m *Maker) order(jobs []campaign.Job) {
	for _, job := range jobs {
		for _, seed := range job.Seeds {
			m.numbers[run{job.Scenario.Name, job.Subject, seed}] = len(m.numbers)
		}
	}
}

// settle puts the journal in order. A map's runs come in the order in which it lists them.
func (m *Maker) settle() error {
	return journal.Settle(m.journal, func(r campaign.Summary) int {
		if n, known := m.numbers[runOf(&r)]; known {
			return n
		}
		return -1
	})
}

// left skips runs that are known or not selected. Runs are selected by their numbers,
// from 0 on. It calls report with each run that is known.
func (m *Maker) left(
	jobs []campaign.Job, selected func(int) bool, report func(campaign.Summary),
) []campaign.Job {
	var left []campaign.Job
	number := -1
	for _, job := range jobs {
		all := job.Seeds
		job.Seeds = nil
		for _, seed := range all {
			number++
			if known, ok := m.known[run{job.Scenario.Name, job.Subject, seed}]; ok {
				report(known)
			} else if selected(number) {
				job.Seeds = append(job.Seeds, seed)
			}
		}
		if len(job.Seeds) > 0 {
			left = append(left, job)
		}
	}
	return left
}

func every(int) bool { return true }

// cells are those that are played: those that were asked for, and those that the results do not fit.
func (m *Maker) cells() []matrix.Cell {
	return slices.DeleteFunc(slices.Clone(m.Cells), func(c matrix.Cell) bool {
		return !m.isAsked(c.Scenario.Name, c.Subject.Title()) && m.In.Results.StaleCell(&c) == ""
	})
}

// Work counts the runs that depend on no others: those of the cells that were asked for. When
// these are all cells, it counts those of the grids of all maps, too.
func (m *Maker) Work(seeds int, all bool) (int, error) {
	if err := m.load(all); err != nil {
		return 0, err
	}
	n := campaign.Runs(report.Jobs(m.cells(), seeds))
	for i := 0; all && i < len(m.In.Maps); i++ {
		one, err := m.Map(m.In.Maps[i].Name)
		if err != nil {
			return 0, err
		}
		n += one.Foreseen()
	}
	return n, nil
}

// load opens the committed results. When all of them are made again, it begins new ones in
// place of a file that cannot be read.
func (m *Maker) load(all bool) (err error) {
	m.In.Results, err = report.Load(m.path(report.ResultsFile))
	if err != nil && all {
		m.In.Results, err = &report.Results{}, nil
	}
	return err
}

// Part plays the selected runs, by their numbers, of those that [Maker.Work] counts.
func (m *Maker) Part(ctx context.Context, seeds int, all bool, selected func(int) bool) (failed int, err error) {
	if err := m.load(all); err != nil {
		return 0, err
	}
	take := func(r campaign.Summary) {
		if m.keep(r); r.Failure != "" {
			failed++
		}
	}
	jobs := report.Jobs(m.cells(), seeds)
	m.order(jobs)
	err = m.Play(ctx, m.Settings, m.left(jobs, selected, func(campaign.Summary) {}), take)
	first := campaign.Runs(jobs)
	settings := m.Settings
	settings.Causes = campaign.CausesUnasked
	for i := 0; all && err == nil && i < len(m.In.Maps); i++ {
		_, err = m.playMap(m.In.Maps[i].Name, func(one *atlas.Map) error {
			chosen := func(n int) bool { return selected(first + n) }
			err := one.PlayPart(chosen, func(jobs []campaign.Job, _ bool) error {
				return m.Play(ctx, settings, jobs, take)
			})
			first += one.Foreseen()
			return err
		})
	}
	if err == nil {
		err = m.settle()
	}
	return failed, err
}

// playMap has a map played that takes its known runs, and gives all of its runs the next numbers.
func (m *Maker) playMap(name string, play func(*atlas.Map) error) (*atlas.Map, error) {
	one, err := m.Map(name)
	if err != nil {
		return nil, err
	}
	for _, r := range m.known {
		one.Add(r)
	}
	err = play(one)
	for _, r := range one.Reports() {
		m.numbers[runOf(r)] = len(m.numbers)
	}
	return one, err
}
