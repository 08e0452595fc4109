package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"redlocklab/scenarios/plan"
)

// MinimalVersion is the version of the format of a minimal plan, which FORMATS.md describes.
const MinimalVersion = 1

// Minimal is a violation made small: a plan that expects exactly what it shows,
// and the certificate that it needs each of its faults.
type Minimal struct {
	Certificate *Certificate
	Plan        *plan.Plan
}

// minimalFile is how a file has it.
type minimalFile struct {
	Version     int             `json:"version"`
	Certificate *Certificate    `json:"certificate"`
	Plan        json.RawMessage `json:"plan"`
}

// Encode writes a minimal plan as JSON, always the same bytes for one.
func (m *Minimal) Encode() ([]byte, error) {
	plan, err := m.Plan.Encode()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(minimalFile{MinimalVersion, m.Certificate, plan}, "", " ")
	return append(text, '\n'), err
}

// LoadMinimal reads a minimal plan from a file. Unknown keys and other versions are errors.
func LoadMinimal(path string) (*Minimal, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f minimalFile
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w; allowed: a minimal plan, with version, certificate and plan", path, err)
	}
	if f.Version != MinimalVersion || f.Certificate == nil {
		return nil, fmt.Errorf("%s: found a minimal plan of version %d; allowed: %d with its certificate; delete the file and make it anew: ./simulate report --rerun --minimal", path, f.Version, MinimalVersion)
	}
	plan, err := plan.DecodePlan(f.Plan)
	if err != nil {
		return nil, fmt.Errorf("%s: the plan in it: %w", path, err)
	}
	return &Minimal{f.Certificate, plan}, nil
}
