package tla

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNamesAreUnique(t *testing.T) {
	listed := map[string]bool{}
	for _, model := range LoadManifest().Models {
		if listed[model.Name] {
			t.Errorf("%s is listed twice", model.Name)
		}
		listed[model.Name] = true
	}
}

// notAlone are properties that no mutant breaks alone, with the reason.
var notAlone = map[string]string{
	"Fencing TokensGrow": "a resource that looks at tokens goes wrong with them; FencingTokens breaks it alone",
}

// A mutant differs from its model by exactly one constant or one edit of the
// specification, and fails on one of its model's checks. Every model that holds has
// something that fails, and every check has a mutant that breaks it and nothing else.
func TestMutantsDifferByOneThing(t *testing.T) {
	byName := map[string]Model{}
	hasFailing, broken, alone := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, model := range LoadManifest().Models {
		byName[model.Name] = model
		if model.Expected == Holds {
			continue
		}
		if model.Only {
			alone[model.Module+" "+model.Violates] = true
		}
		hasFailing[model.TwinOf], hasFailing[model.From] = true, true
		if model.Expected != Reached {
			broken[model.Module+" "+model.Violates] = true
		}
	}
	edits := 0
	for _, model := range byName {
		if model.Expected == Holds && !model.Mutant() {
			if !hasFailing[model.Name] {
				t.Errorf("%s holds, and nothing that differs from it fails", model.Name)
			}
			for _, check := range model.Checks {
				if check != "TypeOK" && check != "AtMostOneHolds" && !broken[model.Module+" "+check] {
					t.Errorf("%s: no mutant violates %s", model.Name, check)
				}
				if check != "TypeOK" && !alone[model.Module+" "+check] && notAlone[model.Module+" "+check] == "" {
					t.Errorf("%s: no mutant violates %s and nothing else", model.Name, check)
				}
			}
		}
		if !model.Mutant() {
			continue
		}
		original := byName[model.TwinOf]
		if strings.HasSuffix(model.Name, "-only") {
			if model.Expected != Holds || len(model.Checks) != len(original.Checks)-1 || len(model.Checks) < 2 {
				t.Errorf("%s must hold, with all checks of %s but one; found %q", model.Name, original.Name, model.Checks)
			}
			continue
		}
		if model.Old != "" {
			edits++
		}
		if original.Expected != Holds || !slices.Contains(original.Checks, model.Violates) {
			t.Errorf("%s is no mutant of %s, or violates none of its checks: %s", model.Name, model.TwinOf, model.Violates)
		}
		var changed []string
		for name, value := range model.Constants {
			if original.Constants[name] != value {
				changed = append(changed, name)
			}
		}
		if model.Old != "" {
			changed = append(changed, model.Old)
		}
		if len(changed) != 1 {
			t.Errorf("%s differs from %s by %q, expected one thing", model.Name, model.TwinOf, changed)
		}
		if _, err := model.specification(); err != nil {
			t.Error(err)
		}
	}
	if edits < 25 {
		t.Errorf("only %d mutants edit the specification", edits)
	}
}

// SYMMETRY and VIEW are unsound for temporal properties, and TLC 2.18 crashes
// on liveness errors with several workers.
func TestLivenessModelsAreChecked(t *testing.T) {
	for _, model := range LoadManifest().Models {
		temporal := 0
		for _, check := range model.Checks {
			if slices.Contains(model.module.Temporal, check) {
				temporal++
			}
		}
		// TLC does not say which of several properties failed.
		if model.Module == "RedlockLiveness" && (model.module.Reduction != "" || model.Workers != 1 ||
			temporal > 1 && model.Expected != Holds) {
			t.Errorf("%s: %s, %d workers, %d properties", model.Name, model.module.Reduction, model.Workers, temporal)
		}
		if model.Expected == Liveness && model.Module != "RedlockLiveness" {
			t.Errorf("%s: a temporal property outside RedlockLiveness", model.Name)
		}
		if model.Expected != Holds && model.Simulate == nil && model.Workers != 1 {
			t.Errorf("%s: its state count depends on the schedule of %d workers", model.Name, model.Workers)
		}
		if (model.DistinctStates == 0) != (model.Simulate != nil || model.Old != "" ||
			strings.HasSuffix(model.Name, "-only")) {
			t.Errorf("%s: %d distinct states", model.Name, model.DistinctStates)
		}
	}
}

func TestSelect(t *testing.T) {
	all := LoadManifest()
	quick, err := all.Select(false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	full, err := all.Select(true, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := all.Select(true, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(full)+len(mutants) != len(all.Models) || len(quick) == 0 || len(quick) >= len(full) || len(mutants) == 0 {
		t.Errorf("%d quick, %d full and %d mutants of %d models", len(quick), len(full), len(mutants), len(all.Models))
	}
	named, err := all.Select(false, false, []string{"BA-2", "MX-1"})
	if err != nil || len(named) != 2 || named[0].Name != "BA-2" {
		t.Errorf("named: %v, %v", named, err)
	}
	var unknown *UnknownModelError
	if _, err := all.Select(false, false, []string{"MX-99"}); !errors.As(err, &unknown) || unknown.Name != "MX-99" {
		t.Errorf("unknown model: %v", err)
	}
}

func TestManifestIsStrict(t *testing.T) {
	for name, model := range map[string]string{
		"unknown field":   `"module":"R","expected":"holds","time_class":"quick","wrong":1`,
		"no violates":     `"module":"R","expected":"safety","time_class":"quick"`,
		"holds and fails": `"module":"R","expected":"holds","violates":"I","time_class":"quick"`,
		"no expectation":  `"module":"R","time_class":"quick"`,
		"no time class":   `"module":"R","expected":"holds"`,
		"no module":       `"expected":"holds","time_class":"quick"`,
		"other module":    `"module":"S","expected":"holds","time_class":"quick"`,
		"unknown model":   `"twin_of":"N","expected":"holds","time_class":"quick"`,
		"itself":          `"from":"M","expected":"holds","time_class":"quick"`,
	} {
		parsed, err := parseManifest([]byte(`{"modules":{"R":{}},"models":[{"name":"M",` + model + `}]}`))
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
	return nil
}

// A configuration has what its module, its model and it itself assign.
func TestConfiguration(t *testing.T) {
	for name, lines := range map[string][]string{
		"MX-6-twin": {"VIEW Orbit\n", "    QuorumRule = \"half\"\n", "    Clients = {c1, c2}\n", "    n4 = n4\n", "    TTL = 4\n",
			"    SimultaneousStart = TRUE\n", "INVARIANT TypeOK\n", "INVARIANT MutualExclusion\n"},
		"LV-1-twin": {"PROPERTY SoloProgress\n", "    Expires = FALSE\n", "    HolderDies = TRUE\n"},
	} {
		model, err := LoadManifest().Model(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(model.Configuration(), line) {
				t.Errorf("%s: no %q in\n%s", name, line, model.Configuration())
			}
		}
	}
}
