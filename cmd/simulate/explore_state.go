package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"redlocklab/scenarios/search"
)

// explorationFile is the name of an exploration's state in its folder: one JSON
// line with what it was told, then one line per run that was played.
const explorationFile = "exploration.jsonl"

// explorationVersion changes when old states cannot be gone on with.
const explorationVersion = 2

// told is what an exploration was told: all that its runs depend on.
type told struct {
	Version  int            `json:"version"`
	Strategy string         `json:"strategy"`
	Seed     uint64         `json:"seed"`
	Runs     int            `json:"runs"`
	Options  search.Options `json:"options"`
	Expect   string         `json:"expect,omitempty"`
	Scripts  string         `json:"scripts"`
}

// explorationState keeps the runs of an exploration, on disk once it has a folder.
type explorationState struct {
	told told
	done []explored

	dir    string // "" until it is on disk
	file   *os.File
	failed error // of the first line that could not be written
}

// add takes in one run.
func (s *explorationState) add(x explored) {
	s.done = append(s.done, x)
	if s.file != nil && s.failed == nil {
		s.failed = json.NewEncoder(s.file).Encode(x)
	}
}

// keep puts the state into a folder and keeps it there from now on.
func (s *explorationState) keep(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	if err := encoder.Encode(s.told); err != nil {
		return err
	}
	for _, x := range s.done {
		if err := encoder.Encode(x); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, explorationFile)
	if err := os.WriteFile(path+".new", text.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	s.dir, s.file = dir, file
	return err
}

// close ends the keeping. It returns the first error of it.
func (s *explorationState) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.failed, s.file.Close())
	s.file = nil
	return err
}

// resumeExploration reads the state in a folder and keeps it there from now on.
// A last line that was cut off is left out; that run is played again.
func resumeExploration(dir string) (*explorationState, error) {
	path := filepath.Join(dir, explorationFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w; allowed: the folder that --out named, or that the interrupted exploration printed", err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	decoder := json.NewDecoder(bytes.NewReader(data))
	s := &explorationState{}
	if err := decoder.Decode(&s.told); err != nil || s.told.Version != explorationVersion {
		return nil, fmt.Errorf("--resume: %s:1: found version %d; allowed: %d", path, s.told.Version, explorationVersion)
	}
	for line := 2; ; line++ {
		var x explored
		err := decoder.Decode(&x)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("--resume: %s:%d: %w", path, line, err)
		}
		if x.Failure == "" { // what failed is played again
			s.done = append(s.done, x)
		}
	}
	return s, s.keep(dir)
}
