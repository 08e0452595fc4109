package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/saved"
)

// canSave says why a run cannot be saved in a folder; nil when it can, or when there is none. It
// leaves nothing behind but the folder's parents.
func canSave(dir string) error {
	if dir == "" {
		return nil
	}
	if err := saved.Replaceable(dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return writable("--out", filepath.Dir(filepath.Clean(dir)))
}

// besides says why a run that was made of a saved one cannot be saved in a folder; nil when it can, or
// when there is none.
func besides(dir, run string) error {
	if dir != "" && filepath.Clean(dir) == filepath.Clean(run) {
		return fmt.Errorf("--out: found %s, the folder of the run itself; allowed: another, so that both can be compared", dir)
	}
	return canSave(dir)
}

// startsFresh says why a journal cannot begin in a folder; nil when it can.
func startsFresh(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--out: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == journal.File {
			return fmt.Errorf("--out: %s holds a journal; allowed: --resume %s, or a folder that is new or empty",
				dir, dir)
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("--out: %s is not empty; allowed: a folder that is new or empty", dir)
	}
	return writable("--out", dir)
}

// writable creates a folder and tries whether files can be made in it. Errors name the flag.
func writable(flag, dir string) error {
	var probe *os.File
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		probe, err = os.CreateTemp(dir, ".writable-")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// createFile writes a file that is not there yet.
func createFile(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// saveInto gives every job the folder that its one run is saved to.
func saveInto(jobs []campaign.Job, out string) error {
	several := func(j campaign.Job) bool { return j.Scenario.Name != jobs[0].Scenario.Name }
	for i := range jobs {
		dir := out
		if slices.ContainsFunc(jobs, several) {
			dir = filepath.Join(dir, jobs[i].Scenario.Name)
		}
		if len(jobs) > 1 {
			dir = filepath.Join(dir, folderOf(jobs[i].Subject))
		}
		if err := canSave(dir); err != nil {
			return err
		}
		jobs[i].Save = dir
	}
	return nil
}

// folderOf makes a folder's name of a subject's title.
func folderOf(subject string) string { return strings.ReplaceAll(subject, " ", "-") }

// newFolder makes a folder with a name of its own.
func newFolder(parent, prefix string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, prefix)
}
