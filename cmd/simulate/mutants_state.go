package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// huntState is what mutants has done so far. It belongs to one program: another
// build may play other runs.
type huntState struct {
	path    string // empty: it is not kept
	Program string `json:"program"` // SHA-256 of the executable
	// Hunts are in the order in which they began.
	Hunts []*huntProgress `json:"hunts"`
}

// huntProgress is how far one line of the table has come with one strategy.
type huntProgress struct {
	Name         string   `json:"name"`
	Strategy     string   `json:"strategy"`
	Played       int      `json:"played"`
	CaughtAfter  int      `json:"caught_after"` // runs; 0: not yet
	Inconclusive int      `json:"inconclusive"`
	Failures     []string `json:"failures,omitempty"` // why, of the first few
	Milliseconds int64    `json:"milliseconds"`
}

// openHuntState reads the state in a file, or begins a new one where there is none.
func openHuntState(path string) (*huntState, error) {
	state := &huntState{path: path}
	if path == "" {
		return state, nil
	}
	program, err := programHash()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		state.Program = program
		return state, state.save()
	case err != nil:
		return nil, fmt.Errorf("--state: %w", err)
	}
	if err := json.Unmarshal(text, state); err != nil {
		return nil, fmt.Errorf("--state: %s: %w", path, err)
	}
	if state.Program != program {
		return nil, fmt.Errorf("--state: %s was written by another build of simulate; allowed: the same build, or a new file", path)
	}
	return state, nil
}

// of is the progress of a hunt, a new one if it has not begun.
func (s *huntState) of(name, strategy string) *huntProgress {
	for _, h := range s.Hunts {
		if h.Name == name && h.Strategy == strategy {
			return h
		}
	}
	h := &huntProgress{Name: name, Strategy: strategy}
	s.Hunts = append(s.Hunts, h)
	return h
}

// save writes the file anew: whoever is interrupted finds the old one or the new one.
func (s *huntState) save() error {
	if s.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	next := s.path + ".next"
	if err := os.WriteFile(next, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	return os.Rename(next, s.path)
}

func programHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
