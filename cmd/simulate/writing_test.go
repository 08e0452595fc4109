package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fails are commands of WRITING.md that are told to find another verdict than expected.
var fails = map[string]int{
	"./simulate run BA-2 --set ttl=5s --set persistence=aof-everysec --seed 7":     exitSafety, // the crash forgets nothing
	"./simulate run BA-8-node-above --set redlock.clock_rate_bound=20000 --seed 7": exitSafety, // redlock's allowance covers it
	"./simulate run BA-8 --set node_rate_ppm=500":                                  exitSafety, // nothing is violated
	"./simulate run BA-8 --set node_rate_ppm=20500":                                exitExpected,
}

// TestCommandsOfWriting runs the commands that WRITING.md tells, as they are printed, with
// one seed or few values where they tell none.
func TestCommandsOfWriting(t *testing.T) {
	text := document(t, "scenarios/WRITING.md")
	dir := t.TempDir()
	if err := os.Symlink(absolute(t, "../../scenarios"), filepath.Join(dir, "scenarios")); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, match := range regexp.MustCompile("(?m)(?:`|^    )(\\./simulate [^`\n]+)").FindAllStringSubmatch(text, -1) {
		line := strings.TrimSpace(match[1])
		if strings.Contains(line, "NAME") || strings.Contains(line, "report") || strings.HasSuffix(line, "map") {
			continue // a form, or a command that changes the source
		}
		words := strings.Fields(line)[1:]
		switch {
		case words[0] == "map" && !strings.Contains(line, "--seeds"):
			words = append(words, "--seeds", "1")
		case words[0] == "run" && !strings.Contains(line, "--seed"):
			words = append(words, "--seeds", "1-2")
		case words[0] == "doctor":
			words = append(words, "--seeds", "1")
		}
		if words[0] == "doctor" && strings.Contains(line, "FILE") {
			words[1] = "BA-2-mine.yaml"
		}
		command := exec.Command("simulate", words...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		ran++
		if code := exitStatus(err); code != fails[line] {
			t.Errorf("%s: exit code %d, want %d\n%s", line, code, fails[line], out)
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands were run", ran)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
