// Package folder makes the folders that commands write into, or says why they cannot be written.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/saved"
)

// CanSave says why a run cannot be saved in a folder; nil when it can. It leaves
// nothing behind but the folder's parents.
func CanSave(dir string) error {
	if err := saved.Replaceable(dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return Writable("--out", filepath.Dir(filepath.Clean(dir)))
}

// StartsFresh says why a journal cannot begin in a folder; nil when it can.
func StartsFresh(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--out: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == journal.File {
			return fmt.Errorf("--out: %s holds a journal; allowed: --resume %s, or a folder that is new or empty", dir, dir)
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("--out: %s is not empty; allowed: a folder that is new or empty", dir)
	}
	return Writable("--out", dir)
}

// Writable creates a folder and tries whether files can be made in it. Errors name the flag.
func Writable(flag, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	probe, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// New makes a folder with a name of its own.
func New(parent, prefix string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, prefix)
}
