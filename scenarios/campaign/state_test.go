package campaign_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// Scenarios travel to workers and into states as JSON: nothing may be lost, and
// the plans made of them must be the same.
func TestScenariosSurviveJSON(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back plan.Scenario
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, subject := range s.Subjects {
			a, err := s.Plan(subject.Title(), 7)
			if err != nil {
				t.Fatal(err)
			}
			b, err := back.Plan(subject.Title(), 7)
			if err != nil {
				t.Fatal(err)
			}
			if a.Hash() != b.Hash() {
				t.Errorf("%s %s: another plan", s.Name, subject.Title())
			}
		}
		again, err := json.Marshal(&back)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: %v\n%s\n%s", s.Name, err, text, again)
		}
	}
}

func newState(t *testing.T) *campaign.State {
	return campaign.NewState("run",
		[]campaign.Job{{Scenario: scenario(t, "BA-2", "x"), Subject: "SY-0", Seeds: seeds(1, 4)}},
		play.RunOptions{Scripts: "lua"}, "a detail")
}

func TestStateComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	state := newState(t)
	state.Add(report(1, nil)) // before it has a folder
	if err := state.KeepIn(dir); err != nil {
		t.Fatal(err)
	}
	state.Add(report(2, bothOracles, "A-VOTE"))
	failed := report(3, nil)
	failed.Failure = "killed"
	state.Add(failed)
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	var detail string
	back, err := campaign.Resume(dir, "run", &detail)
	if err != nil || detail != "a detail" {
		t.Fatal(err, detail)
	}
	defer back.Close()
	want := newState(t)
	want.Add(report(1, nil))
	want.Add(report(2, bothOracles, "A-VOTE"))
	defer want.Close()
	if !reflect.DeepEqual(back.Rows(), want.Rows()) || back.Options() != state.Options() || back.Runs() != 2 {
		t.Errorf("%+v\n%+v", back.Rows(), want.Rows())
	}
	left := back.Left(nil)
	if len(left) != 1 || !reflect.DeepEqual(left[0].Seeds, []uint64{3, 4}) {
		t.Errorf("left: %+v; want the failed seed 3 and the missing seed 4", left)
	}
}

// A line that the end of the program cut off is played again.
func TestStateThatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	state := newState(t)
	if err := state.KeepIn(dir); err != nil {
		t.Fatal(err)
	}
	state.Add(report(1, nil))
	state.Add(report(2, nil))
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journal.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	back, err := campaign.Resume(dir, "run", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if left := back.Left(nil); back.Runs() != 1 || len(left) != 1 ||
		!reflect.DeepEqual(left[0].Seeds, []uint64{2, 3, 4}) {
		t.Errorf("%d runs, left: %+v", back.Runs(), left)
	}
}

func TestStatesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	state := newState(t)
	if err := state.KeepIn(dir); err != nil {
		t.Fatal(err)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journal.File)
	header, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{string(header) + "no report\n", journal.File + ":2: "},
		{string(header) + `{"scenario":"BA-2","subject":"SY-99","seed":1}` + "\n", journal.File + ":2: "},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := campaign.Resume(dir, "run", nil)
		if !errors.Is(err, journal.ErrNone) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: %v, want %q", test.text, err, test.want)
		}
	}
	if _, err := campaign.Resume(t.TempDir(), "run", nil); !errors.Is(err, journal.ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
}

// A campaign that has no folder yet keeps its reports in a temporary file, and removes it.
func TestStateLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	state := newState(t)
	state.Add(report(1, nil))
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 1 {
		t.Fatalf("%v %v: want one file while it runs", left, err)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("%v %v left behind", left, err)
	}
}

// What a campaign keeps in memory does not grow with its runs, but for a bit each.
func TestStateStaysSmall(t *testing.T) {
	const runs = 50_000
	state := campaign.NewState("run",
		[]campaign.Job{{Scenario: scenario(t, "BA-2", "x"), Subject: "SY-0", Seeds: seeds(1, runs)}}, play.RunOptions{}, nil)
	defer state.Close()
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	state.Add(report(1, nil))
	before := heap()
	for seed := uint64(2); seed <= runs; seed++ {
		state.Add(report(seed, bothOracles, "A-VOTE"))
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes for %d runs", after-before, runs)
	}
	runtime.KeepAlive(state)
}
