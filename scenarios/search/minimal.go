package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/explain"
)

// MinimalVersion is the version of the format of a minimal plan, which FORMATS.md describes.
const MinimalVersion = 1

// Minimal is a minimal plan: it expects exactly what it shows, and the certificate
// says that it needs each of its faults.
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
	var f minimalFile
	if err := plan.DecodeStrict(text, &f); err != nil {
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

// What Save adds to the files of a saved run.
const (
	CertificateFile = "certificate.json"
	StoryFile       = "story.txt" // what explain tells of the run
)

var (
	// ErrNoVerdict is wrapped where a run was stopped before it had a verdict.
	ErrNoVerdict = errors.New("the run has no verdict")
	// ErrNotDeterministic is wrapped where a plan makes two traces.
	ErrNotDeterministic = errors.New("the same plan made another trace")
)

// Save plays a minimal plan twice and saves its run in a folder, with the certificate
// and the story. Its errors are those of [campaign.Play] too.
func (m *Minimal) Save(
	ctx context.Context, settings campaign.Settings, dir string,
) (campaign.Summary, *explain.Story, error) {
	job := campaign.PlanJob(m.Plan)
	again, err := campaign.PlayOne(ctx, settings, job)
	if err != nil {
		return campaign.Summary{}, nil, err
	}
	job.Save = dir
	report, err := campaign.PlayOne(ctx, settings, job)
	switch {
	case err != nil:
		return campaign.Summary{}, nil, err
	case report.Failure != "":
		return campaign.Summary{}, nil, fmt.Errorf("%w: %s", ErrNoVerdict, report.Failure)
	case report.TraceHash != again.TraceHash:
		return campaign.Summary{}, nil, fmt.Errorf("%w: %s, then %s", ErrNotDeterministic, again.TraceHash, report.TraceHash)
	}
	run, err := saved.Explained(dir)
	if err != nil {
		return campaign.Summary{}, nil, err
	}
	story, err := explain.NewStory(run, explain.StoryOptions{CausalOnly: true})
	if err != nil {
		return campaign.Summary{}, nil, err
	}
	var text bytes.Buffer
	if _, err := story.WriteTo(&text); err != nil {
		return campaign.Summary{}, nil, err
	}
	return report, story, errors.Join(
		journal.WriteFile(filepath.Join(dir, StoryFile), text.Bytes()),
		journal.WriteJSON(filepath.Join(dir, CertificateFile), m.Certificate))
}

// Change says what the shrinking removed from a plan.
func (m *Minimal) Change(from *plan.Plan) string {
	faultsBefore, clientsBefore, stepsBefore := Size(from)
	faults, clients, steps := Size(m.Plan)
	return fmt.Sprintf("shrunk in %d runs: faults %d → %d, clients %d → %d, steps %d → %d",
		m.Certificate.Runs, faultsBefore, faults, clientsBefore, clients, stepsBefore, steps)
}
