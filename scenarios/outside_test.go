package scenarios_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// everyLock has TestOutsideModules play all outsideLocks, in all their seeds. Some take a
// minute of processor time; they are played in fewer seeds or not at all otherwise:
//
//	go test ./scenarios -run OutsideModules -every-lock -timeout 30m
var everyLock = flag.Bool("every-lock", false, "play every outside lock in all its seeds")

// outsideLocks are locks in modules of their own, as their authors would have them. Each has
// one test file in testdata/outside.
var outsideLocks = []struct {
	name     string
	seeds    string
	fewer    string   // seeds without -every-lock; empty: the same
	slow     bool     // not played without -every-lock
	require  []string // modules besides those that this one needs
	first    string   // the first bug of the summary; empty: none
	later    bool     // it may be one of the others
	planted  string   // value of the variable PLANTED
	scenario string   // whose failure is played again by its command; empty: none
}{
	{name: "textbook", seeds: "1-40", fewer: "1-2"},
	{name: "textbook", planted: "dates", seeds: "1-2"},
	{name: "textbook", planted: "split", seeds: "1-2", first: "a client deletes another client's key"},
	{name: "textbook", planted: "leaves", seeds: "1", first: "a release leaves a key behind"},
	{name: "watchdog", seeds: "1-40", fewer: "1-2"},
	{name: "queue", seeds: "1-40", fewer: "1-2"},
	{name: "reentrant", seeds: "1-40", fewer: "1-2"},
	{name: "reentrant", planted: "counter", seeds: "1", first: "a client changes the TTL of another client's key"},
	{name: "reply", seeds: "1-2", first: "the validity counts from the reply, not from before the request"},
	{name: "redislock", seeds: "1-2", first: "a token that is a prefix of another counts as the same", scenario: "MX-5-tokens"},
	{name: "redsync", seeds: "1-2", slow: true, first: "an extension sets keys again"},
	{name: "rueidislock", seeds: "1-2", require: []string{"github.com/redis/rueidis v1.0.79"}, first: rueidislockBug},
	{name: "gozero", seeds: "1-2", require: []string{"github.com/zeromicro/go-zero v1.10.3"}, first: goZeroBug, later: true},
}

// The bugs that the suite finds in two libraries, unmodified, and where they stand in their
// sources.
//
// rueidislock v1.0.79: lock.go:353 stops the timer that ends the context with the first keys,
// and no other one replaces it. From then on only a renewal that fails ends the context
// (lock.go:274-296). A renewal may wait until its own new deadline (lock.go:181-184, 279-280),
// which is up to half a validity after the end of the keys that it was to renew.
//
// go-zero v1.10.3: the go-redis client of core/stores/redis/redisclientmanager.go:30-41 is made
// without ContextTimeoutEnabled and with three retries, so that no deadline of AcquireCtx's
// context ends the wait for an answer: a lost one takes 3 s, while the key is set. (Besides,
// redislock.go:63 adds 500 ms to the seconds of SetExpire, the suite's second bug.)
const (
	rueidislockBug = "the context of a lease ends after its keys"
	goZeroBug      = "an acquisition goes on for too long while its keys keep others out"
)

// mostLines bounds an adapter: lines of its file that are neither blank nor comments.
const mostLines = 130

// TestOutsideModules puts locks under the suite that live in modules of their own. The
// summary of each names its planted or real bug first, within a minute; a right lock has none.
func TestOutsideModules(t *testing.T) {
	for _, lock := range outsideLocks {
		name := strings.TrimSuffix(lock.name+" "+lock.planted, " ")
		t.Run(name, func(t *testing.T) {
			if testing.Short() && lock.name != "redislock" {
				skipAloud(t, "NOT CHECKED: that the suite judges the outside lock "+name+" rightly: with -short only redislock is played")
			}
			if lock.slow && !*everyLock {
				skipAloud(t, "NOT CHECKED: that the suite judges the outside lock "+name+" rightly: it takes minutes; -every-lock plays it")
			}
			if lock.fewer != "" && !*everyLock {
				lock.seeds = lock.fewer
			}
			dir := outsideModule(t, lock.name, lock.require)
			if len(lock.require) > 0 && !tidied(t, dir) {
				return
			}
			if lines := linesOf(t, filepath.Join(dir, "locks", "lock_test.go")); lines > mostLines {
				t.Errorf("the adapter has %d lines; allowed: %d", lines, mostLines)
			}
			begin := time.Now()
			output, err := goTest(dir, "REDLOCKLAB_SEEDS="+lock.seeds, "PLANTED="+lock.planted, fmt.Sprintf("CI=%v", lock.first == ""))
			t.Logf("%s, seeds %s: %v", name, lock.seeds, time.Since(begin).Round(time.Second))
			if lock.first == "" {
				if err != nil {
					t.Errorf("the right lock fails: %v\n%s", err, output)
				}
				return
			}
			number := "1"
			if lock.later {
				number = `\d+`
			}
			if err == nil || !regexp.MustCompile(`BUG `+number+` of \d+: `+regexp.QuoteMeta(lock.first)).MatchString(output) {
				t.Fatalf("the summary has no BUG %s: %q; %v\n%s", number, lock.first, err, output)
			}
			if strings.Contains(output, "not deterministic:") {
				t.Errorf("one seed made two traces\n%s", output)
			}
			if lock.scenario != "" {
				playsAgain(t, dir, output, lock.scenario)
			}
		})
	}
}

// TestOutsideEscape: a lock with a goroutine that leaves the simulated world in one scenario fails
// there. The failure names the goroutine, all else is played, and the summary is written.
func TestOutsideEscape(t *testing.T) {
	if testing.Short() {
		skipAloud(t, "NOT CHECKED: that a lock which leaves the simulated world fails in one scenario; -short plays none")
	}
	dir := outsideModule(t, "textbook", nil)
	summary := filepath.Join(dir, "summary.xml")
	output, err := goTest(dir, "REDLOCKLAB_SEEDS=1", "PLANTED=escapes", "REDLOCKLAB_SUMMARY=junit:"+summary)
	for _, want := range []string{
		"BUG 1 of 1: the lock's code leaves the simulated world", "in 1 of ", ": MX-7-n7",
		"fatal error: send on synctest channel from outside bubble", "locks.confirm()", "1 failed, ",
		"REDLOCKLAB_SEEDS=1-1 REDLOCKLAB_OUT=out go test -count=1 -run '^TestLock$/^MX-7-n7$'",
	} {
		if err == nil || !strings.Contains(output, want) {
			t.Errorf("the output does not say %q: %v\n%s", want, err, output)
		}
	}
	text, err := os.ReadFile(summary)
	if err != nil || strings.Count(string(text), "<failure") != 1 || !strings.Contains(string(text), "locks.confirm()") {
		t.Errorf("%v; the summary has %d failures, or does not name the goroutine", err, strings.Count(string(text), "<failure"))
	}
}

// playsAgain checks that the command of a failure does what it says, where the module's root is.
func playsAgain(t *testing.T, dir, output, scenario string) {
	t.Helper()
	command := regexp.MustCompile(`REDLOCKLAB_SEEDS=\d+ REDLOCKLAB_OUT=out go test -count=1 -run '\^TestLock\$/\^` + scenario + `\$' example.com/mylock/locks`).FindString(output)
	again := exec.Command("sh", "-c", command)
	again.Dir, again.Env = dir, environment()
	saved := filepath.Join(dir, "locks", "out", scenario)
	text, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "saved in "+saved) {
		t.Errorf("%q: %v\n%s", command, err, text)
	}
	if _, err := os.Stat(filepath.Join(saved, "explain.svg")); err != nil {
		t.Error(err)
	}
	command = regexp.MustCompile(`REDLOCKLAB_PLAN=\S+ go test -count=1 -run '\^TestLock\$' example.com/mylock/locks`).FindString(string(text))
	for _, run := range []string{saved, saved + "-smallest"} {
		if again, err := os.ReadFile(filepath.Join(run, "command.txt")); err != nil || !strings.Contains(string(again), "' && REDLOCKLAB_PLAN=DIR go test") {
			t.Errorf("the run does not keep its command: %q, %v", again, err)
		}
		of := exec.Command("sh", "-c", strings.Replace(command, saved, run, 1))
		of.Dir, of.Env = dir, environment()
		text, err := of.CombinedOutput()
		for _, want := range []string{": a bug, trace ", ", the same as when it was saved", "the lock's own bug"} {
			if err == nil || !strings.Contains(string(text), want) {
				t.Errorf("%q does not say %q: %v\n%s", of.Args, want, err, text)
			}
		}
	}
}

// tidied completes the module from the module proxy. Without the proxy the test is skipped,
// aloud; with CI=true it fails.
func tidied(t *testing.T, dir string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, environment()
	output, err := tidy.CombinedOutput()
	if err == nil {
		return true
	}
	text := fmt.Sprintf("NOT CHECKED: %s: the module proxy does not give its modules: %v\n%s", t.Name(), err, output)
	if os.Getenv("CI") == "true" {
		t.Error(text)
		return false
	}
	skipAloud(t, text)
	return false
}

// skipAloud skips a test and says so on standard error, where no -v is needed to read it.
func skipAloud(t *testing.T, text string) {
	t.Helper()
	fmt.Fprintln(os.Stderr, text)
	t.Skip(text)
}

// outsideModule makes a module in a temporary folder that uses this one.
func outsideModule(t *testing.T, name string, require []string) string {
	t.Helper()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, required, _ := strings.Cut(read(filepath.Join(checkout, "go.mod")), "\nrequire")
	more := ""
	for _, module := range require {
		more += "require " + module + "\n"
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "locks"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"go.mod": fmt.Sprintf("module example.com/mylock\n\ngo 1.26.0\n\nrequire redlocklab v0.0.0\n\n%s\nreplace redlocklab => %s\n\nrequire%s", more, checkout, required),
		"go.sum": read(filepath.Join(checkout, "go.sum")), "locks/lock_test.go": read("testdata/outside/" + name + "/lock_test.go"),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// linesOf counts the lines of a file that are neither blank nor comments.
func linesOf(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

func environment(more ...string) []string {
	own := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CI=", "REDLOCKLAB_SEEDS=", "REDLOCKLAB_OUT=", "REDLOCKLAB_SUMMARY=", "REDLOCKLAB_PLAN=")
	return append(own, more...)
}

func goTest(dir string, variables ...string) (string, error) {
	command := exec.Command("go", "test", "-count=1", "./...")
	command.Dir, command.Env = dir, environment(variables...)
	output, err := command.CombinedOutput()
	return string(output), err
}
