package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/ask"
)

// statefulSet is a StatefulSet with two places for lines of configuration.
const statefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: redis}
spec:
  serviceName: redis
  selector: {matchLabels: {app: redis}}
SPEC
  template:
    metadata: {labels: {app: redis}}
    spec:
      containers:
      - name: redis
        image: redis:8
CONTAINER
`

// linesOfChanges are the lines of all changes that some setups are offered.
func linesOfChanges(t *testing.T) map[string][]ask.Line {
	t.Helper()
	list := map[string][]ask.Line{}
	for _, text := range []string{
		"lock: redsync\nnodes: 1\nclock_rate_ppm: 20000\nclock_step: 1s\nfailover_lag: 1s",
		"lock: redlock\nguard: false\ndisk: pod\npersistence: rdb\nrolling: 1s",
	} {
		s, err := ask.Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range ask.Questions(&s) {
			for _, c := range ask.Changes(&s, q.Name, q.Own(&s)) {
				list[c.Key] = c.Lines
			}
		}
	}
	return list
}

// manifest is the StatefulSet with the lines of a change; empty: it has none for Kubernetes.
func manifest(lines []ask.Line) string {
	places := map[string]string{"spec": "", "container": ""}
	for _, l := range lines {
		if l.In == "Kubernetes" {
			places[l.At] += strings.Repeat(" ", map[string]int{"spec": 2, "container": 8}[l.At]) + l.Text + "\n"
		}
	}
	if places["spec"]+places["container"] == "" {
		return ""
	}
	return strings.NewReplacer("SPEC\n", places["spec"], "CONTAINER\n", places["container"]).Replace(statefulSet)
}

// set is what a test knows of a StatefulSet: strictly, so that a misspelt field is found.
type set struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   map[string]string
	Spec       struct {
		ServiceName          string `yaml:"serviceName"`
		Selector             any
		Replicas             int
		MinReadySeconds      int `yaml:"minReadySeconds"`
		VolumeClaimTemplates []struct {
			Metadata struct{ Name string }
			Spec     struct {
				AccessModes []string `yaml:"accessModes"`
				Resources   struct{ Requests struct{ Storage string } }
			}
		} `yaml:"volumeClaimTemplates"`
		Template struct {
			Metadata any
			Spec     struct {
				Containers []struct {
					Name, Image   string
					Command, Args []string
					VolumeMounts  []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
			}
		}
	}
}

// TestLinesOfKubernetes: with the lines of each change a StatefulSet is one, and mounts what it claims.
func TestLinesOfKubernetes(t *testing.T) {
	seen := 0
	for key, lines := range linesOfChanges(t) {
		text := manifest(lines)
		if text == "" {
			continue
		}
		seen++
		var s set
		decoder := yaml.NewDecoder(strings.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&s); err != nil {
			t.Fatalf("%s: %v\n%s", key, err, text)
		}
		container := s.Spec.Template.Spec.Containers[0]
		if len(container.Command) > 0 && !strings.Contains(strings.Join(container.Command, " "), "exec redis-server") {
			t.Errorf("%s: %v does not start the server", key, container.Command)
		}
		for _, claim := range s.Spec.VolumeClaimTemplates {
			if len(container.VolumeMounts) != 1 || container.VolumeMounts[0].Name != claim.Metadata.Name {
				t.Errorf("%s: nothing mounts %s", key, claim.Metadata.Name)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d changes have lines for Kubernetes", seen)
	}
}

// TestLinesOfKubernetesFitTheSchema holds the same to the schema of Kubernetes.
func TestLinesOfKubernetesFitTheSchema(t *testing.T) {
	python := python()
	if out, err := exec.Command(python, "-c", "import kubernetes_validate").CombinedOutput(); err != nil {
		notChecked(t, "the lines for Kubernetes are not held to its schema: "+python+" has no kubernetes-validate: "+string(out))
	}
	for key, lines := range linesOfChanges(t) {
		text := manifest(lines)
		if text == "" {
			continue
		}
		path := filepath.Join(t.TempDir(), "set.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(key)
		do(t, ".", nil, []int{0}, python, "-m", "kubernetes_validate", "--strict", "-k", "1.33", path)
	}
}

// TestLinesOfUnits: each line for systemd is a known setting of its section, and each for Redis and
// chrony is a known directive.
func TestLinesOfUnits(t *testing.T) {
	known := map[string][]string{
		"systemd Unit":    {"After=time-sync.target", "Wants=time-sync.target"},
		"systemd Service": {"ExecStartPre=/bin/sleep ", "TimeoutStartSec=infinity"},
		"redis.conf ":     {"appendonly yes", "appendfsync everysec", "appendfsync always", "replicaof no one"},
		"chrony.conf ":    {"maxslewrate ", "makestep 1 3"},
		"shell ":          {"systemctl enable systemd-time-wait-sync.service"},
	}
	seen := map[string]bool{}
	for key, lines := range linesOfChanges(t) {
		for _, l := range lines {
			if l.In == "Go" || l.In == "Kubernetes" {
				continue
			}
			place := l.In + " " + l.At
			seen[place] = true
			if !slices.ContainsFunc(known[place], func(text string) bool { return strings.HasPrefix(l.Text, text) }) {
				t.Errorf("%s: %s is not known", key, l)
			}
		}
	}
	if len(seen) != len(known) {
		t.Errorf("only %v have lines", seen)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("NOT CHECKED: systemd-analyze verifies no unit: " + err.Error())
		return
	}
	unit := filepath.Join(t.TempDir(), "redis.service")
	text := "[Unit]\nAfter=time-sync.target\nWants=time-sync.target\n" +
		"[Service]\nExecStartPre=/bin/sleep 11\nTimeoutStartSec=infinity\nExecStart=/bin/true\n"
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, ".", nil, []int{0}, "systemd-analyze", "verify", unit)
}
