package overlay_test

import (
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"redlocklab/scenarios/overlay"
)

// TestPatchesApply: every patch applies to the source as it is, and what it makes
// of a Go file can be parsed.
func TestPatchesApply(t *testing.T) {
	root := sourceRoot(t)
	names := map[string]bool{overlay.None: true}
	for _, p := range overlay.Patches() {
		if names[p.Name] || p.Intent == "" || len(p.Edits) == 0 {
			t.Errorf("%+v", p)
		}
		names[p.Name] = true
		texts, err := overlay.Edited(root, p.Edits)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		for file, text := range texts {
			if !strings.HasPrefix(file, "redlock/") {
				t.Errorf("%s changes %s; only the lock itself may be changed", p.Name, file)
			}
			if filepath.Ext(file) != ".go" {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
		if found, ok := overlay.Find(p.Name); !ok || found.Intent != p.Intent {
			t.Errorf("%s is not found", p.Name)
		}
	}
}

// TestPatchesCompile builds the package with each patch.
func TestPatchesCompile(t *testing.T) {
	root := sourceRoot(t)
	for i, p := range overlay.Patches() {
		if testing.Short() && i > 0 {
			break // building the package once shows that it can be done
		}
		if err := overlay.Build(t.Context(), root, "./redlock", filepath.Join(t.TempDir(), "redlock.a"), p.Edits); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestStaleEdits(t *testing.T) {
	root := sourceRoot(t)
	for name, e := range map[string]overlay.Edit{
		"gone":      {File: "go.mod", Old: "no such text", New: "x"},
		"ambiguous": {File: "go.mod", Old: "e", New: "x"},
		"no change": {File: "go.mod", Old: "module redlocklab", New: "module redlocklab"},
		"no file":   {File: "redlock/no_such_file.go", Old: "a", New: "b"},
		"not new":   {File: "go.mod", New: "x"},
	} {
		if _, err := overlay.Edited(root, []overlay.Edit{e}); !errors.Is(err, overlay.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBuild: an edit is in the program that is built, and not in the tree. What
// does not compile is said.
func TestBuild(t *testing.T) {
	root := sourceRoot(t)
	if overlay.Carried != overlay.None {
		t.Errorf("the source carries %q", overlay.Carried)
	}
	good := []overlay.Edit{{File: "redlock/round/round.go", Old: "return nodes/2 + 1", New: "return nodes / 2"}}
	if err := overlay.Build(t.Context(), root, "./redlock/round", filepath.Join(t.TempDir(), "round.a"), good); err != nil {
		t.Error(err)
	}
	bad := []overlay.Edit{{File: "redlock/round/round.go", Old: "return nodes/2 + 1", New: "return \"two\""}}
	err := overlay.Build(t.Context(), root, "./redlock/round", filepath.Join(t.TempDir(), "round.a"), bad)
	if err == nil || !strings.Contains(err.Error(), "two") {
		t.Errorf("the overlay was not compiled: %v", err)
	}
}

func TestNoGo(t *testing.T) {
	root := sourceRoot(t)
	t.Setenv("PATH", t.TempDir())
	if err := overlay.Build(t.Context(), root, "./redlock/round", filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, overlay.ErrNoSource) {
		t.Error(err)
	}
}

func sourceRoot(t *testing.T) string {
	t.Helper()
	root, err := overlay.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}
