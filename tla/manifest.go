package tla

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// files are the specifications and models, so that a built command runs from
// any directory.
//
//go:embed *.tla *.cfg manifest.json
var files embed.FS

// Expectation is the result that a model must have.
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

// Module is the common part of a specification's models: they begin with its constants
// and, where they must hold, with its checks.
type Module struct {
	Constants map[string]string `json:"constants"`
	// Reduction is the line of the configuration that shrinks the state space:
	// "VIEW Orbit". Empty for liveness, where it would be unsound.
	Reduction string   `json:"reduction"`
	Checks    []string `json:"checks"`
	// Temporal are the names among all checks that speak of more than one state.
	Temporal []string `json:"temporal"`
}

// Model is one entry of manifest.json: the difference to its module, or to
// another model. LoadManifest fills in the inherited fields.
type Model struct {
	Name     string      `json:"name"`
	Module   string      `json:"module"`             // Module.tla
	Claims   []string    `json:"claims"`             // ids, as simulate list claims prints them
	Says     string      `json:"says"`               // the model in plain words
	Expected Expectation `json:"expected"`           //
	Violates string      `json:"violates,omitempty"` // name of what must fail
	// From names the model above whose constants, claims and checks this one begins
	// with. TwinOf does so, too, for a mutant: it differs by one constant or one edit.
	From   string `json:"from,omitempty"`
	TwinOf string `json:"twin_of,omitempty"`
	// Old and New are the edit of the specification that makes the mutant, if any.
	// Old stands in it exactly once.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Only says that a mutant breaks no other check of its model. LoadManifest adds the
	// model that shows it: Name-only has the other checks and must hold.
	Only bool `json:"only,omitempty"`
	// Constants are the model's own assignments; see Assignments.
	Constants map[string]string `json:"constants,omitempty"`
	// Checks are the invariants and properties; those of a model that must fail are
	// its TypeOK and what it violates.
	Checks []string `json:"checks,omitempty"`
	// DistinctStates is the count TLC must report; 0 where it is not compared
	// (sampled models, and specifications with an edit).
	DistinctStates int         `json:"distinct_states,omitempty"`
	TimeClass      TimeClass   `json:"time_class"`
	Workers        int         `json:"workers,omitempty"` // TLC's workers, 1 if left out; 1 for liveness
	Simulate       *Simulation `json:"simulate,omitempty"`

	module Module
	size   int // about how many states TLC will find
}

// Manifest lists the models, in the order in which they run, and their verdict on each
// claim.
type Manifest struct {
	Modules map[string]Module `json:"modules"`
	Models  []Model           `json:"models"`
	Claims  []ClaimVerdict    `json:"claims"`
}

// UnknownModelError names a model that manifest.json does not have.
type UnknownModelError struct{ Name string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("tla: no model %q in manifest.json", e.Name)
}

// ClaimVerdict is the verdict of the models on one claim: the model column of a
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
	// Theorem names the theorems of tla/proof about the claim; empty without one.
	Theorem string `json:"theorem,omitempty"`
	// TheoremOf is the part of the claim that they are about; empty for all of it.
	TheoremOf string `json:"theorem_of,omitempty"`
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
	for i := range manifest.Models {
		if err := manifest.resolve(&manifest.Models[i]); err != nil {
			return Manifest{}, fmt.Errorf("tla: manifest.json: %s: %w", manifest.Models[i].Name, err)
		}
	}
	var models []Model
	for _, model := range manifest.Models {
		models = append(models, model)
		if model.Only {
			models = append(models, manifest.onlyThat(model))
		}
	}
	manifest.Models = models
	return manifest, nil
}

// onlyThat is the model which shows that a mutant breaks nothing else.
func (m Manifest) onlyThat(mutant Model) Model {
	original, err := m.Model(mutant.TwinOf)
	if err != nil {
		panic(err) // resolve has found it
	}
	kept := mutant
	kept.Name, kept.Says, kept.Claims = mutant.Name+"-only", mutant.Says+": nothing else breaks", nil
	kept.Expected, kept.Violates, kept.Only, kept.DistinctStates = Holds, "", false, 0
	kept.size = original.DistinctStates
	violated := func(check string) bool { return check == mutant.Violates }
	kept.Checks = slices.DeleteFunc(slices.Clone(original.Checks), violated)
	return kept
}

// resolve fills in the fields that a model inherits from its module, or from the model above
// that it is a twin of.
func (m Manifest) resolve(model *Model) error {
	constants := m.Modules[model.Module].Constants
	checks := m.Modules[model.Module].Checks
	if from := cmp.Or(model.TwinOf, model.From); from != "" {
		original, err := m.Model(from)
		if err != nil || model.Module != "" {
			return fmt.Errorf("found model %q and module %q; allowed: a model above, and no module", from, model.Module)
		}
		constants, checks, model.Module = original.Constants, original.Checks, original.Module
		if model.Claims == nil {
			model.Claims = original.Claims
		}
	}
	module, known := m.Modules[model.Module]
	if !known {
		return fmt.Errorf("found module %q; allowed: one of modules", model.Module)
	}
	model.module, model.Workers = module, max(model.Workers, 1)
	model.size = model.DistinctStates
	own := model.Constants
	model.Constants = maps.Clone(constants)
	maps.Copy(model.Constants, own)
	switch {
	case model.Checks != nil:
	case model.Expected == Holds:
		model.Checks = checks
	case model.Expected == Reached:
		model.Checks = []string{model.Violates}
	default:
		model.Checks = []string{"TypeOK", model.Violates}
	}
	return nil
}

// Configuration is the model's file for TLC.
func (m Model) Configuration() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\\* %s\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n%s\nCONSTANTS\n", m.Says, m.module.Reduction)
	for _, name := range slices.Sorted(maps.Keys(m.Constants)) {
		if name == "Clients" || name == "Nodes" {
			for _, element := range word.FindAllString(m.Constants[name], -1) {
				fmt.Fprintf(&text, "    %s = %s\n", element, element)
			}
		}
		fmt.Fprintf(&text, "    %s = %s\n", name, m.Constants[name])
	}
	for _, check := range m.Checks {
		section := "INVARIANT"
		if slices.Contains(m.module.Temporal, check) {
			section = "PROPERTY"
		}
		fmt.Fprintf(&text, "%s %s\n", section, check)
	}
	return text.String()
}

var word = regexp.MustCompile(`\w+`)

// specification is the text of the model's module, with the model's edit.
func (m Model) specification() (string, error) {
	text, err := files.ReadFile(m.Module + ".tla")
	if err != nil {
		return "", fmt.Errorf("tla: %w", err)
	}
	if n := strings.Count(string(text), m.Old); m.Old != "" && n != 1 {
		return "", fmt.Errorf("tla: %s: found its text %d times in %s.tla; allowed: once", m.Name, n, m.Module)
	}
	if m.Old == "" {
		return string(text), nil
	}
	return strings.Replace(string(text), m.Old, m.New, 1), nil
}

// Model returns the model of a name. Error: *UnknownModelError.
func (m Manifest) Model(name string) (Model, error) {
	i := slices.IndexFunc(m.Models, func(model Model) bool { return model.Name == name })
	if i < 0 {
		return Model{}, &UnknownModelError{Name: name}
	}
	return m.Models[i], nil
}

// Select returns the models of a run: the named ones, or the mutants, or all others.
// Without full it leaves out models that take minutes. Error: *UnknownModelError.
func (m Manifest) Select(full, mutants bool, names []string) ([]Model, error) {
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
		if (full || model.TimeClass == Quick) && mutants == model.Mutant() {
			selected = append(selected, model)
		}
	}
	return selected, nil
}

// Mutant reports whether a model only shows that another one can fail.
func (m Model) Mutant() bool { return m.TwinOf != "" }
