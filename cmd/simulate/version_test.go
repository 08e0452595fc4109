package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionOfCheckout: a build without a commit names that of its checkout, and changes; elsewhere
// it names none.
func TestVersionOfCheckout(t *testing.T) {
	folder := t.TempDir()
	git := func(arguments ...string) string {
		t.Helper()
		identity := []string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"}
		out, err := exec.Command("git", append(identity, arguments...)...).Output()
		if err != nil {
			t.Fatalf("git %v: %v", arguments, err)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inside := filepath.Join(folder, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "-q")
	write("go.mod", "module example.com/another\n")
	git("add", ".")
	git("commit", "-qm", "another module")
	if commit := checkedOut(inside); commit != "" {
		t.Errorf("in the checkout of another module: %q", commit)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build info")
	}
	write("go.mod", "module "+info.Main.Path+"\n\ngo 1.26\n")
	git("commit", "-qam", "ours")
	head := git("rev-parse", "HEAD")
	if commit := checkedOut(inside); !strings.HasPrefix(commit, head+" (of the checkout") {
		t.Errorf("found %q; want %s", commit, head)
	}
	write("go.mod", "module "+info.Main.Path+"\n\ngo 1.27\n")
	if commit := checkedOut(inside); !strings.HasPrefix(commit, head+", with changes (") {
		t.Errorf("found %q; want %s with changes", commit, head)
	}
	// A copy that lies in the checkout of something else has no commit of its own.
	write("inside/go.mod", "module "+info.Main.Path+"\n")
	if commit := checkedOut(inside); commit != "" {
		t.Errorf("in a copy inside of another checkout: %q", commit)
	}
	if said := versionOf(""); !strings.Contains(said, "commit unknown (") {
		t.Errorf("without a commit: %s", said)
	}
}
