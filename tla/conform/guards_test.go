package conform

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios/overlay"
)

// guard is an expression of package redlock, found by its context (in which %s
// stands for it), and what it becomes without the guard.
type guard struct{ name, file, context, with, without, scenario, unexplained string }

var guards = []guard{
	{"quorum", "redlock/round/round.go", "return %s\n", "nodes/2 + 1", "nodes / 2", "MX-4", "granted"},
	{"allowance", "redlock/allowance.go", "return %s\n", "ttl/100 + expirySlack", "expirySlack", "MX-4", "granted"},
	{"start of the validity", "redlock/acquire.go", "return f, result, %s\n", "until", "result.endedAt+limit", "MX-4", "granted"},
	{"whose key it is", "redlock/command.go", "\t\t\treturn OutcomeGranted, nil\n\t\t}\n\t\treturn %s, nil\n", "OutcomeHeldByOther", "OutcomeGranted", "BA-2", "granted"},
	{"start of an extension", "redlock/extend.go", "l.applyExtension(f, result, %s)", "start+limit", "result.endedAt+limit", "LV-2", "extended"},
	{"guard after a restart", "redlock/server_identity.go", "case %s:", "now < s.quarantineEnd", "false", "BA-2", "granted"},
	{"refusal", "redlock/fanout.go", "case OutcomeHeldByOther, OutcomeMissing:\n\t\tif %s {\n", "operation == OperationRelease", "true", "BA-2", "granted"},
	{"write-back of the fence", "redlock/acquire.go", "if %s {\n\t\tfenceResult", "a.settings.fencing", "false", "SY-10", "granted"},
	{"release", "redlock/token_state.go", "if %s {\n\t\t\tnode.apply(eventReleaseQueued)", "node.state == stateHeld || node.state == stateReleasing", "false", "MX-1-chain", "expire"},
	{"token of a release", "redlock/command.go", "words = append(words, %s)\n\tswitch", "c.token", "\"another\"", "LV-2", "extend sent"},
	{"time to live", "redlock/command.go", "milliseconds := %s\n", "c.ttl.Milliseconds()", "c.ttl.Milliseconds() / 4", "MX-1-chain", "expire"},
	{"end of sending", "redlock/request.go", "operation == OperationRelease || (%s)\n", "!f.abandoned.before(now) && !f.tokenState.stopped.before(now)", "true", "SY-11", "set sent"},
}

// switchVariable chooses the guard that the overlaid package does without.
const switchVariable = "WITHOUT_GUARD"

// chooser is added to each edited package: one build serves all edits.
const chooser = `package %s

import "os"

func choose[T any](guard string, without, with T) T {
	if os.Getenv("` + switchVariable + `") == guard {
		return without
	}
	return with
}
`

// everyGuard has TestGuardsOfThePackageAreNeeded do without each guard. TLC takes seconds for
// each, so that three are taken out otherwise, one of each kind of scenario:
//
//	go test ./tla/conform -run Guards -every-guard
var everyGuard = flag.Bool("every-guard", false, "do without each guard of package redlock, not without three")

// someGuards are taken out without -every-guard.
var someGuards = []string{"quorum", "start of an extension", "refusal"}

// Each guard of package redlock is needed: without it traces of the package are
// no behaviours of the specification. The package itself stays as it is: the
// command is built with an overlay. (Guards of the specification: package tla.)
func TestGuardsOfThePackageAreNeeded(t *testing.T) {
	requireTLC(t)
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: builds the command anew")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	binary := buildOverlaid(t, root)
	check := func(without, scenario string) (string, int) {
		command := exec.Command(binary, "conform", scenario, "--seeds", "1")
		command.Dir, command.Env = root, append(os.Environ(), switchVariable+"="+without)
		output, err := command.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(output), command.ProcessState.ExitCode()
	}
	if output, code := check("", "MX-4"); code != 0 {
		t.Fatalf("with every guard: exit code %d\n%s", code, output)
	}
	played := 0
	for _, g := range guards {
		if !*everyGuard && !slices.Contains(someGuards, g.name) {
			continue
		}
		played++
		output, code := check(g.name, g.scenario)
		if code != 1 || !strings.Contains(output, "is not explained: ") || !strings.Contains(output, " "+g.unexplained+" ") {
			t.Errorf("without %s: exit code %d, expected 1 for %q:\n%s", g.name, code, g.unexplained, output)
		}
	}
	if played < len(someGuards) {
		t.Errorf("only %d guards were taken out", played)
	}
	if !*everyGuard {
		t.Logf("ONLY %d of %d guards were taken out; -every-guard takes out each", played, len(guards))
	}
}

// buildOverlaid builds the command with a package redlock that can do without
// each of the guards.
func buildOverlaid(t *testing.T, root string) string {
	t.Helper()
	var edits []overlay.Edit
	for _, g := range guards {
		choice := fmt.Sprintf("choose(%q, %s, %s)", g.name, g.without, g.with)
		edits = append(edits, overlay.Edit{File: g.file, Old: fmt.Sprintf(g.context, g.with),
			New: fmt.Sprintf(g.context, choice)})
	}
	for _, folder := range []string{"redlock", "redlock/round"} {
		edits = append(edits, overlay.Edit{File: folder + "/choose.go", New: fmt.Sprintf(chooser, path.Base(folder))})
	}
	binary := filepath.Join(t.TempDir(), "simulate")
	if err := overlay.Build(t.Context(), root, "./cmd/simulate", binary, edits); err != nil {
		t.Fatal(err)
	}
	return binary
}
