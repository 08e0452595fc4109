package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim/explain"
)

// Explain prepares a run for package explain. The causes say what explains each finding;
// without causes the footprint does.
func Explain(r *play.Result, causes *cause.Answer) *explain.Run {
	if causes == nil {
		return r.Explained()
	}
	decided := *r
	decided.Verdict = causes.Explain(r.Verdict)
	run := decided.Explained()
	run.Causes, run.Decisive = causes.Sentences(), causes.Events()
	return run
}

// Explained reads a saved run, with its causes if there are any, for package explain.
func Explained(dir string) (*explain.Run, error) {
	r, err := Load(dir)
	if err != nil {
		return nil, err
	}
	causes, err := Causes(dir, r)
	if err != nil {
		return nil, err
	}
	return Explain(r, causes), nil
}

// Causes reads the causes that were saved with a run. It returns nil when there are none, or
// when they belong to another run, because the plan was changed.
func Causes(dir string, r *play.Result) (*cause.Answer, error) {
	path := filepath.Join(dir, CausesFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err == nil && version.Version != cause.Version {
		return nil, fmt.Errorf("%s: found version %d; allowed: %d; make it again: ./simulate why %s",
			path, version.Version, cause.Version, dir)
	}
	a := &cause.Answer{}
	if err := plan.DecodeStrict(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !a.Of(r) {
		return nil, nil
	}
	return a, nil
}

// WriteCauses writes causes beside a saved run.
func WriteCauses(a *cause.Answer, dir string) error {
	return journal.WriteJSON(filepath.Join(dir, CausesFile), a)
}
