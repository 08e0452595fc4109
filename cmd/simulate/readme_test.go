package main

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write README's picture anew")

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

// TestExamplesRun: every line of an example is a command as it stands, with flags that
// are there, and the files of this source that it names exist.
func TestExamplesRun(t *testing.T) {
	lines, files := 0, 0
	for _, command := range (&program{}).root().Commands() {
		for line := range strings.Lines(command.Example) {
			line, _, _ = strings.Cut(line, "#")
			for part := range strings.SplitSeq(line, "&&") {
				words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(part, -1)
				for i, word := range words {
					words[i] = strings.Trim(word, "'")
				}
				lines++
				if len(words) < 2 || words[0] != "simulate" {
					t.Fatalf("the example of %s: %q is no command", command.Name(), part)
				}
				found, rest, err := (&program{}).root().Find(words[1:])
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err == nil {
					err = found.ValidateArgs(found.Flags().Args())
				}
				if err != nil {
					t.Errorf("the example of %s: %q: %v", command.Name(), part, err)
				}
				for _, word := range words {
					if strings.HasPrefix(word, "scenarios/") || strings.HasPrefix(word, "cmd/") {
						files++
						if _, err := os.Stat("../../" + word); err != nil {
							t.Errorf("the example of %s: %v", command.Name(), err)
						}
					}
				}
			}
		}
	}
	if lines < 30 || files == 0 {
		t.Errorf("only %d commands and %d files were looked at", lines, files)
	}
}

// TestReadmeOutput prints README's one real output again.
func TestReadmeOutput(t *testing.T) {
	block := regexp.MustCompile("(?s)\\$ ./simulate (ask [^\n]+)\n(.*?)```").FindStringSubmatch(document(t, "README.md"))
	if block == nil {
		t.Fatal("README shows no output")
	}
	command := exec.Command("simulate", strings.Fields(block[1])...)
	command.Dir, command.Env = t.TempDir(), append(os.Environ(), "COLUMNS=100")
	out, err := command.Output()
	if code := exitStatus(err); code != exitSafety {
		t.Fatalf("exit code %d, want %d", code, exitSafety)
	}
	if string(out) != block[2] {
		t.Errorf("README shows\n%s\n%s prints\n%s", block[2], block[1], out)
	}
}

// TestReadmePicture draws README's picture again, with the command that README tells.
func TestReadmePicture(t *testing.T) {
	told := regexp.MustCompile("`./simulate (run [^`]+) --out story` drew this picture").FindStringSubmatch(document(t, "README.md"))
	if told == nil {
		t.Fatal("README does not tell how its picture was drawn")
	}
	dir := t.TempDir()
	if out, err := exec.Command("simulate", append(strings.Fields(told[1]), "--out", dir+"/story")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drawn, err := os.ReadFile(dir + "/story/explain.svg")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("report/BA-2.svg", drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(drawn) != document(t, "cmd/simulate/report/BA-2.svg") {
		t.Errorf("cmd/simulate/report/BA-2.svg is not what %q draws; go test ./cmd/simulate -run TestReadmePicture -update writes it anew", told[1])
	}
}

func TestReadmeFits(t *testing.T) {
	if lines := strings.Count(document(t, "README.md"), "\n"); lines > 120 {
		t.Errorf("%d lines; allowed: 120", lines)
	}
}

// TestVersionIsSaidOnce: the program, CITATION.cff and CHANGELOG.md have one version.
func TestVersionIsSaidOnce(t *testing.T) {
	out, err := exec.Command("simulate", "--version").Output()
	if err != nil || !regexp.MustCompile(`^redlocklab \S+, commit \S.*, go1`).Match(out) {
		t.Errorf("%v: %s", err, out)
	}
	if !strings.Contains(document(t, "CITATION.cff"), "version: "+release+"\n") || !strings.Contains(document(t, "CHANGELOG.md"), "## "+release) {
		t.Errorf("CITATION.cff or CHANGELOG.md has another version than %s", release)
	}
}
