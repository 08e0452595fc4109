package main

import (
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows say which of our packages a folder may import, and why. The longest
// matching prefix decides. Tests in external packages are exempt.
var arrows = []struct {
	folder  string
	allowed []string
	reason  string
}{
	{"redlock", []string{"redlocklab/redlock"}, "the production package is usable without the laboratory"},
	{"sim", []string{"redlocklab/sim"}, "the world knows no lock, no oracle and no schedule of faults"},
	{"sim/explain", []string{"redlocklab/sim"}, "a story is told from the trace"},
	{"faults", []string{"redlocklab/sim"}, "faults happen to the world; who judges them reads what happened"},
	{"checker", nil, "the judge does not know what broke: it can judge a history from anywhere"},
	{"scenarios", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/campaign", "redlocklab/scenarios/cause", "redlocklab/scenarios/ci", "redlocklab/scenarios/search", "redlocklab/scenarios/file", "redlocklab/scenarios/lock", "redlocklab/scenarios/matrix", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/scenarios/saved", "redlocklab/sim"}, "authors of locks import it from their own tests: it must not import a lock"},
	{"scenarios/plan", []string{"redlocklab/faults", "redlocklab/sim", "redlocklab/checker"}, "a plan is data; what plays it comes later"},
	{"scenarios/file", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/plan", "redlocklab/sim"}, "a file is another notation of a plan, with the words of the simulator"},
	{"scenarios/lock", []string{"redlocklab/scenarios/plan", "redlocklab/sim"}, "what a lock under test is does not depend on who plays it"},
	{"scenarios/subjects", []string{"redlocklab/redlock", "redlocklab/scenarios/lock", "redlocklab/scenarios/overlay", "redlocklab/scenarios/plan", "redlocklab/sim"}, "a lock under test sees its environment and nothing of the laboratory"},
	{"scenarios/play", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/lock", "redlocklab/scenarios/overlay", "redlocklab/scenarios/plan", "redlocklab/sim"}, "it plays any lock that is registered, and knows none"},
	{"scenarios/matrix", []string{"redlocklab/faults", "redlocklab/scenarios/lock", "redlocklab/scenarios/plan", "redlocklab/sim"}, "what is applicable is decided before anything is played"},
	{"scenarios/cause", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/sim"}, "it takes away what broke a run's assumptions, and plays again"},
	{"scenarios/ci", nil, "it writes results, and knows neither locks nor runs"},
	{"scenarios/saved", []string{"redlocklab/checker", "redlocklab/scenarios/cause", "redlocklab/faults", "redlocklab/scenarios/journal", "redlocklab/scenarios/lock", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/sim"}, "a run on disk"},
	{"scenarios/rules", nil, "a formula knows no lock and no run: ask, maps and redlock are compared with it"},
	{"scenarios/overlay", nil, "patches are text"},
	{"scenarios/journal", nil, "it keeps lines, and knows neither commands nor results"},
	{"scenarios/campaign", []string{"redlocklab/checker", "redlocklab/scenarios/cause", "redlocklab/faults", "redlocklab/scenarios/journal", "redlocklab/scenarios/matrix", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/scenarios/saved", "redlocklab/scenarios/coverage", "redlocklab/sim"}, "campaigns play scenarios; they know no lock"},
	{"scenarios/coverage", []string{"redlocklab/checker", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/sim"}, "what a run came to is read from its trace"},
	{"scenarios/search", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/campaign", "redlocklab/scenarios/coverage", "redlocklab/scenarios/journal", "redlocklab/scenarios/lock", "redlocklab/scenarios/matrix", "redlocklab/scenarios/overlay", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/scenarios/saved", "redlocklab/sim"}, "a search draws plans, asks what a lock declares, looks at reports, and saves what it has shrunk"},
	{"scenarios/atlas", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/campaign", "redlocklab/scenarios/file", "redlocklab/scenarios/matrix", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/sim"}, "a map is a campaign over parameters; it knows no lock, and its page shows runs as explain tells them"},
	{"scenarios/ask", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios/file", "redlocklab/scenarios/lock", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/scenarios/rules", "redlocklab/sim"}, "it writes scenario files and plays them"},
	{"cmd/simulate/live", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/redlock", "redlocklab/scenarios/campaign", "redlocklab/scenarios/lock", "redlocklab/scenarios/plan", "redlocklab/scenarios/play", "redlocklab/scenarios/saved", "redlocklab/sim"}, "real servers are another place to play the same plans, and their verdicts are compared; of redlock it takes the clock only"},
	{"tla", []string{"redlocklab/scenarios/journal"}, "the models are tied to traces from outside; it writes files as the laboratory does"},
	{"tla/conform", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios", "redlocklab/sim", "redlocklab/tla"}, "the one place where runs and the specification meet; neither knows the other"},
	{"tla/proof", []string{"redlocklab/tla", "redlocklab/redlock"}, "a theorem knows no run; a test compares AllowanceFor with it"},
	{"tla/counterexample", []string{"redlocklab/checker", "redlocklab/faults", "redlocklab/scenarios", "redlocklab/sim", "redlocklab/tla"}, "the way back from the specification to runs; tla knows no plan"},
	{"cmd", []string{"redlocklab"}, "the command line may use everything"},
	{"cmd/simulate/remake", []string{"redlocklab/cmd/simulate/report", "redlocklab/scenarios", "redlocklab/sim/explain"}, "it plays what the report is made of; the command gives it the runs and the lines of progress"},
	{"cmd/simulate/report", []string{"redlocklab/checker", "redlocklab/scenarios", "redlocklab/sim", "redlocklab/tla"}, "the report counts verdicts; it plays nothing and judges nothing"},
}

func TestArrows(t *testing.T) {
	checked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		if err != nil {
			return nil // no Go here
		}
		folder, _ := filepath.Rel(root, path)
		checked += checkArrows(t, filepath.ToSlash(folder), pkg)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d imports of our own were looked at", checked)
	}
}

func checkArrows(t *testing.T, folder string, pkg *build.Package) int {
	t.Helper()
	rule := -1
	for i, a := range arrows {
		if (folder == a.folder || strings.HasPrefix(folder, a.folder+"/")) &&
			(rule < 0 || len(a.folder) > len(arrows[rule].folder)) {
			rule = i
		}
	}
	if rule < 0 {
		t.Errorf("%s is no folder of the map; allowed: those in arrows", folder)
		return 0
	}
	checked := 0
	for _, imported := range append(pkg.Imports, pkg.TestImports...) {
		if !strings.HasPrefix(imported, "redlocklab/") {
			continue
		}
		checked++
		if !permitted(imported, arrows[rule].allowed) && !strings.HasPrefix(imported, "redlocklab/"+folder) {
			t.Errorf("%s imports %s: %s", folder, imported, arrows[rule].reason)
		}
	}
	return checked
}

func permitted(imported string, allowed []string) bool {
	for _, a := range allowed {
		if imported == a || strings.HasPrefix(imported, a+"/") {
			return true
		}
	}
	return false
}

// TestArrowsCatch shows that a forbidden import is seen.
func TestArrowsCatch(t *testing.T) {
	if permitted("redlocklab/faults", []string{"redlocklab/sim"}) {
		t.Error("sim's users may import faults")
	}
	if !permitted("redlocklab/redlock/round", []string{"redlocklab/redlock"}) {
		t.Error("a package may not import what lies below it")
	}
}

// TestAuthorsImportNoLock: whoever writes a lock, also one of the matrix, can import
// package scenarios from the tests of that lock's own package.
func TestAuthorsImportNoLock(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "redlocklab/scenarios").Output()
	if err != nil {
		t.Fatal(err)
	}
	imported := strings.Fields(string(list))
	if !slices.Contains(imported, "redlocklab/scenarios/play") {
		t.Errorf("the list is not that of package scenarios: %d packages", len(imported))
	}
	for _, path := range imported {
		for _, lock := range []string{"redlocklab/redlock", "redlocklab/scenarios/subjects", "github.com/go-redsync", "github.com/bsm/redislock"} {
			if strings.HasPrefix(path, lock) {
				t.Errorf("package scenarios imports %s", path)
			}
		}
	}
}

// TestLayers holds the picture in ARCHITECTURE.md to the source: each package of ours
// stands on one line, or inside a folder that does, and imports only what stands on
// lines below.
func TestLayers(t *testing.T) {
	_, picture, _ := strings.Cut(document(t, "ARCHITECTURE.md"), "## The arrows")
	_, picture, _ = strings.Cut(picture, "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	layers := map[string]int{}
	for i, line := range strings.Split(picture, "\n") {
		names, _, _ := strings.Cut(line, "    ") // what follows is a remark
		for _, name := range strings.Fields(names) {
			for _, folder := range []string{name, "scenarios/" + name} {
				if info, err := os.Stat(filepath.Join("..", "..", folder)); err == nil && info.IsDir() {
					layers[folder] = i
				}
			}
		}
	}
	// A folder inside another has that one's line, but these three only hold folders
	// that have lines of their own.
	layer := func(folder string) (int, string) {
		for f := folder; f != "."; f = path.Dir(f) {
			if l, known := layers[f]; known && (f == folder || f != "scenarios" && f != "cmd/simulate" && f != "tla") {
				return l, f
			}
		}
		t.Fatalf("%s stands on no line", folder)
		return 0, ""
	}
	imports := 0
	for folder, imported := range importsOfOurs(t) {
		above, own := layer(folder)
		for _, other := range imported {
			imports++
			if below, where := layer(other); below <= above && where != own {
				t.Errorf("%s imports %s, which does not stand below it", folder, other)
			}
		}
	}
	if imports < 60 {
		t.Errorf("only %d imports were looked at", imports)
	}
}

// importsOfOurs lists what each package of ours imports of ours, tests left out.
func importsOfOurs(t *testing.T) map[string][]string {
	list, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "redlocklab/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		folder := strings.TrimPrefix(fields[0], "redlocklab/")
		for _, imported := range fields[1:] {
			if name, ours := strings.CutPrefix(imported, "redlocklab/"); ours {
				imports[folder] = append(imports[folder], name)
			}
		}
	}
	return imports
}
