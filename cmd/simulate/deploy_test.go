package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// notChecked ends a test whose tools are missing: loudly, and with CI=true as a failure.
func notChecked(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip("NOT CHECKED: " + why)
}

// small is a campaign of a second.
var small = []string{"explore", "--runs=80", "--subject=SY-0", "--break=A-VOTE"}

// do runs a program in a folder, with more environment, and returns what it printed. It may
// end with one of these exit codes.
func do(t *testing.T, dir string, environment []string, codes []int, words ...string) string {
	t.Helper()
	command := exec.Command(words[0], words[1:]...)
	command.Dir, command.Env = dir, append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	for _, code := range codes {
		if command.ProcessState != nil && command.ProcessState.ExitCode() == code {
			return string(out)
		}
	}
	t.Fatalf("%v: %v\n%s", words, err, out)
	return ""
}

// compareWhole plays the small campaign on one machine and compares it with the shards in dir/D.
func compareWhole(t *testing.T, dir string) {
	t.Helper()
	one, two := t.TempDir(), t.TempDir()
	printed := do(t, one, nil, []int{4}, append(append([]string{"simulate"}, small...), "--out", "whole")...)
	merged := do(t, two, nil, []int{4}, "simulate", "merge", filepath.Join(dir, "D"), "--out", "whole")
	_, printed, _ = strings.Cut(printed, "80 runs of")
	if _, merged, _ = strings.Cut(merged, "80 runs of"); merged != printed || !strings.Contains(merged, "overlap") {
		t.Errorf("one machine prints\n%s\nthe merge\n%s", printed, merged)
	}
	do(t, one, nil, []int{0}, "diff", "-r", filepath.Join(one, "whole"), filepath.Join(two, "whole"))
}

// TestSlurm plays an array of eight on a real Slurm of one node, then one of its shards again
// alone, and merges them.
func TestSlurm(t *testing.T) {
	for _, tool := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(tool); err != nil {
			notChecked(t, "no array is played by Slurm: "+err.Error())
		}
	}
	if testing.Short() {
		t.Skip("NOT CHECKED: -short plays no array by Slurm")
	}
	dir := t.TempDir()
	start, err := filepath.Abs("testdata/slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	array, err := filepath.Abs("deploy/array.sh")
	if err != nil {
		t.Fatal(err)
	}
	do(t, dir, []string{
		"SIMULATE=simulate", "OUT=D", "SCRIPT=" + array, "CAMPAIGN=" + strings.Join(small, " "),
	}, []int{0}, start, filepath.Join(dir, "slurm"), "sh", "-ec", `
		sbatch --wait --array=1-8 --cpus-per-task=1 "$SCRIPT" $CAMPAIGN
		rm -r D/3-of-8
		REDLOCKLAB_SHARDS=8 sbatch --wait --array=3 --cpus-per-task=1 "$SCRIPT" $CAMPAIGN`)
	compareWhole(t, dir)
}

// job is what a test reads of deploy/job.yaml.
type job struct {
	Spec struct {
		Completions      int    `yaml:"completions"`
		CompletionMode   string `yaml:"completionMode"`
		PodFailurePolicy struct {
			Rules []struct {
				Action      string `yaml:"action"`
				OnExitCodes struct {
					Values []int `yaml:"values"`
				} `yaml:"onExitCodes"`
			} `yaml:"rules"`
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				Containers []struct {
					Args []string `yaml:"args"`
					Env  []struct {
						Name  string `yaml:"name"`
						Value string `yaml:"value"`
					} `yaml:"env"`
				} `yaml:"containers"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// TestKubernetesJob: the Job is valid, and its own environment makes each index play its shard.
func TestKubernetesJob(t *testing.T) {
	text, err := os.ReadFile("deploy/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var j job
	if err := yaml.Unmarshal(text, &j); err != nil {
		t.Fatal(err)
	}
	container := j.Spec.Template.Spec.Containers[0]
	failing := j.Spec.PodFailurePolicy.Rules[0]
	if failing.Action != "FailIndex" || !slices.Equal(failing.OnExitCodes.Values, []int{exitUsage, exitToolMissing, exitBug}) {
		t.Errorf("an index fails at once with %+v; want the codes of what would be the same again", failing)
	}
	if len(container.Env) != 1 || container.Env[0].Value != strconv.Itoa(j.Spec.Completions) ||
		j.Spec.CompletionMode != "Indexed" {
		t.Errorf("%d completions with %v", j.Spec.Completions, container.Env)
	}
	command, _, err := (&program{}).root().Find(container.Args)
	if err != nil || command.ParseFlags(container.Args[1:]) != nil || command.Name() != "run" {
		t.Errorf("the Job's command %v: %v", container.Args, err)
	}
	// As the Job does, but for eight.
	dir := t.TempDir()
	for index := range 8 {
		environment := []string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(index), container.Env[0].Name + "=8"}
		do(t, dir, environment, []int{0}, append(append([]string{"simulate"}, small...), "--out", "D")...)
	}
	compareWhole(t, dir)
	// A command that is wrong ends with a code that fails the index.
	do(t, dir, []string{
		"JOB_COMPLETION_INDEX=9", container.Env[0].Name + "=8",
	}, failing.OnExitCodes.Values, append(append([]string{"simulate"}, small...), "--out", "D")...)
}

// TestKubernetesSchema holds deploy/job.yaml to the schema of Kubernetes, and sees that a
// misspelt field is refused.
func TestKubernetesSchema(t *testing.T) {
	python := python()
	if out, err := exec.Command(python, "-c", "import kubernetes_validate").CombinedOutput(); err != nil {
		notChecked(t, "deploy/job.yaml is not held to the schema of Kubernetes: "+python+" has no kubernetes-validate: "+string(out))
	}
	text, err := os.ReadFile("deploy/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte(strings.Replace(string(text), "backoffLimitPerIndex", "backoffLimitPerIndexes", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.33", "1.37"} {
		do(t, ".", nil, []int{0}, python, "-m", "kubernetes_validate", "--strict", "-k", version, "deploy/job.yaml")
		if out := do(t, ".", nil, []int{1}, python, "-m", "kubernetes_validate", "--strict", "-k", version, wrong); !strings.Contains(out, "backoffLimitPerIndexes") {
			t.Errorf("a misspelt field is refused with: %s", out)
		}
	}
}
