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

// Explain is a run as package explain tells and draws it. What explains a finding follows
// from the causes; where these are nil, from the ledger's rule.
func Explain(r *play.Result, causes *cause.Answer) *explain.Run {
	if causes == nil {
		return r.Explained()
	}
	decided := *r
	decided.Verdict = causes.Explain(r.Verdict)
	run := decided.Explained()
	run.Causes, run.Decisive = causes.Told(), causes.Events()
	return run
}

// Explained reads a saved run for package explain, with its causes if they are there.
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

// Causes reads the causes that were saved with a run. They are nil when there are none, or
// when they are another run's, because the plan was changed.
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
		return nil, fmt.Errorf("%s: found version %d; allowed: %d; make it again: ./simulate why %s", path, version.Version, cause.Version, dir)
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
	text, err := encodeCauses(a)
	if err != nil {
		return err
	}
	return journal.WriteFile(filepath.Join(dir, CausesFile), text)
}

func encodeCauses(a *cause.Answer) ([]byte, error) {
	text, err := json.MarshalIndent(a, "", "  ")
	return append(text, '\n'), err
}
