package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"redlocklab/scenarios/saved"
)

// StateFile is the name of a campaign's state in its folder: one JSON line with
// what is to be played, then one line per run that was. It is all that is needed to go on.
const StateFile = saved.CampaignFile

// stateVersion changes when old states cannot be gone on with.
const stateVersion = 4

// State is a campaign with what is done of it. Its reports are on disk, in the
// campaign's folder or, until there is one, in a temporary file; what stays in
// memory is one tally per job and one bit per run.
type State struct {
	jobs    []Job
	options Options
	index   map[[2]string]int // of jobs, by scenario and subject
	tallies []*Tally
	done    [][]uint64 // bit sets over each job's seeds
	runs    int
	saved   []*Report // of jobs that save their run

	dir    string // "" until it is on disk
	file   *os.File
	failed error // of the first line that could not be written
}

type stateHeader struct {
	Version int     `json:"version"`
	Jobs    []Job   `json:"jobs"`
	Options Options `json:"options"`
}

// NewState returns a campaign of which nothing is done.
func NewState(jobs []Job, options Options) *State {
	s := &State{jobs: jobs, options: options, index: map[[2]string]int{}, saved: make([]*Report, len(jobs))}
	for i := range jobs {
		job := &jobs[i]
		slices.Sort(job.Seeds)
		s.index[[2]string{job.Scenario.Name, job.Subject}] = i
		s.tallies = append(s.tallies, NewTally(job))
		s.done = append(s.done, make([]uint64, (len(job.Seeds)+63)/64))
	}
	return s
}

// Jobs returns what is to be played.
func (s *State) Jobs() []Job { return s.jobs }

// Options returns how it is played.
func (s *State) Options() Options { return s.options }

// Runs counts the runs that are done.
func (s *State) Runs() int { return s.runs }

// Saved returns the report of a job that saves its one run; nil when there is none.
func (s *State) Saved(job int) *Report { return s.saved[job] }

// Add takes in the report of one run of the campaign.
func (s *State) Add(r Report) {
	job, at := s.place(&r)
	if job < 0 {
		s.failed = errors.Join(s.failed, fmt.Errorf("a run of %s %s with seed %d is none of this campaign", r.Scenario, r.Subject, r.Seed))
		return
	}
	s.take(job, at, &r)
	if s.file == nil && s.failed == nil {
		s.file, s.failed = os.CreateTemp("", "simulate-campaign-")
	}
	if s.failed == nil {
		s.failed = json.NewEncoder(s.file).Encode(&r)
	}
}

// place finds the job of a report and its seed's position there; -1 when there is none.
func (s *State) place(r *Report) (job, at int) {
	job, ok := s.index[[2]string{r.Scenario, r.Subject}]
	if !ok {
		return -1, 0
	}
	at, ok = slices.BinarySearch(s.jobs[job].Seeds, r.Seed)
	if !ok {
		return -1, 0
	}
	return job, at
}

func (s *State) take(job, at int, r *Report) {
	s.tallies[job].Add(r)
	if r.Failure == "" {
		s.done[job][at/64] |= 1 << (at % 64)
		s.runs++
		if s.jobs[job].Save != "" {
			s.saved[job] = r
		}
	}
}

// Keep puts the state into a folder and keeps it there from now on.
func (s *State) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, StateFile)
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	if err = json.NewEncoder(file).Encode(stateHeader{stateVersion, s.jobs, s.options}); err == nil && s.file != nil {
		if _, err = s.file.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(file, s.file)
		}
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	s.discard()
	s.dir, s.file = dir, file
	return s.failed
}

// discard removes the temporary file.
func (s *State) discard() {
	if s.file != nil && s.dir == "" {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// Dir is the folder that the state is kept in; "" when it is in none.
func (s *State) Dir() string { return s.dir }

// Close ends the keeping. It returns the first error of it.
func (s *State) Close() error {
	if s.file == nil {
		return nil
	}
	var err error
	if s.dir == "" {
		s.discard()
	} else {
		err = errors.Join(s.failed, s.file.Close())
	}
	s.file = nil
	return err
}

// ErrNoState is wrapped when a folder holds no state that can be gone on with.
var ErrNoState = errors.New("no campaign to go on with")

// Resume reads the state in a folder and keeps it there from now on. A last line
// that was cut off by the end of the program is left out, and so are runs that
// failed: these are played again.
func Resume(dir string) (*State, error) {
	path := filepath.Join(dir, StateFile)
	old, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: there is no %s; allowed: the folder that --out named, or that the interrupted run printed", dir, ErrNoState, StateFile)
	case err != nil:
		return nil, err
	}
	defer old.Close()
	reader := bufio.NewReader(old)
	var header stateHeader
	line, err := reader.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &header)
	}
	if err != nil || header.Version != stateVersion {
		return nil, fmt.Errorf("%s:1: %w: found version %d, allowed: %d", path, ErrNoState, header.Version, stateVersion)
	}
	s := NewState(header.Jobs, header.Options)
	for number := 2; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var r Report
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, errors.Join(fmt.Errorf("%s:%d: %w: %w", path, number, ErrNoState, err), s.Close())
		}
		job, at := s.place(&r)
		switch {
		case job < 0:
			return nil, errors.Join(fmt.Errorf("%s:%d: %w: a run of %s %s with seed %d, which this campaign does not have", path, number, ErrNoState, r.Scenario, r.Subject, r.Seed), s.Close())
		case r.Failure == "" && s.done[job][at/64]&(1<<(at%64)) == 0:
			s.Add(r)
		}
	}
	return s, s.Keep(dir)
}

// Reports reads back the reports of all runs that were played, in the order in
// which they came.
func (s *State) Reports() ([]Report, error) {
	if s.file == nil {
		return nil, s.failed
	}
	decoder := json.NewDecoder(io.NewSectionReader(s.file, 0, math.MaxInt64))
	if s.dir != "" {
		if err := decoder.Decode(&stateHeader{}); err != nil {
			return nil, err
		}
	}
	var all []Report
	for {
		var r Report
		switch err := decoder.Decode(&r); {
		case errors.Is(err, io.EOF):
			return all, s.failed
		case err != nil:
			return nil, err
		}
		all = append(all, r)
	}
}

// Left lists what is still to be played. Runs that failed are left.
func (s *State) Left() []Job {
	var left []Job
	for i, job := range s.jobs {
		rest := job
		rest.Seeds = make([]uint64, 0, len(job.Seeds)-count(s.done[i]))
		for at, seed := range job.Seeds {
			if s.done[i][at/64]&(1<<(at%64)) == 0 {
				rest.Seeds = append(rest.Seeds, seed)
			}
		}
		if len(rest.Seeds) > 0 {
			left = append(left, rest)
		}
	}
	return left
}

func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// Rows sums up what is done, one row per job.
func (s *State) Rows() []Row {
	rows := make([]Row, len(s.jobs))
	for i := range s.tallies {
		rows[i] = s.tallies[i].Row()
	}
	return rows
}
