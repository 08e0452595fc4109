package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

func TestMain(m *testing.M) {
	if os.Getenv("COLUMNS") == "" {
		os.Setenv("COLUMNS", "300") // tables are not folded: their rows are looked for
	}
	testscript.Main(m, map[string]func(){
		"simulate": func() {
			p := &program{
				in: os.Stdin, out: os.Stdout, err: os.Stderr, laboratory: misbehave,
				worker: func() *exec.Cmd { return exec.Command("simulate", workerCommand) },
			}
			overviewSeeds = seedChoice{Story: 6, Family: 20} // the fewest in which every fault of a story fires
			os.Exit(p.main(os.Args[1:]))
		},
	})
}

// misbehave is the real laboratory, but a scenario can ask by its title for a run
// that is as bad as a run can be.
func misbehave(plan *plan.Plan, options play.RunOptions) (*play.Result, error) {
	switch plan.Title {
	case "dies":
		go func() { panic("a goroutine of the subject") }()
		select {}
	case "panics":
		panic("a planted bug")
	case "slow":
		time.Sleep(40 * time.Millisecond)
	}
	differs := plan.Title == "differs"
	if plan.Subject.Name == canary && os.Getenv("TAME_CANARY") != "" {
		tame := *plan
		tame.Subject.Name = "SY-0"
		plan = &tame
	}
	run, err := play.Run(plan, options)
	if err != nil || !differs {
		return run, err
	}
	// What the process' own number is can be foreseen by nobody.
	run.TraceHash = fmt.Sprintf("%064d", os.Getpid())
	run.Events[4].Detail = strconv.Itoa(os.Getpid())
	return run, nil
}

// project is the root of the checkout.
var project string

func TestScripts(t *testing.T) {
	var err error
	if project, err = filepath.Abs("../.."); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":      exitCode,
			"waitlines": waitLines,
			"replace":   replace,
			"fresh":     fresh,
			"checkout":  checkout,
			"sums":      sums,
		},
	})
}

// exitCode runs a program and expects an exit code: exit 4 simulate run …
// Output is compared by the commands stdout and stderr as after exec.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := err.(*exec.ExitError); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// sums checks the last line of run's table against its rows: as many end in "expected" and in
// "found" as it says.
func sums(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: sums")
	}
	text := ts.ReadFile("stdout")
	ended := func(word string) int {
		return len(regexp.MustCompile(`(?m)^[A-Z]+-\d.* `+word+`$`).FindAllString(text, -1))
	}
	want := fmt.Sprintf("\n%d as expected, 0 not, %d without expectations\n", ended("expected"), ended("found"))
	if ended("expected") == 0 || ended("found") == 0 || !strings.HasSuffix(text, want) {
		ts.Fatalf("the table does not end in %q", want)
	}
}

// waitLines waits until a file has a number of lines: waitlines FILE N.
func waitLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitlines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for range 1000 {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && bytes.Count(text, []byte("\n")) >= want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not get %d lines", args[0], want)
}

// replace changes a text in a file, every time it is there: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	changed := bytes.ReplaceAll(text, []byte(args[1]), []byte(args[2]))
	if bytes.Equal(changed, text) {
		ts.Fatalf("%s does not say %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, changed, 0o600))
}

// checkout copies what the report of this project is made of: checkout DIR.
func checkout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkout DIR")
	}
	to := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(filepath.Join(to, "cmd", "simulate", "report"), os.DirFS(filepath.Join(project, "cmd", "simulate", "report"))))
	text, err := os.ReadFile(filepath.Join(project, "go.mod"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(to, "go.mod"), text, 0o600))
}

// fresh checks that something does not exist: fresh PATH…
func fresh(ts *testscript.TestScript, neg bool, args []string) {
	for _, path := range args {
		if _, err := os.Lstat(ts.MkAbs(path)); err == nil != neg {
			ts.Fatalf("%s: existence is %v", path, err == nil)
		}
	}
}
