package tla

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// configuration returns the lines of a model's .cfg without its comments.
func configuration(t *testing.T, model string) []string {
	t.Helper()
	text, err := files.ReadFile("models/" + model + ".cfg")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, `\*`) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestEveryConfigurationIsInTheManifest(t *testing.T) {
	listed := map[string]bool{}
	for _, model := range LoadManifest().Models {
		if listed[model.Name] {
			t.Errorf("%s is listed twice", model.Name)
		}
		listed[model.Name] = true
		configuration(t, model.Name)
	}
	found, err := fs.Glob(files, "models/*.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if name := strings.TrimSuffix(strings.TrimPrefix(path, "models/"), ".cfg"); !listed[name] {
			t.Errorf("%s is not in manifest.json", path)
		}
	}
}

// A twin differs from its model by exactly one constant (and by the model
// values that the constant needs), and fails where its model holds.
func TestTwinsDifferByOneConstant(t *testing.T) {
	byName := map[string]Model{}
	hasTwin := map[string]bool{}
	for _, model := range LoadManifest().Models {
		byName[model.Name] = model
		if model.TwinOf != "" {
			hasTwin[model.TwinOf] = true
		}
	}
	for _, model := range LoadManifest().Models {
		if model.Expected == Holds && !hasTwin[model.Name] {
			t.Errorf("%s holds and has no twin that must fail", model.Name)
		}
		if model.TwinOf == "" {
			continue
		}
		original := byName[model.TwinOf]
		if original.Expected != Holds || model.Expected == Holds || original.Module != model.Module {
			t.Errorf("%s is no failing twin of %s", model.Name, model.TwinOf)
		}
		if changed := differences(configuration(t, original.Name), configuration(t, model.Name)); len(changed) != 1 {
			t.Errorf("%s differs from %s by %q, expected one constant", model.Name, model.TwinOf, changed)
		}
	}
}

// differences lists the constants, or other lines, that are not in both.
func differences(a, b []string) []string {
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	for _, line := range b {
		count[line]--
	}
	seen := map[string]bool{}
	var changed []string
	for _, line := range append(append([]string{}, a...), b...) {
		name, value, _ := strings.Cut(line, " = ")
		if count[line] != 0 && name != value && !seen[name] {
			seen[name] = true
			changed = append(changed, name)
		}
	}
	return changed
}

// SYMMETRY and VIEW are unsound for temporal properties, and TLC 2.18 crashes
// on liveness errors with several workers.
func TestLivenessModelsAreChecked(t *testing.T) {
	for _, model := range LoadManifest().Models {
		lines := configuration(t, model.Name)
		reduced, properties := false, 0
		inProperties := false
		for _, line := range lines {
			reduced = reduced || strings.HasPrefix(line, "VIEW") || strings.HasPrefix(line, "SYMMETRY")
			if inProperties {
				properties++
			}
			inProperties = inProperties || line == "PROPERTIES"
		}
		if model.Module == "RedlockLiveness" && (reduced || model.Workers != 1 || properties > 1) {
			t.Errorf("%s: reduced %v, %d workers, %d properties", model.Name, reduced, model.Workers, properties)
		}
		if model.Expected == Liveness && model.Module != "RedlockLiveness" {
			t.Errorf("%s: a temporal property outside RedlockLiveness", model.Name)
		}
		if model.Expected != Holds && model.Simulate == nil && model.Workers != 1 {
			t.Errorf("%s: its state count depends on the schedule of %d workers", model.Name, model.Workers)
		}
		if (model.DistinctStates == 0) != (model.Simulate != nil) {
			t.Errorf("%s: %d distinct states", model.Name, model.DistinctStates)
		}
	}
}

func TestSelect(t *testing.T) {
	all := LoadManifest()
	quick, err := all.Select(false, nil)
	if err != nil {
		t.Fatal(err)
	}
	full, err := all.Select(true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(full) != len(all.Models) || len(quick) == 0 || len(quick) >= len(full) {
		t.Errorf("%d quick and %d full of %d models", len(quick), len(full), len(all.Models))
	}
	named, err := all.Select(false, []string{"BA-2", "MX-1"})
	if err != nil || len(named) != 2 || named[0].Name != "BA-2" {
		t.Errorf("named: %v, %v", named, err)
	}
	var unknown *UnknownModelError
	if _, err := all.Select(false, []string{"MX-99"}); !errors.As(err, &unknown) || unknown.Name != "MX-99" {
		t.Errorf("unknown model: %v", err)
	}
}

func TestManifestIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"unknown field":     `{"models":[{"name":"M","wrong":1}]}`,
		"no violates":       `{"models":[{"name":"M","expected":"safety","time_class":"quick","workers":1}]}`,
		"holds and fails":   `{"models":[{"name":"M","expected":"holds","violates":"I","time_class":"quick","workers":1}]}`,
		"no expectation":    `{"models":[{"name":"M","time_class":"quick","workers":1}]}`,
		"no time class":     `{"models":[{"name":"M","expected":"holds","workers":1}]}`,
		"no worker":         `{"models":[{"name":"M","expected":"holds","time_class":"quick"}]}`,
		"not even an entry": `[]`,
	} {
		parsed, err := parseManifest([]byte(text))
		if err == nil && checkModel(parsed.Models[0]) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, model := range LoadManifest().Models {
		if err := checkModel(model); err != nil {
			t.Errorf("%s: %v", model.Name, err)
		}
	}
}

// checkModel reports the first field of an entry that no run could use.
func checkModel(m Model) error {
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

func TestConstants(t *testing.T) {
	for _, model := range LoadManifest().Models {
		constants := model.Constants()
		if len(constants) < 4 {
			t.Errorf("%s: %v", model.Name, constants)
		}
		if model.Name == "MX-6-twin" && (constants["QuorumRule"] != `"half"` || constants["Clients"] != "{c1, c2}") {
			t.Errorf("%s: %v", model.Name, constants)
		}
	}
}
