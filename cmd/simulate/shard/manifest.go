package shard

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
)

// File is the name of a manifest in a shard's folder.
const File = "manifest.json"

// Version is the version of the format, which FORMATS.md describes.
const Version = 1

// Manifest says what a shard's folder holds. It is written when the shard begins, and
// again when it is finished.
type Manifest struct {
	Version int    `json:"version"`
	Shard   int    `json:"shard"`
	Of      int    `json:"of"`
	Commit  string `json:"commit"`
	Program string `json:"program"` // SHA-256 of the executable
	Command string `json:"command"` // without the flags that do not change what is played
	Told    string `json:"told"`    // SHA-256 of the journal's first line
	Seeds   string `json:"seeds,omitempty"`
	Items   int    `json:"items"` // of all shards
	// Results and Failed count those of this shard, Failed those without a verdict.
	Results int `json:"results"`
	Failed  int `json:"failed,omitempty"`
	// Journal is the SHA-256 of the journal of a finished shard.
	Journal string `json:"journal,omitempty"`
}

// Part is the shard that the manifest is about.
func (m *Manifest) Part() Shard { return Shard{m.Shard, m.Of} }

// Finished reports whether all items of the shard have a result.
func (m *Manifest) Finished() bool { return m.Journal != "" }

// Write writes the manifest into a folder.
func (m *Manifest) Write(dir string) error {
	return journal.WriteJSON(filepath.Join(dir, File), m)
}

// Begin writes the manifest of a shard that has a journal.
func (m *Manifest) Begin(dir string) error {
	file, err := os.Open(filepath.Join(dir, journal.File))
	if err != nil {
		return err
	}
	defer file.Close()
	line, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil {
		return err
	}
	m.Told = fmt.Sprintf("%x", sha256.Sum256(line))
	return m.Write(dir)
}

// Finish writes the manifest of a shard whose journal is closed, in order and whole.
func (m *Manifest) Finish(dir string, results, failed int) error {
	m.Results, m.Failed = results, failed
	var err error
	if m.Journal, err = journalHash(dir); err != nil {
		return err
	}
	return m.Write(dir)
}

// Open reads the manifest in a folder. The error is fs.ErrNotExist where there is none.
func Open(dir string) (*Manifest, error) {
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := plan.DecodeStrict(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := Parse(m.Part().String()); m.Version != Version || err != nil {
		return nil, fmt.Errorf("%s: found version %d of shard %s; allowed: version %d of a shard as --shard takes it",
			path, m.Version, m.Part(), Version)
	}
	return m, nil
}

// differs says in what two manifests do not belong to one campaign; "" when they do. A commit
// says all about a program unless it is unknown or changed.
func (m *Manifest) differs(other *Manifest) string {
	tell := func(what string, a, b any) string { return fmt.Sprintf("%s (%v, not %v)", what, a, b) }
	switch {
	case m.Of != other.Of:
		return tell("number of shards", m.Of, other.Of)
	case m.Command != other.Command:
		return tell("command", m.Command, other.Command)
	case m.Commit != other.Commit:
		return tell("commit", m.Commit, other.Commit)
	case m.Program != other.Program && (strings.Contains(m.Commit, "unknown") || strings.Contains(m.Commit, "changes")):
		return tell("program", m.Program, other.Program)
	}
	return ""
}

// ProgramHash is the SHA-256 of the executable.
func ProgramHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return journal.Hash(path)
}

func journalHash(dir string) (string, error) { return journal.Hash(filepath.Join(dir, journal.File)) }

// Begun is the manifest of a shard that has begun in a folder, and can be continued as the one that is
// asked for; nil when none has, or died before it had a journal.
func (m *Manifest) Begun(dir string) (*Manifest, error) {
	if _, err := os.Stat(filepath.Join(dir, journal.File)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	begun, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("--out: found in %s a journal without %s; allowed: the folder of a shard, or one that is new",
			dir, File)
	}
	if err != nil {
		return nil, err
	}
	if difference := begun.differs(m); difference != "" {
		err = fmt.Errorf("--out: found in %s a shard with another %s; "+
			"allowed: another folder, or the same program and command", dir, difference)
	}
	return begun, err
}
