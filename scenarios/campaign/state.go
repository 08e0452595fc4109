package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// StateFile is the name of a campaign's state in its folder: one JSON line with
// what is to be played, then one line per run that was. It is all that is needed to go on.
const StateFile = "campaign.jsonl"

// stateVersion changes when old states cannot be gone on with.
const stateVersion = 2

// State is a campaign with what is done of it. It keeps itself on disk once it has a folder.
type State struct {
	Jobs    []Job
	Options Options
	Reports []Report // of runs that are done, in the order in which they ended

	dir    string // "" until it is on disk
	file   *os.File
	failed error // of the first line that could not be written
}

type stateHeader struct {
	Version int     `json:"version"`
	Jobs    []Job   `json:"jobs"`
	Options Options `json:"options"`
}

// Add takes in the report of one run.
func (s *State) Add(r Report) {
	s.Reports = append(s.Reports, r)
	if s.file != nil && s.failed == nil {
		s.failed = json.NewEncoder(s.file).Encode(&r)
	}
}

// Keep puts the state into a folder and keeps it there from now on.
func (s *State) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	if err := encoder.Encode(stateHeader{stateVersion, s.Jobs, s.Options}); err != nil {
		return err
	}
	for i := range s.Reports {
		if err := encoder.Encode(&s.Reports[i]); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, StateFile)
	if err := os.WriteFile(path+".new", text.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	s.dir, s.file = dir, file
	return nil
}

// Dir is the folder that the state is kept in; "" when it is in none.
func (s *State) Dir() string { return s.dir }

// Close ends the keeping. It returns the first error of it.
func (s *State) Close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.failed, s.file.Close())
	s.file = nil
	return err
}

// ErrNoState is wrapped when a folder holds no state that can be gone on with.
var ErrNoState = errors.New("no campaign to go on with")

// Resume reads the state in a folder and keeps it there from now on. A last line
// that was cut off by the end of the program is left out; that run is played again.
func Resume(dir string) (*State, error) {
	path := filepath.Join(dir, StateFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: there is no %s; allowed: the folder that --out named, or that the interrupted run printed", dir, ErrNoState, StateFile)
	case err != nil:
		return nil, err
	}
	if end := bytes.LastIndexByte(data, '\n'); end+1 < len(data) {
		data = data[:end+1]
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	var header stateHeader
	if err := decoder.Decode(&header); err != nil || header.Version != stateVersion {
		return nil, fmt.Errorf("%s:1: %w: found version %d, allowed: %d", path, ErrNoState, header.Version, stateVersion)
	}
	s := &State{Jobs: header.Jobs, Options: header.Options}
	for line := 2; ; line++ {
		var r Report
		err := decoder.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w: %w", path, line, ErrNoState, err)
		}
		if s.job(&r) < 0 {
			return nil, fmt.Errorf("%s:%d: %w: a run of %s %s, which this campaign does not have", path, line, ErrNoState, r.Scenario, r.Subject)
		}
		s.Reports = append(s.Reports, r)
	}
	return s, s.Keep(dir)
}

// job finds the job of a report; -1 when there is none.
func (s *State) job(r *Report) int {
	for i := range s.Jobs {
		if s.Jobs[i].Scenario.Name == r.Scenario && s.Jobs[i].Subject == r.Subject {
			return i
		}
	}
	return -1
}

// Left lists what is still to be played. Runs that failed are played again.
func (s *State) Left() []Job {
	type run struct {
		job  int
		seed uint64
	}
	done := map[run]bool{}
	for i := range s.Reports {
		if s.Reports[i].Failure == "" {
			done[run{s.job(&s.Reports[i]), s.Reports[i].Seed}] = true
		}
	}
	var left []Job
	for i, job := range s.Jobs {
		rest := job
		rest.Seeds = nil
		for _, seed := range job.Seeds {
			if !done[run{i, seed}] {
				rest.Seeds = append(rest.Seeds, seed)
			}
		}
		if len(rest.Seeds) > 0 {
			left = append(left, rest)
		}
	}
	return left
}

// Rows sums up what is done, one row per job. Of a run that was played twice the
// later report counts.
func (s *State) Rows() []Row {
	byJob := make([]map[uint64]Report, len(s.Jobs))
	for i := range s.Reports {
		j := s.job(&s.Reports[i])
		if byJob[j] == nil {
			byJob[j] = map[uint64]Report{}
		}
		byJob[j][s.Reports[i].Seed] = s.Reports[i]
	}
	rows := make([]Row, len(s.Jobs))
	for i := range s.Jobs {
		var reports []Report
		for _, seed := range s.Jobs[i].Seeds {
			if r, ok := byJob[i][seed]; ok {
				reports = append(reports, r)
			}
		}
		rows[i] = Sum(&s.Jobs[i], reports)
	}
	return rows
}
