package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRecipe runs the Python of FORMATS.md on a small map (a), and compares each sign that it
// draws with the verdict in the CSV.
func TestRecipe(t *testing.T) {
	python := python()
	if out, err := exec.Command(python, "-c", "import duckdb, pandas").CombinedOutput(); err != nil {
		message := "the recipe of FORMATS.md is not run: " + python + " has no duckdb or no pandas: " + string(out)
		if os.Getenv("CI") == "true" {
			t.Fatal(message)
		}
		t.Skip("NOT CHECKED: " + message)
	}
	recipe := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(document(t, "scenarios/FORMATS.md"))
	if recipe == nil {
		t.Fatal("FORMATS.md has no recipe")
	}
	dir := t.TempDir()
	play := exec.Command("simulate", "map", "RP-1-map", "--cells", "5x4", "--seeds", "1-2", "--refine", "1", "--pages", "none", "--subject", "redlock", "--out", "D")
	play.Dir = dir
	if out, err := play.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	draw := exec.Command(python, "-c", recipe[1])
	draw.Dir = dir
	drawn, err := draw.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, drawn)
	}
	file, err := os.Open(filepath.Join(dir, "D", "cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	signs := map[string]string{"two holders": "#", "one holder": ".", "no progress": "!", "undecided": "?"}
	want := map[string][]string{} // by subject, a row per TTL, from the smallest
	for _, r := range records[1:] {
		rows := want[r[column("subject")]]
		at := 0
		for _, other := range records[1:] { // the first outage has every TTL in order
			if other[column("subject")] != r[column("subject")] || other[column("outage_ns")] != records[1][column("outage_ns")] {
				continue
			}
			if other[column("ttl_ns")] == r[column("ttl_ns")] {
				break
			}
			at++
		}
		for len(rows) <= at {
			rows = append(rows, "")
		}
		rows[at] += signs[r[column("verdict")]]
		want[r[column("subject")]] = rows
	}
	var text []string
	for line := range strings.Lines(string(drawn)) {
		text = append(text, strings.TrimSpace(line))
	}
	for subject, rows := range want {
		at := slices.Index(text, subject)
		if at < 0 || len(rows) != 4 || at+len(rows) >= len(text) {
			t.Fatalf("%s is not drawn whole:\n%s", subject, drawn)
		}
		slices.Reverse(rows)
		for i, row := range rows {
			if got := strings.Fields(text[at+1+i]); len(got) != 2 || got[1] != row {
				t.Errorf("%s, row %d is drawn as %q, want %s", subject, i, text[at+1+i], row)
			}
		}
	}
	if !strings.Contains(string(drawn), "#") || !strings.Contains(string(drawn), ".") {
		t.Errorf("the drawing has no border:\n%s", drawn)
	}
}
