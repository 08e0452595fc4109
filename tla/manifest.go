package tla

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
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

// ClaimVerdict is what the models say about one claim: the model column of a
// report. Claims are in the order of simulate list claims.
type ClaimVerdict struct {
	Claim string `json:"claim"` // id, as simulate list claims prints it
	// Says is the verdict in words: "holds", "fails (A-VOTE)", "not modelled". A
	// claim fails in models in which the assumption in brackets is off.
	Says string `json:"says"`
	// Models are the models behind it, in the order of the README, without their
	// twins and reachability models. Empty when not modelled.
	Models []string `json:"models"`
	Reason string   `json:"reason,omitempty"` // why it is not modelled
}

// LoadManifest reads the manifest that was built in, which the tests have checked.
func LoadManifest() Manifest {
	text, err := files.ReadFile("manifest.json")
	if err != nil {
		panic(err)
	}
	manifest, err := parseManifest(text)
	if err != nil {
		panic(err)
	}
	return manifest
}

func parseManifest(text []byte) (Manifest, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var manifest Manifest
	if err := decoder.Decode(&manifest); err != nil {
		return Manifest{}, fmt.Errorf("tla: manifest.json: %w", err)
	}
	return manifest, nil
}

// Model returns the model of a name. Error: *UnknownModelError.
func (m Manifest) Model(name string) (Model, error) {
	i := slices.IndexFunc(m.Models, func(model Model) bool { return model.Name == name })
	if i < 0 {
		return Model{}, &UnknownModelError{Name: name}
	}
	return m.Models[i], nil
}

// Select returns the models of a run: the named ones, or all quick ones, or,
// with full, all. Error: *UnknownModelError.
func (m Manifest) Select(full bool, names []string) ([]Model, error) {
	var selected []Model
	for _, name := range names {
		model, err := m.Model(name)
		if err != nil {
			return nil, err
		}
		selected = append(selected, model)
	}
	if len(names) > 0 {
		return selected, nil
	}
	for _, model := range m.Models {
		if full || model.TimeClass == Quick {
			selected = append(selected, model)
		}
	}
	return selected, nil
}

// Constants are the constants of a model's configuration, as text: "3", "TRUE",
// `"half"`, "{c1, c2}". A model without a configuration has none.
func (m Model) Constants() map[string]string {
	text, _ := files.ReadFile("models/" + m.Name + ".cfg") // the tests have checked that each model has one
	constants := map[string]string{}
	for _, assignment := range constant.FindAllStringSubmatch(string(text), -1) {
		constants[assignment[1]] = assignment[2]
	}
	return constants
}

var constant = regexp.MustCompile(`(?m)^ +(\w+) = (.*)$`)
