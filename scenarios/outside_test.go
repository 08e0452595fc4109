package scenarios_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOutsideModule puts a lock that lives in a module of its own under the
// suite, as its author would: a test of thirty lines, no network.
func TestOutsideModule(t *testing.T) {
	dir := outsideModule(t)
	if output, err := goTest(dir); err != nil {
		t.Fatalf("the correct lock fails: %v\n%s", err, output)
	}

	path := filepath.Join(dir, "locks", "lock_test.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const right, wrong = "compareAndDelete.Run(ctx, l.e.Redis[0], []string{l.key}, l.token).Int()", "l.e.Redis[0].Del(ctx, l.key).Result()"
	planted := strings.Replace(string(text), right, wrong, 1)
	if planted == string(text) {
		t.Fatal("the release to be replaced is not there")
	}
	if err := os.WriteFile(path, []byte(planted), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := goTest(dir, "-run", "^TestLock$/^MX-1$")
	if err == nil {
		t.Fatalf("release by plain DEL passes:\n%s", output)
	}
	for _, want := range []string{"no broken assumption explains it", " holds r (lease ", "this is the lock's own bug", "play it again"} {
		if !strings.Contains(output, want) {
			t.Errorf("the failure does not say %q:\n%s", want, output)
		}
	}

	// The command that the failure ends with does what it says, where the module's root is.
	command := regexp.MustCompile(`REDLOCKLAB_SEEDS=\d+ REDLOCKLAB_OUT=out go test -count=1 -run '.*' example.com/mylock/locks`).FindString(output)
	again := exec.Command("sh", "-c", command)
	again.Dir, again.Env = dir, offline()
	if text, err := again.CombinedOutput(); err == nil || !strings.Contains(string(text), "saved in "+filepath.Join(dir, "locks", "out", "MX-1")) {
		t.Errorf("%q: %v\n%s", command, err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, "locks", "out", "MX-1", "explain.svg")); err != nil {
		t.Error(err)
	}
}

// outsideModule makes a module in a temporary folder that uses this one.
func outsideModule(t *testing.T) string {
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
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "locks"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf("module example.com/mylock\n\ngo 1.26.0\n\nrequire redlocklab v0.0.0\n\nreplace redlocklab => %s\n\nrequire%s", checkout, required),
		"go.sum": read(filepath.Join(checkout, "go.sum")), "locks/lock_test.go": read("testdata/outside/lock_test.go"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func offline() []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "REDLOCKLAB_SEEDS=", "REDLOCKLAB_OUT=")
}

func goTest(dir string, arguments ...string) (string, error) {
	command := exec.Command("go", append([]string{"test", "-count=1", "./..."}, arguments...)...)
	command.Dir, command.Env = dir, offline()
	output, err := command.CombinedOutput()
	return string(output), err
}
