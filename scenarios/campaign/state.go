package campaign

import (
	"errors"
	"fmt"
	"slices"

	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/play"
)

// State is a campaign with what is done of it. Its reports are in a journal;
// what stays in memory is one tally per job and one byte per run.
type State struct {
	*journal.Journal
	header  header
	index   map[[2]string]int // of jobs, by scenario and subject
	rows    []*rowBuilder
	done    [][]bool // by job and seed
	runs    int
	saved   []*Summary // of jobs that save their run
	strange error      // of the first report of another campaign
}

// header is the journal's first line: all that the runs depend on.
type header struct {
	Jobs    []Job           `json:"jobs"`
	Options play.RunOptions `json:"options"`
	Detail  any             `json:"detail,omitempty"` // whatever else the command needs
}

// NewState returns a campaign of which nothing is done, with a journal of the
// command. detail is kept with it; nil is nothing.
func NewState(command string, jobs []Job, options play.RunOptions, detail any) *State {
	s := &State{header: header{jobs, options, detail}}
	s.begin()
	s.Journal = journal.New(command, s.header)
	return s
}

// begin prepares a campaign of which nothing is done.
func (s *State) begin() {
	s.index, s.saved = map[[2]string]int{}, make([]*Summary, len(s.header.Jobs))
	for i := range s.header.Jobs {
		job := &s.header.Jobs[i]
		slices.Sort(job.Seeds)
		s.index[[2]string{job.Scenario.Name, job.Subject}] = i
		s.rows = append(s.rows, newRowBuilder(job))
		s.done = append(s.done, make([]bool, len(job.Seeds)))
	}
}

// Resume opens the campaign that a command has kept in a folder. It reads the
// detail into the given one. Runs that failed are left to be played again.
func Resume(dir, command string, detail any) (*State, error) {
	s := &State{header: header{Detail: detail}}
	var err error
	if s.Journal, err = journal.Open(dir, command, &s.header); err != nil {
		return nil, err
	}
	s.begin()
	err = journal.Read(s.Journal, func(r Summary) error {
		job, at := s.find(&r)
		if job < 0 {
			return fmt.Errorf("found a run of %s %s with seed %d; allowed: the runs in line 1", r.Scenario, r.Subject, r.Seed)
		}
		if r.Failure == "" && !s.done[job][at] {
			s.take(job, at, &r)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Jobs returns what is to be played.
func (s *State) Jobs() []Job { return s.header.Jobs }

// Options returns how it is played.
func (s *State) Options() play.RunOptions { return s.header.Options }

// Runs counts the runs that are done.
func (s *State) Runs() int { return s.runs }

// Saved returns the report of a job that saves its one run; nil when there is none.
func (s *State) Saved(job int) *Summary { return s.saved[job] }

// Add takes in the report of one run of the campaign.
func (s *State) Add(r Summary) {
	job, at := s.find(&r)
	if job < 0 {
		s.strange = fmt.Errorf("found a run of %s %s with seed %d; allowed: the runs of this campaign", r.Scenario, r.Subject, r.Seed)
		return
	}
	s.take(job, at, &r)
	s.Journal.Add(&r)
}

// find finds the job of a report and its seed's position there; -1 when there is none.
func (s *State) find(r *Summary) (job, at int) {
	job, known := s.index[[2]string{r.Scenario, r.Subject}]
	if known {
		at, known = slices.BinarySearch(s.header.Jobs[job].Seeds, r.Seed)
	}
	if !known {
		return -1, 0
	}
	return job, at
}

func (s *State) take(job, at int, r *Summary) {
	s.rows[job].add(r)
	if r.Failure == "" {
		s.done[job][at] = true
		s.runs++
		if s.header.Jobs[job].Save != "" {
			s.saved[job] = r
		}
	}
}

// Close closes the journal. It returns the first error of keeping the reports.
func (s *State) Close() error { return errors.Join(s.strange, s.Journal.Close()) }

// Reports reads back the reports of all runs that were played, in the order in
// which they came. Failures of runs that were played again are left out.
func (s *State) Reports() ([]Summary, error) {
	var all []Summary
	err := journal.Read(s.Journal, func(r Summary) error {
		if job, at := s.find(&r); r.Failure == "" || !s.done[job][at] {
			all = append(all, r)
		}
		return nil
	})
	return all, err
}

// Left lists what is still to be played. Runs that failed are left. selected says which
// runs are asked for, by their numbers from 0 in the order of jobs and seeds; nil is all.
func (s *State) Left(selected func(int) bool) []Job {
	var left []Job
	number := -1
	for i, job := range s.header.Jobs {
		rest := job
		rest.Seeds = nil
		for at, seed := range job.Seeds {
			number++
			if !s.done[i][at] && (selected == nil || selected(number)) {
				rest.Seeds = append(rest.Seeds, seed)
			}
		}
		if len(rest.Seeds) > 0 {
			left = append(left, rest)
		}
	}
	return left
}

// Settle puts the kept reports into the order of jobs and seeds, each run once.
func (s *State) Settle() error {
	first := make([]int, len(s.header.Jobs)) // the number of each job's first run
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + len(s.header.Jobs[i-1].Seeds)
	}
	return journal.Settle(s.Journal, func(r Summary) int {
		job, at := s.find(&r)
		if job < 0 {
			return -1
		}
		return first[job] + at
	})
}

// Rows sums up what is done, one row per job.
func (s *State) Rows() []Row {
	rows := make([]Row, len(s.rows))
	for i := range s.rows {
		rows[i] = s.rows[i].row()
	}
	return rows
}
