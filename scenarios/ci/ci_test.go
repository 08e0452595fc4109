package ci

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// failing is the test of a lock with one bug in two scenarios. FORMATS.md shows it.
func failing() *Report {
	return &Report{Lock: "mylock", Package: "example.com/mylock/suite", Cases: []Case{
		{Name: "MX-1", Test: "TestLock/MX-1", Status: Failed, Seeds: 3, Seed: 3, Took: 120 * time.Millisecond,
			Kind: "a client deletes another client's key", Text: "0.734 s on n1: B's release deletes A's key r = token#2, which had 9.86 s left",
			Command: "REDLOCKLAB_SEEDS=3 REDLOCKLAB_OUT=out go test -count=1 -run '^TestLock$/^MX-1$' example.com/mylock/suite"},
		{Name: "MX-2", Test: "TestLock/MX-2", Status: Passed, Seeds: 20, Took: 300 * time.Millisecond},
		{Name: "MX-5", Test: "TestLock/MX-5", Status: Failed, Seeds: 1, Seed: 1, Took: 30 * time.Millisecond,
			Kind: "a client deletes another client's key", Text: "1.1 s on n1: B's release deletes A's key r = token#2, which had 400 ms left",
			Command: "REDLOCKLAB_SEEDS=1 REDLOCKLAB_OUT=out go test -count=1 -run '^TestLock$/^MX-5$' example.com/mylock/suite"},
		{Name: "MX-8-late", Test: "TestLock/MX-8-late", Status: NotApplicable, Text: "a lease is extended in it, and this lock has no extension to ask for"},
		{Name: "LV-7", Test: "TestLock/LV-7", Status: Undecided, Seeds: 20, Text: "the run ended at its bound: virtual time bound"},
	}}
}

// TestFormatsAreTheDocuments: FORMATS.md shows what is written for a failing test.
func TestFormatsAreTheDocuments(t *testing.T) {
	document, err := os.ReadFile("../FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	var xml, annotations, table bytes.Buffer
	if err := writeJUnit(&xml, failing()); err != nil {
		t.Fatal(err)
	}
	writeAnnotations(&annotations, failing())
	writeTable(&table, failing())
	for language, text := range map[string]string{"xml": xml.String(), "text": annotations.String(), "markdown": table.String()} {
		if want := "```" + language + "\n" + strings.TrimSpace(text) + "\n```\n"; !strings.Contains(string(document), want) {
			t.Errorf("FORMATS.md does not show\n%s", want)
		}
	}
}

// TestJUnitIsRead: the numbers of the suite are those of its cases.
func TestJUnitIsRead(t *testing.T) {
	var text bytes.Buffer
	if err := writeJUnit(&text, failing()); err != nil {
		t.Fatal(err)
	}
	var read junit.Testsuites
	if err := xml.Unmarshal(text.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if s := read.Suites[0]; s.Tests != 5 || s.Failures != 2 || s.Skipped != 2 || s.Testcases[0].Failure.Type != "a client deletes another client's key" {
		t.Errorf("read %+v", s)
	}
}

func TestBugsAreToldOnce(t *testing.T) {
	r := failing()
	r.Cases = append(r.Cases, Case{Name: "LV-1", Status: Failed, Text: "the run did not come to rest\ndump"}, Case{Name: "LV-2", Status: Failed, Text: "another"})
	bugs := r.Bugs()
	if len(bugs) != 3 || strings.Join(bugs[0].Names, " ") != "MX-1 MX-5" || bugs[1].Kind != "the run did not come to rest" {
		t.Errorf("bugs %+v", bugs)
	}
	if want := "4 failed, 1 passed, 1 undecided, 1 not applicable"; r.Counts() != want {
		t.Errorf("counts %q, want %q", r.Counts(), want)
	}
}

func TestTargets(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	for text, want := range map[string]Target{
		"": {}, "md": {"md", "redlocklab.md"}, "junit": {"junit", "redlocklab.xml"}, "github": {"github", ""}, "junit:a/b.xml": {"junit", "a/b.xml"},
	} {
		if got, err := ParseTarget(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"html", "md:", "junit.xml"} {
		if _, err := ParseTarget(text); err == nil || !strings.Contains(err.Error(), "allowed: md, junit, github") {
			t.Errorf("%q: %v", text, err)
		}
	}
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	target, err := ParseTarget("md")
	for range 2 {
		if _, err := target.Write(failing()); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := os.ReadFile(summary); err != nil || strings.Count(string(text), "## mylock") != 2 {
		t.Errorf("the step summary does not grow: %v\n%s", err, text)
	}
}
