package overlay_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// TestPatchesCompile checks the types of the package with each patch, as a compiler does
// first. TestBuild shows that what it accepts is built, and what it refuses is not.
func TestPatchesCompile(t *testing.T) {
	root := sourceRoot(t)
	for _, p := range overlay.Patches() {
		if err := newSource(t, root, p.Edits).check("redlocklab/redlock"); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	for old, wrong := range map[string]string{
		"return nodes/2 + 1": "return \"two\"",                  // not the type of the result
		"package round":      "package round\n\nimport \"fmt\"", // imported and not used
	} {
		bad := []overlay.Edit{{File: "redlock/round/round.go", Old: old, New: wrong}}
		if newSource(t, root, bad).check("redlocklab/redlock") == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

// source imports packages: those of this module from their edited source, others from what
// the compiler exported.
type source struct {
	root     string
	texts    map[string]string // edited files
	set      *token.FileSet
	packages map[string]*gotypes.Package // of this module
	exported gotypes.Importer
}

// exportFiles lists the files with what the compiler exported, by package.
var exportFiles = sync.OnceValues(func() (map[string]string, error) {
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "redlocklab/redlock").Output()
	files := map[string]string{}
	for line := range strings.Lines(string(list)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return files, err
})

func newSource(t *testing.T, root string, edits []overlay.Edit) *source {
	t.Helper()
	texts, err := overlay.Edited(root, edits)
	if err != nil {
		t.Fatal(err)
	}
	files, err := exportFiles()
	if err != nil {
		t.Fatal(err)
	}
	s := &source{root: root, texts: texts, set: token.NewFileSet(), packages: map[string]*gotypes.Package{}}
	s.exported = importer.ForCompiler(s.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	return s
}

func (s *source) check(path string) error {
	_, err := s.Import(path)
	return err
}

// Import implements the interface of package go/types.
func (s *source) Import(name string) (*gotypes.Package, error) {
	folder, ours := strings.CutPrefix(name, "redlocklab/")
	if !ours {
		return s.exported.Import(name)
	}
	if known := s.packages[name]; known != nil {
		return known, nil
	}
	pkg, err := build.ImportDir(filepath.Join(s.root, filepath.FromSlash(folder)), 0)
	if err != nil {
		return nil, err
	}
	names := pkg.GoFiles
	for file := range s.texts { // an edit may add files
		if path.Dir(file) == folder && path.Ext(file) == ".go" && !slices.Contains(names, path.Base(file)) {
			names = append(names, path.Base(file))
		}
	}
	var files []*ast.File
	for _, base := range names {
		var text any // nil: read from the file
		if edited, ok := s.texts[folder+"/"+base]; ok {
			text = edited
		}
		file, err := parser.ParseFile(s.set, filepath.Join(pkg.Dir, base), text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := gotypes.Config{Importer: s}
	s.packages[name], err = config.Check(name, s.set, files, nil)
	return s.packages[name], err
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
	if err := overlay.Build(t.Context(), root, "./redlock/round", filepath.Join(t.TempDir(), "x"),
		nil); !errors.Is(err, overlay.ErrNoSource) {
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
