package tla

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// files are the specifications and models, so that a built command runs from
// any directory.
//
//go:embed *.tla *.cfg models/*.cfg manifest.json
var files embed.FS

// Expectation is what TLC must say about a model.
type Expectation string

// The expectations of manifest.json.
const (
	// Holds: complete exploration (or all sampled behaviours), no error.
	Holds Expectation = "holds"
	// Safety: the invariant or action property Violates must fail.
	Safety Expectation = "safety"
	// Liveness: the model's one temporal property must fail.
	Liveness Expectation = "liveness"
	// Reached: as Safety, but Violates says that something never happens, and
	// its failure shows that the model is not empty.
	Reached Expectation = "reached"
)

// TimeClass says which runs include a model.
type TimeClass string

// The time classes of manifest.json. A full run includes the quick models.
const (
	Quick TimeClass = "quick"
	Full  TimeClass = "full"
)

// Simulation asks TLC for random behaviours in place of exhaustive search.
type Simulation struct {
	Behaviours int `json:"behaviours"`
	Depth      int `json:"depth"`
	Seed       int `json:"seed"`
}

// Model is one entry of manifest.json.
type Model struct {
	Name     string      `json:"name"`               // models/Name.cfg
	Module   string      `json:"module"`             // Module.tla
	Claims   []string    `json:"claims"`             // ids, as simulate list claims prints them
	Says     string      `json:"says"`               // the model in plain words
	Expected Expectation `json:"expected"`           //
	Violates string      `json:"violates,omitempty"` // name of what must fail
	TwinOf   string      `json:"twin_of,omitempty"`  // differs from that model by one constant
	// DistinctStates is the count TLC must report; 0 where it is not compared
	// (sampled models).
	DistinctStates int         `json:"distinct_states"`
	TimeClass      TimeClass   `json:"time_class"`
	Workers        int         `json:"workers"` // TLC's workers; 1 for liveness
	Simulate       *Simulation `json:"simulate,omitempty"`
}

// Manifest is the list of models, in the order in which they run, and what they
// say about each claim.
type Manifest struct {
	Models []Model        `json:"models"`
	Claims []ClaimVerdict `json:"claims"`
}

// UnknownModelError names a model that manifest.json does not have.
type UnknownModelError struct{ Name string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("tla: no model %q in manifest.json", e.Name)
}

// LoadManifest reads the manifest that was built in.
func LoadManifest() (Manifest, error) {
	text, err := files.ReadFile("manifest.json")
	if err != nil {
		return Manifest{}, fmt.Errorf("tla: %w", err)
	}
	return parseManifest(text)
}

func parseManifest(text []byte) (Manifest, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	var manifest Manifest
	if err := decoder.Decode(&manifest); err != nil {
		return Manifest{}, fmt.Errorf("tla: manifest.json: %w", err)
	}
	for _, model := range manifest.Models {
		if err := model.validate(); err != nil {
			return Manifest{}, fmt.Errorf("tla: manifest.json: %s: %w", model.Name, err)
		}
	}
	if err := manifest.validateClaims(); err != nil {
		return Manifest{}, fmt.Errorf("tla: manifest.json: %w", err)
	}
	return manifest, nil
}

func (m Model) validate() error {
	switch m.Expected {
	case Holds:
		if m.Violates != "" {
			return fmt.Errorf("a model that holds cannot violate %s", m.Violates)
		}
	case Safety, Liveness, Reached:
		if m.Violates == "" {
			return fmt.Errorf("violates is missing")
		}
	default:
		return fmt.Errorf("expected is %q", m.Expected)
	}
	if m.TimeClass != Quick && m.TimeClass != Full {
		return fmt.Errorf("time_class is %q", m.TimeClass)
	}
	if m.Workers < 1 {
		return fmt.Errorf("workers is %d", m.Workers)
	}
	return nil
}

// Select returns the models of a run: the named ones, or all quick ones, or,
// with full, all. An unknown name is an *UnknownModelError.
func (m Manifest) Select(full bool, names []string) ([]Model, error) {
	var selected []Model
	if len(names) == 0 {
		for _, model := range m.Models {
			if full || model.TimeClass == Quick {
				selected = append(selected, model)
			}
		}
		return selected, nil
	}
	byName := make(map[string]Model, len(m.Models))
	for _, model := range m.Models {
		byName[model.Name] = model
	}
	for _, name := range names {
		model, found := byName[name]
		if !found {
			return nil, &UnknownModelError{Name: name}
		}
		selected = append(selected, model)
	}
	return selected, nil
}
