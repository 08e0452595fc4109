package ask_test

import (
	"flag"
	"fmt"
	"go/parser"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-redsync/redsync/v4"

	"redlocklab/redlock"
	"redlocklab/scenarios/ask"
)

var update = flag.Bool("update", false, "write SETUPS.md anew")

const page = "SETUPS.md"

// section is a ready setup on the page: what it is, its file, and what ask answers.
func section(name, text string, says []string) string {
	var about, fields []string
	for line := range strings.Lines(text) {
		if comment, is := strings.CutPrefix(line, "# "); is {
			about = append(about, comment)
		} else {
			fields = append(fields, line)
		}
	}
	return fmt.Sprintf("## %s\n\n%s\n```yaml\n%s```\n\n`./simulate ask %s` answers: %s.\n",
		name, strings.Join(about, ""), strings.Join(fields, ""), name, strings.Join(says, ", "))
}

const pageHead = `# Ready setups

` + "`./simulate ask NAME`" + ` answers for one of these setups, and ` + "`./simulate ask NAME --print`" + ` prints its file, to begin with.
` + "`./simulate ask --interview`" + ` asks for yours in plain words. Each answer below is the status of one question; ` + "`ask`" + ` says why,
what would help, and how near the border is. A test plays every setup and holds this page to the answers.
Its ` + "`-update`" + ` writes the page: ` + "`go test ./scenarios/ask -run TestAnswersNameTheBoundary -update`" + `.

| field | meaning | allowed |
|---|---|---|
`

// checkPage holds the page to the files and to what was answered: all setups, or only some.
func checkPage(t *testing.T, says map[string][]string) {
	t.Helper()
	var whole strings.Builder
	whole.WriteString(pageHead)
	for _, f := range ask.Fields() {
		fmt.Fprintf(&whole, "| `%s` | %s | %s |\n", f.Name, f.Doc, f.Allowed)
	}
	found, err := os.ReadFile(page)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(found), whole.String()) && !*update {
		t.Errorf("%s does not begin as it should: -update writes it anew", page)
	}
	for _, name := range ask.Ready() {
		text, err := ask.ReadyText(name)
		if err != nil {
			t.Fatal(err)
		}
		one := section(name, string(text), says[name])
		if _, played := says[name]; played && !*update && !strings.Contains(string(found), one) {
			t.Errorf("%s should have\n%s", page, one)
		}
		whole.WriteString("\n" + one)
	}
	if n := strings.Count(string(found), "\n## "); n != len(ask.Ready()) && !*update {
		t.Errorf("%s has %d setups; there are %d", page, n, len(ask.Ready()))
	}
	if *update && len(says) == len(ask.Ready()) {
		if err := os.WriteFile(page, []byte(whole.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadySetupsRaiseTheirQuestions: each file says what it is, and raises what it is there for.
func TestReadySetupsRaiseTheirQuestions(t *testing.T) {
	common := []string{"restart", "clocks", "step", "pause", "down"}
	want := map[string][]string{
		"debian": {"power"}, "docker": {"power"}, "k8s-statefulset": {}, "k8s-statefulset-volume": {"power"},
		"k8s-emptydir": {"power", "move"}, "k8s-rolling": {"rolling"}, "spot": {}, "three-zones": {"power"},
		"two-regions": {"power"}, "chrony": {"power"}, "ntp-boot": {"power"}, "vm-resumed": {"power", "suspend"},
		"one-server": {"power"}, "sentinel": {"power", "failover"}, "managed-failover": {"power", "failover"},
		"cluster": {"power", "failover"},
	}
	for _, name := range ask.Ready() {
		s := ready(t, name)
		var raised []string
		for _, q := range ask.Questions(&s) {
			raised = append(raised, q.Name)
		}
		expected := append(slices.Clone(common), want[name]...)
		slices.Sort(raised)
		slices.Sort(expected)
		if _, known := want[name]; !known || !slices.Equal(raised, expected) {
			t.Errorf("%s raises %v; want %v", name, raised, expected)
		}
		if _, notes := s.Notes(); slices.ContainsFunc(notes, func(n ask.Note) bool { return n.Field != "latency" }) {
			t.Errorf("%s contradicts itself: %v", name, notes)
		}
		text, _ := ask.ReadyText(name)
		if !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s does not say what it is", name)
		}
	}
	if len(want) != len(ask.Ready()) {
		t.Errorf("%d setups; want %d", len(ask.Ready()), len(want))
	}
}

func parsed(t *testing.T, text string) ask.Setup {
	t.Helper()
	s, err := ask.Parse("test", []byte(text))
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return s
}

// TestContradictionsAreTold: a setup that contradicts itself gets what is played instead, and why.
// It is never played as safer than it is.
func TestContradictionsAreTold(t *testing.T) {
	for _, test := range []struct {
		setup, field, says string
		same               string // plays the same
	}{
		{"persistence: aof-everysec\ndisk: empty", "persistence", "played as persistence none", "persistence: none\ndisk: empty"},
		{"persistence: none\ndisk: pod", "disk", "every return finds it empty", "persistence: none\ndisk: pod"},
		{"lock: redislock\nnodes: 3", "nodes", "played with nodes 1", "lock: redislock\nnodes: 1"},
		{"lock: redsync\nguard: true", "guard", "played without a guard", "lock: redsync\nguard: false"},
		{"move_after: 9s\ndisk: kept", "move_after", "not played, since disk is kept", "disk: kept\nmove_after: 9s"},
		{"lock: redsync\nfencing: every", "fencing", "gives no fencing tokens", "lock: redsync\nfencing: every"},
		{"latency: 1ms..60ms", "latency", "a node timeout of 720ms, not 50ms", "latency: 1ms..60ms"},
		{"lock: redlock\nnodes: 3\nrolling: 1s", "rolling", "3 of 3 are out at a time", "lock: redlock\nnodes: 3\nrolling: 1s"},
		{"lock: redlock\nnodes: 3\nrolling: 10s", "", "", "lock: redlock\nnodes: 3\nrolling: 10s"},
		{"lock: redsync\nnodes: 3\ndisk: empty\npersistence: none", "", "", "lock: redsync\nnodes: 3\ndisk: empty\npersistence: none"},
	} {
		s, same := parsed(t, test.setup), parsed(t, test.same)
		played, notes := s.Notes()
		fits := func(n ask.Note) bool { return n.Field == test.field && strings.Contains(n.Says, test.says) }
		if test.field != "" && !slices.ContainsFunc(notes, fits) || test.field == "" && len(notes) > 0 {
			t.Errorf("%q: %v; want %s: %s", test.setup, notes, test.field, test.says)
		}
		if equal, _ := same.Notes(); equal.Describe() != played.Describe() {
			t.Errorf("%q is played as %s; want %s", test.setup, played.Describe(), equal.Describe())
		}
		for _, n := range notes {
			for sentence := range strings.SplitAfterSeq(n.Says, ". ") {
				if words := len(strings.Fields(sentence)); words > 25 {
					t.Errorf("a sentence of %d words: %s", words, sentence)
				}
			}
		}
	}
	// Whoever asks, a log that is lost is no log.
	s := parsed(t, "lock: redsync\npersistence: aof-always\ndisk: empty\nrestart_after: 1s")
	a := answers(t, &s, "restart")["restart"]
	if a.Status != ask.Unsafe || len(a.Notes) != 1 {
		t.Errorf("aof-always without its disk: %s, %v", a.Status, a.Notes)
	}
}

// TestUnstatedFieldsAreNamed: fields that files and flags did not set.
func TestUnstatedFieldsAreNamed(t *testing.T) {
	s := parsed(t, "nodes: 5\nttl: 10s")
	unstated := s.Unstated()
	if len(unstated) != len(ask.Fields())-2 || slices.Contains(unstated, "nodes") || !slices.Contains(unstated, "disk") {
		t.Errorf("%v", unstated)
	}
}

// TestRollingRestarts: with an odd number of servers one that forgets is enough; with an even
// number two must be back, which takes two absences and the gap; an orderly stop saves.
func TestRollingRestarts(t *testing.T) {
	for _, test := range []struct {
		setup  string
		status ask.Status
	}{
		{"lock: redsync\nnodes: 3\nrestart_after: 5s\nrolling: 1m", ask.Unsafe},
		{"lock: redsync\nnodes: 4\nrestart_after: 3s\nrolling: 1s", ask.Unsafe},
		{"lock: redsync\nnodes: 4\nrestart_after: 3s\nrolling: 6s", ask.Safe},
		{"lock: redsync\nnodes: 4\nrestart_after: 3s\nrolling: 12s", ask.Safe},
		{"lock: redsync\nnodes: 3\npersistence: rdb\nrestart_after: 1s\nrolling: 1s", ask.SafeIf},
		{"lock: redsync\nnodes: 3\npersistence: aof-always\ndisk: pod\nmove_after: 1s\nrolling: 1s", ask.Unsafe},
		{"lock: redsync\nnodes: 3\npersistence: aof-always\ndisk: pod\nmove_after: 11s\nrolling: 1s", ask.Safe},
		{"lock: redlock\nnodes: 3\nrestart_after: 1s\nrolling: 1s", ask.SafeIf},
	} {
		s := parsed(t, test.setup)
		a := answers(t, &s, "rolling")["rolling"]
		if a.Status != test.status || a.Disagree != "" {
			t.Errorf("%q: %s: %s; want %s", test.setup, a.Status, a.Says, test.status)
		}
	}
}

// TestMovesAndSleeps: an emptyDir is lost with its pod, whatever is written to it; a clock that does
// not count a sleep makes a lease seem longer.
func TestMovesAndSleeps(t *testing.T) {
	for _, test := range []struct {
		setup, question string
		status          ask.Status
	}{
		{"lock: redsync\npersistence: aof-always\ndisk: pod\nmove_after: 5s\nrestart_after: 0s", "move", ask.Unsafe},
		{"lock: redsync\npersistence: aof-always\ndisk: pod\nmove_after: 5s\nrestart_after: 0s", "restart", ask.Safe},
		{"lock: redsync\npersistence: aof-always\ndisk: pod\nmove_after: 11s", "move", ask.Safe},
		{"lock: redlock\nsuspend: 1m", "suspend", ask.SafeIf},
		{"lock: redsync\nsuspend: 1m", "suspend", ask.Unsafe},
	} {
		s := parsed(t, test.setup)
		a := answers(t, &s, test.question)[test.question]
		if a.Status != test.status || a.Disagree != "" {
			t.Errorf("%q: %s %s: %s %s; want %s", test.setup, test.question, a.Status, a.Says, a.Disagree, test.status)
		}
	}
}

// TestChangesChangeSomething: no change is offered that changes nothing, or makes a setup
// contradict itself. The order is that of costs. A change has lines unless it is another lock's.
func TestChangesChangeSomething(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range []string{
		"lock: redsync\nnodes: 3\nclock_rate_ppm: 83333", "lock: redlock\nnodes: 3\nguard: true", "lock: redlock\nguard: false\nnodes: 5",
		"lock: redislock\nnodes: 1\nfailover_lag: 1s\npersistence: rdb", "lock: redsync\npersistence: aof-always",
		"lock: redsync\npersistence: aof-everysec\ndisk: pod\nmove_after: 5s\nrolling: 1s", "lock: textbook\nclock_step: 1s\nsuspend: 1s",
		"lock: redsync\ndisk: empty\npersistence: aof-always", "lock: redlock\nguard: true\nrolling: 0s\nfencing: writes",
	} {
		s := parsed(t, text)
		played, had := s.Notes()
		for _, q := range ask.Questions(&s) {
			var keys []string
			for _, c := range ask.Changes(&s, q.Name, q.Own(&s)) {
				seen[c.Key] = true
				keys = append(keys, c.Key)
				if c.Setup.Describe() == played.Describe() {
					t.Errorf("%q %s: %s changes nothing", text, q.Name, c.Key)
				}
				if _, notes := c.Setup.Notes(); len(notes) > len(had) {
					t.Errorf("%q %s: %s contradicts itself: %v", text, q.Name, c.Key, notes)
				}
				for _, line := range append([]ask.Line{{Text: c.Says}}, c.Lines...) {
					if strings.ContainsAny(line.Text, "{}") && line.In != "Kubernetes" {
						t.Errorf("%q %s: %s: %q is not filled in", text, q.Name, c.Key, line.Text)
					}
				}
			}
			if slices.Contains(keys, "guard") && keys[0] != "guard" {
				t.Errorf("%q %s: %v; want the guard first", text, q.Name, keys)
			}
		}
	}
	for _, a := range ask.ChangeKeys() {
		if !seen[a] {
			t.Errorf("no setup is offered %s", a)
		}
	}
}

// TestLinesOfGoCompile: each function that a line of Go calls exists, and the line is an expression.
func TestLinesOfGoCompile(t *testing.T) {
	known := map[string]any{
		"redlock.Open": redlock.Open, "redlock.WithRestartGuard": redlock.WithRestartGuard,
		"redlock.WithClockRateBound": redlock.WithClockRateBound, "redlock.WithFencing": redlock.WithFencing,
		"locker.TryLock": (*redlock.Locker).TryLock, "rs.NewMutex": (*redsync.Redsync).NewMutex,
		"redsync.WithDriftFactor": redsync.WithDriftFactor,
	}
	seen := 0
	for _, line := range lines(t) {
		if line.In != "Go" {
			continue
		}
		seen++
		if _, err := parser.ParseExpr(line.Text); err != nil {
			t.Errorf("%s: %v", line.Text, err)
		}
		for call := range strings.FieldsFuncSeq(line.Text, func(r rune) bool { return strings.ContainsRune("(), *", r) }) {
			ours := strings.Contains(call, ".") && !strings.HasPrefix(call, "time.") && call[0] > '9'
			if _, exists := known[call]; ours && !exists {
				t.Errorf("%s: nothing is called %s", line.Text, call)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d lines of Go", seen)
	}
}

// lines are those of all changes of some setups.
func lines(t *testing.T) (list []ask.Line) {
	t.Helper()
	for _, text := range []string{
		"lock: redsync\nnodes: 1\nclock_rate_ppm: 20000", "lock: redlock\nguard: false\nclock_step: 1s\nfailover_lag: 1s\nrolling: 1s",
	} {
		s := parsed(t, text)
		for _, q := range ask.Questions(&s) {
			for _, c := range ask.Changes(&s, q.Name, q.Own(&s)) {
				list = append(list, c.Lines...)
			}
		}
	}
	return list
}
