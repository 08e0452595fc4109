package remake

import (
	"context"
	"fmt"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
)

// kept is what was played before, and where the rest is kept.
type kept struct {
	journal *journal.Journal
	known   map[string]campaign.Summary
	numbers map[string]int // of runs, in the order of the work
}

func keyOf(r *campaign.Summary) string { return fmt.Sprintf("%s %s %d", r.Scenario, r.Subject, r.Seed) }

// Keep makes the maker keep each run in a journal, and take from it those that it has.
func (m *Maker) Keep(j *journal.Journal) error {
	m.kept = &kept{j, map[string]campaign.Summary{}, map[string]int{}}
	return journal.Read(j, func(r campaign.Summary) error {
		if r.Failure == "" { // a run that failed is played again
			m.kept.known[keyOf(&r)] = r
		}
		return nil
	})
}

// Kept counts the runs that are done.
func (m *Maker) Kept() int { return len(m.kept.known) }

// keep takes a report that was played.
func (m *Maker) keep(r campaign.Summary) {
	if m.kept == nil {
		return
	}
	r.Points = nil // nobody asks a report for coverage
	m.kept.journal.Add(r)
	if r.Failure == "" {
		m.kept.known[keyOf(&r)] = r
	}
}

// order gives the next numbers to runs of jobs.
func (k *kept) order(jobs []campaign.Job) {
	for i := range jobs {
		for _, seed := range jobs[i].Seeds {
			r := campaign.Summary{Scenario: jobs[i].Scenario.Name, Subject: jobs[i].Subject, Seed: seed}
			k.numbers[keyOf(&r)] = len(k.numbers)
		}
	}
}

// settle puts the journal in order. A map's runs come in the order in which it lists them.
func (k *kept) settle() error {
	return journal.Settle(k.journal, func(r campaign.Summary) int {
		if n, known := k.numbers[keyOf(&r)]; known {
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
	if m.kept == nil {
		return jobs
	}
	var left []campaign.Job
	number := -1
	for _, job := range jobs {
		all := job.Seeds
		job.Seeds = nil
		for _, seed := range all {
			number++
			r := campaign.Summary{Scenario: job.Scenario.Name, Subject: job.Subject, Seed: seed}
			if known, ok := m.kept.known[keyOf(&r)]; ok {
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
	if all {
		for i := range m.In.Maps {
			one, err := m.Map(m.In.Maps[i].Name)
			if err != nil {
				return 0, err
			}
			n += one.Foreseen()
		}
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
	m.kept.order(jobs)
	err = m.Play(ctx, m.Settings, m.left(jobs, selected, func(campaign.Summary) {}), take)
	first := campaign.Runs(jobs)
	for i := 0; all && err == nil && i < len(m.In.Maps); i++ {
		var one *atlas.Map
		if one, err = m.Map(m.In.Maps[i].Name); err != nil {
			break
		}
		m.recall(one)
		settings := m.Settings
		settings.Causes = campaign.CausesUnasked
		err = one.PlayPart(func(n int) bool { return selected(first + n) }, func(jobs []campaign.Job, _ bool) error {
			return m.Play(ctx, settings, jobs, take)
		})
		first += one.Foreseen()
		m.number(one)
	}
	if err == nil {
		err = m.kept.settle()
	}
	return failed, err
}

// recall gives a map its runs that are known.
func (m *Maker) recall(one *atlas.Map) {
	if m.kept != nil {
		for _, r := range m.kept.known {
			one.Add(r)
		}
	}
}

// number gives the next numbers to the runs of a map.
func (m *Maker) number(one *atlas.Map) {
	if m.kept != nil {
		for _, r := range one.Reports() {
			m.kept.numbers[keyOf(r)] = len(m.kept.numbers)
		}
	}
}
