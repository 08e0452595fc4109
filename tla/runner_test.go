package tla

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// requireTLC skips loudly where Java or the jar is absent, and fails in CI.
func requireTLC(t *testing.T) Toolchain {
	t.Helper()
	tools, err := FindToolchain("")
	if err == nil {
		return tools
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI must have TLC: %v", err)
	}
	t.Skip("NOT CHECKED: ", err)
	return Toolchain{}
}

func TestRunChecksModels(t *testing.T) {
	requireTLC(t)
	var progress strings.Builder
	traces := t.TempDir()
	report, err := Run(context.Background(), Options{
		Models:   []string{"MX-7-n1", "BA-2", "MX-3-twin", "LV-2-twin", "MX-9-reach-late", "MX-4-quorum"},
		Progress: &progress, Directory: traces,
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Failed() != 0 || len(report.Results) != 6 {
		t.Errorf("report: %+v", report)
	}
	if lines := strings.Count(progress.String(), ": ok\n"); lines != 6 {
		t.Errorf("progress: %s", progress.String())
	}
	kept, err := os.Open(filepath.Join(traces, "BA-2.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if trace, err := ParseErrorTrace(kept); err != nil || trace[len(trace)-1].Action != "Decide" {
		t.Errorf("trace of BA-2: %+v, %v", trace, err)
	}
}

func TestRunIsCutShort(t *testing.T) {
	requireTLC(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Models: []string{"BA-2"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestMissingTools(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "none.jar")
	other := filepath.Join(t.TempDir(), "other.jar")
	if err := os.WriteFile(other, []byte("another TLC"), 0o600); err != nil {
		t.Fatal(err)
	}
	var missing *MissingToolError
	if _, err := findToolchain("no-such-java", []string{other}, true); !errors.As(err, &missing) || missing.Tool != "java" {
		t.Errorf("no java: %v", err)
	}
	// A command that is everywhere stands in for java: it is only looked up.
	if _, err := findToolchain("sh", []string{empty}, false); !errors.As(err, &missing) || missing.Tool != "TLC jar" {
		t.Errorf("no jar: %v", err)
	}
	for _, command := range InstallCommands {
		if !strings.Contains(missing.Error(), command) {
			t.Errorf("%q is not in %q", command, missing)
		}
	}
	if _, err := findToolchain("sh", []string{empty, other}, false); !errors.As(err, &missing) ||
		missing.Searched[0] != other ||
		!strings.Contains(err.Error(), KnownJarSHA256) {
		t.Errorf("wrong content: %v", err)
	}
	tools, err := findToolchain("sh", []string{other}, true)
	if err != nil || tools.KnownJar || tools.Jar != other {
		t.Errorf("another TLC by name: %+v, %v", tools, err)
	}
}

func TestJarCandidates(t *testing.T) {
	t.Setenv(JarVariable, "from-environment.jar")
	if paths, chosen := jarCandidates("from-flag.jar"); !chosen || paths[0] != "from-flag.jar" {
		t.Errorf("flag: %v %v", paths, chosen)
	}
	if paths, chosen := jarCandidates(""); !chosen || paths[0] != "from-environment.jar" {
		t.Errorf("environment: %v %v", paths, chosen)
	}
	t.Setenv(JarVariable, "")
	if paths, chosen := jarCandidates(""); chosen || !strings.HasSuffix(paths[0], filepath.Join("tla", "lib", KnownJarName)) {
		t.Errorf("default: %v %v", paths, chosen)
	}
}

func TestTable(t *testing.T) {
	good := Result{Model: Model{Name: "good", Claims: []string{"MX-1"}, Expected: Holds},
		Outcome: Outcome{Completed: true, Distinct: 7, Processor: 1.234}}
	bad := Result{Model: Model{Name: "bad", Expected: Safety, Violates: "I"}, Problems: []string{"exit code 0"}}
	var text strings.Builder
	if err := (Report{Results: []Result{good, bad}, Elapsed: time.Second}).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if last := lines[len(lines)-1]; last != "simulate tla bad" {
		t.Errorf("last line %q", last)
	}
	if !strings.Contains(text.String(), "bad: exit code 0") || !strings.Contains(text.String(), "state counts not compared") {
		t.Errorf("table:\n%s", text.String())
	}
	text.Reset()
	if err := (Report{Results: []Result{good}, Elapsed: 2 * time.Second}).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "1 models as expected in 2 s; TLC took 1 s of processor time\n") {
		t.Errorf("table:\n%s", text.String())
	}
	text.Reset()
	good.Kept, good.Model.TimeClass = true, Quick
	if err := (Report{Results: []Result{good}}).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "1 models as expected in 0 s; TLC took 1 s of processor time, 1 of them kept from earlier runs\n") {
		t.Errorf("table:\n%s", text.String())
	}
	text.Reset()
	if err := (Report{Results: []Result{good}}).WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "\n| good | quick | hold | 7 | 1.2 |\n") {
		t.Errorf("Markdown:\n%s", text.String())
	}
}
