package tla

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is kept is taken over only when TLC would be given the same, its output
// is there, and its outcome is what the manifest expects.
func TestKeptResults(t *testing.T) {
	model := Model{Name: "LV-9", Module: "RedlockLiveness", Expected: Holds, DistinctStates: 7}
	good := Result{Model: model, Outcome: Outcome{Completed: true, Distinct: 7}, Elapsed: 1500 * time.Millisecond}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, r *run, model *Model)
		taken bool
	}{
		"nothing changed":  {func(*testing.T, *run, *Model) {}, true},
		"other TLC":        {func(_ *testing.T, r *run, _ *Model) { r.tools.SHA256 = "other" }, false},
		"other module":     {func(_ *testing.T, _ *run, m *Model) { m.Module = "Redlock" }, false},
		"other expected":   {func(_ *testing.T, _ *run, m *Model) { m.DistinctStates = 8 }, false},
		"other sample":     {func(_ *testing.T, _ *run, m *Model) { m.Simulate = &Simulation{Behaviours: 1} }, false},
		"no output of TLC": {func(t *testing.T, r *run, _ *Model) { remove(t, r, "LV-9.txt") }, false},
		"half a file": {func(t *testing.T, r *run, _ *Model) {
			if err := os.WriteFile(r.file(model, ".json"), []byte(`{"input": "`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
		"no folder": {func(_ *testing.T, r *run, _ *Model) { r.options.Directory = "" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{options: Options{Directory: t.TempDir()}, tools: Toolchain{SHA256: "this", KnownJar: true}}
			if err := os.WriteFile(filepath.Join(r.options.Directory, "LV-9.txt"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			input, err := r.input(model)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.keep(good, input); err != nil {
				t.Fatal(err)
			}
			later := model
			test.spoil(t, r, &later)
			if input, err = r.input(later); err != nil {
				t.Fatal(err)
			}
			result, taken := r.kept(later, input)
			if taken != test.taken {
				t.Errorf("taken: %v", taken)
			}
			if taken && (!result.Kept || result.Outcome.Distinct != 7 || result.Elapsed != good.Elapsed) {
				t.Errorf("%+v", result)
			}
		})
	}
}

func remove(t *testing.T, r *run, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(r.options.Directory, name)); err != nil {
		t.Fatal(err)
	}
}

// A second run into the same folder checks only what the first one has not.
func TestRunGoesOn(t *testing.T) {
	requireTLC(t)
	folder := t.TempDir()
	kept := func(models ...string) (names []string, progress string) {
		t.Helper()
		var text strings.Builder
		report, err := Run(context.Background(), Options{Models: models, Directory: folder, Progress: &text})
		if err != nil || report.Failed() > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		for _, result := range report.Results {
			if result.Kept {
				names = append(names, result.Model.Name)
			}
		}
		return names, text.String()
	}
	if names, _ := kept("MX-7-n1"); len(names) > 0 {
		t.Errorf("kept in an empty folder: %v", names)
	}
	names, progress := kept("MX-7-n1", "MX-7-n1-twin")
	if len(names) != 1 || names[0] != "MX-7-n1" || strings.Count(progress, "kept from an earlier run") != 1 {
		t.Errorf("kept: %v\n%s", names, progress)
	}
}
