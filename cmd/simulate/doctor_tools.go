package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"redlocklab/tla"
)

// tool is an outside program that some checks need.
type tool struct {
	name    string
	find    func() (where string, found bool)
	without string // what is not checked without it
	remedy  string
}

var tools = []tool{
	{"redis-server", onPath("redis-server"), "redlock, the scenarios (live) and the simulated nodes against a real Redis", "Debian: apt-get install redis-server"},
	{"strace", onPath("strace"), "the simulated nodes' slow disks against a real Redis", "Debian: apt-get install strace"},
	{"faketime", onPath("faketime"), "the simulated nodes' clock steps against a real Redis", "Debian: apt-get install faketime"},
	{"java with TLC's jar", findTLC, "the TLA+ models", strings.Join(tla.InstallCommands, " && ") + "; or name the jar by " + tla.JarVariable},
	{"chromium", onPath("chromium"), "the pages of explain --html in a browser", "Debian: apt-get install --no-install-recommends chromium"},
	{"coqc", onPath("coqc"), "the proofs", "Debian: apt-get install --no-install-recommends coq"},
}

func onPath(name string) func() (string, bool) {
	return func() (string, bool) {
		path, err := exec.LookPath(name)
		return path, err == nil
	}
}

func findTLC() (string, bool) {
	toolchain, err := tla.FindToolchain("")
	return toolchain.Jar, err == nil
}

// tools prints which outside tools are here.
func (p *program) tools() error {
	missing := 0
	for _, t := range tools {
		where, found := t.find()
		if found {
			fmt.Fprintf(p.out, "found: %s (%s)\n", t.name, where)
			continue
		}
		missing++
		fmt.Fprintf(p.out, "NOT CHECKED: %s: %s is missing (%s)\n", t.without, t.name, t.remedy)
	}
	if missing > 0 && os.Getenv("CI") == "true" {
		return exit(exitToolMissing)
	}
	return nil
}
