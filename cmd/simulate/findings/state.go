package findings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
)

// Version is the version of the state file, which FORMATS.md describes.
const Version = 1

// State is what a state file keeps of a campaign.
type State struct {
	Version  int       `json:"version"`
	Commit   string    `json:"commit"`
	Findings []Finding `json:"findings"`
}

// Load reads a state file; nil when there is none yet.
func Load(path string) (*State, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("--state: %s: found no file; allowed: the file of an earlier campaign, or none", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	s := &State{}
	if err := plan.DecodeStrict(text, s); err != nil {
		return nil, fmt.Errorf("--state: %s: %w; allowed: the file of an earlier campaign, or none", path, err)
	}
	if s.Version != Version {
		return nil, fmt.Errorf("--state: %s: found version %d; allowed: %d", path, s.Version, Version)
	}
	return s, nil
}

// Compare prints what is new, known and gone since an earlier campaign; nil is none.
func (s *State) Compare(w io.Writer, before *State) {
	known := func(s *State, f *Finding) bool {
		return s != nil && slices.ContainsFunc(s.Findings, func(x Finding) bool { return x.key() == f.key() })
	}
	counts := map[string]int{}
	line := func(word string, f *Finding) {
		counts[word]++
		fmt.Fprintf(w, "%-5s  %s\n", word, f)
	}
	for i := range s.Findings {
		if f := &s.Findings[i]; known(before, f) {
			line("known", f)
		} else {
			line("new", f)
		}
	}
	since := "; there is no campaign before"
	if before != nil {
		for i := range before.Findings {
			if f := &before.Findings[i]; !known(s, f) {
				line("gone", f)
			}
		}
		since = " since " + before.Commit
	}
	fmt.Fprintf(w, "findings: %d new, %d known, %d gone%s\n", counts["new"], counts["known"], counts["gone"], since)
}

// Write replaces the state file.
func (s *State) Write(path string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(path, append(text, '\n'))
}
