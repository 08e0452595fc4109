package main

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// documents are the texts that people write; REPORT.md and CELLS.md are generated.
var documents = []string{
	"README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "scenarios/GLOSSARY.md", "scenarios/WRITING.md", "scenarios/FORMATS.md",
	"scenarios/search/ORACLES.md", "scenarios/ask/SETUPS.md", "sim/LESSONS.md", "checker/HISTORY.md", "tla/README.md",
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestArchitectureFits: ARCHITECTURE.md is read on three screens.
func TestArchitectureFits(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(document(t, "ARCHITECTURE.md"), "\n"), "\n")
	if len(lines) > 150 {
		t.Errorf("%d lines; allowed: 150", len(lines))
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > 110 {
			t.Errorf("line %d has %d columns; allowed: 110", i+1, n)
		}
	}
}

var (
	fileLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	fileName = regexp.MustCompile("`((?:[A-Za-z_-]+/)*[\\w.-]+\\.(?:go|md|ya?ml|json|tla|lua|csv|svg|txtar)|(?:[a-z]+/)+)`")
)

// elsewhere are names of files that are not in this source: the program or its user
// writes them, or they are Go's.
var elsewhere = []string{"plan.json", "manifest.json", "cells.csv", "map.svg", "verdict.json", "certificate.json", "causes.json", "NAME.yaml", "BA-2-something.yaml", "time.go"}

// TestDocumentsNameFiles: files and folders that documents name are there. A name
// without a folder is the name of some file.
func TestDocumentsNameFiles(t *testing.T) {
	root, names, seen := filepath.Join("..", ".."), map[string]bool{}, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		names[entry.Name()] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents {
		text, folder := document(t, name), filepath.Dir(name)
		for _, link := range fileLink.FindAllStringSubmatch(text, -1) {
			seen++
			if _, err := os.Stat(filepath.Join(root, folder, link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link[1])
			}
		}
		for _, match := range fileName.FindAllStringSubmatch(text, -1) {
			path := match[1]
			_, fromRoot := os.Stat(filepath.Join(root, path))
			_, fromFolder := os.Stat(filepath.Join(root, folder, path))
			seen++
			if fromRoot != nil && fromFolder != nil && !names[path] && !slices.Contains(elsewhere, path) {
				t.Errorf("%s names %s, which is not there", name, path)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d names were looked at", seen)
	}
}

// TestDocumentsTellCommands: each command that a document tells exists, with the
// flags that are told.
func TestDocumentsTellCommands(t *testing.T) {
	root, seen := (&program{}).root(), 0
	flag := regexp.MustCompile(`(?:^|[\s\[])--([a-z-]+)`)
	for _, name := range documents {
		for _, match := range regexp.MustCompile("(?m)(?:\\./|`|^)simulate( [a-z-]+)?([^`#\\n]*)").FindAllStringSubmatch(document(t, name), -1) {
			command := root
			if word := strings.TrimSpace(match[1]); word != "" && !strings.HasPrefix(word, "--") {
				found, _, err := root.Find([]string{word})
				if err != nil || found == root {
					t.Errorf("%s tells of %q, which is no command", name, word)
					continue
				}
				command = found
			}
			seen++
			options, _, _ := strings.Cut(match[1]+match[2], "&&")
			for _, option := range flag.FindAllStringSubmatch(options, -1) {
				if command.Flags().Lookup(option[1]) == nil && option[1] != "help" {
					t.Errorf("%s: %s has no flag --%s", name, command.Name(), option[1])
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d commands were looked at", seen)
	}
}

// TestEveryPackageSaysWhatItIs: each package has a doc comment.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(path, 0); err == nil {
			seen++
			if pkg.Doc == "" {
				t.Errorf("%s has no doc comment", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 25 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

// TestRoomsOfScenariosAreThere: each room that the package comment of scenarios lists is a folder.
func TestRoomsOfScenariosAreThere(t *testing.T) {
	list := regexp.MustCompile(`(?m)^//\t([a-z]+)  +\S`).FindAllStringSubmatch(document(t, "scenarios/doc.go"), -1)
	for _, room := range list {
		if info, err := os.Stat(filepath.Join("..", "..", "scenarios", room[1])); err != nil || !info.IsDir() {
			t.Errorf("scenarios/doc.go lists %s, which is no folder of scenarios", room[1])
		}
	}
	if len(list) < 8 {
		t.Errorf("only %d rooms were looked at", len(list))
	}
}
