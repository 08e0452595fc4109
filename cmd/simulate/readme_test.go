package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeExample holds README's example to the compiled Example that it names.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- example: (\\S+) (\\S+) -->\n```go\n(.*?)```").FindStringSubmatch(string(readme))
	if block == nil {
		t.Fatal("README names no example")
	}
	source, err := os.ReadFile("../../" + block[1])
	if err != nil {
		t.Fatal(err)
	}
	var indented []string
	for line := range strings.Lines(block[3]) {
		if strings.TrimSpace(line) != "" {
			line = "\t" + line
		}
		indented = append(indented, line)
	}
	_, body, found := strings.Cut(string(source), "func "+block[2]+"() {")
	if !found {
		t.Fatalf("%s has no %s", block[1], block[2])
	}
	body, _, _ = strings.Cut(body, "\n}\n")
	if !strings.Contains(body, strings.Join(indented, "")) {
		t.Errorf("README's example is not a part of %s in %s", block[2], block[1])
	}
}

// TestExamplesNameFiles: what a command's example names of this source is there.
func TestExamplesNameFiles(t *testing.T) {
	seen := 0
	for _, command := range (&program{}).root().Commands() {
		for _, path := range regexp.MustCompile(`\b(?:scenarios|cmd/simulate)/\S+`).FindAllString(command.Example, -1) {
			if strings.HasPrefix(command.Example[strings.Index(command.Example, path)-1:], "/") {
				continue // a folder of the reader's own, as my/scenarios
			}
			seen++
			if _, err := os.Stat("../../" + path); err != nil {
				t.Errorf("the example of %s: %v", command.Name(), err)
			}
		}
	}
	if seen == 0 {
		t.Error("no example names a file")
	}
}

// TestReadmeOutput prints README's one real output again.
func TestReadmeOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)\\$ ./simulate (run [^\n]+) --out story\n(.*?)```").FindStringSubmatch(string(readme))
	if block == nil {
		t.Fatal("README shows no output")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "simulate")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.Command(binary, append(strings.Fields(block[1]), "--out", "story")...)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != block[2] {
		t.Errorf("README shows\n%s\n%s prints\n%s", block[2], block[1], out)
	}
}
