package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// release is the version of this source; CITATION.cff and CHANGELOG.md have it, too.
const release = "0.1.0"

// version says the release, and the commit that the program was built from. A build without a
// commit (-buildvcs=false) names that of the checkout in which it runs, and says so.
var version = sync.OnceValue(func() string {
	return versionOf(cmp.Or(builtFrom(), checkedOut(".")))
})

// versionOf is the version with a commit; empty: it is unknown.
func versionOf(commit string) string {
	commit = cmp.Or(commit, "unknown (the build names none, and this is not its checkout)")
	return fmt.Sprintf("redlocklab %s, commit %s, %s", release, commit, runtime.Version())
}

// builtFrom is the commit that go build wrote into the program; empty if it wrote none.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", with changes"
		}
	}
	return commit + changed
}

// checkedOut is the commit of this project's checkout around a folder, and whether files differ
// from it. It is empty where there is no such checkout, or no git.
func checkedOut(folder string) string {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	root, err := filepath.Abs(folder)
	for err == nil && !ownModule(root) {
		if filepath.Dir(root) == root {
			return ""
		}
		root = filepath.Dir(root)
	}
	git := func(arguments ...string) string {
		var out []byte
		if err == nil {
			command := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-C", root}, arguments...)...)
			out, err = command.Output()
		}
		return strings.TrimSpace(string(out))
	}
	inside := git("rev-parse", "--show-prefix") // empty at the root of a checkout
	commit := git("rev-parse", "--verify", "HEAD")
	changes := git("status", "--porcelain")
	if err != nil || inside != "" {
		return ""
	}
	if changes != "" {
		commit += ", with changes"
	}
	return commit + " (of the checkout in which it runs; the build names none)"
}

// ownModule reports whether a folder is the root of this project.
func ownModule(folder string) bool {
	info, ok := debug.ReadBuildInfo()
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	first, _, _ := strings.Cut(string(text), "\n")
	return ok && err == nil && strings.TrimSpace(first) == "module "+info.Main.Path
}
