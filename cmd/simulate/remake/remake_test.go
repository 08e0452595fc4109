package remake

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// maker is one of a checkout with one cell, of which three seeds can be played. Its runs hold.
func maker(t *testing.T, played *[]uint64) *Maker {
	t.Helper()
	s := &plan.Scenario{Name: "MX-1", Claim: "MX-1", Seeds: plan.Seeds{First: 1, Last: 3}, Subjects: []plan.Subject{{Name: "SY-0"}}}
	cells := []matrix.Cell{{Scenario: s, Subject: s.Subjects[0]}}
	m := &Maker{
		Root: t.TempDir(), Out: io.Discard, In: &report.Input{}, Cells: cells, Asked: cells,
		Chosen: []*plan.Scenario{s},
	}
	m.Play = func(_ context.Context, _ campaign.Settings, jobs []campaign.Job, take func(campaign.Summary)) error {
		for _, job := range jobs {
			for _, seed := range job.Seeds {
				*played = append(*played, seed)
				take(campaign.Summary{
					Scenario: job.Scenario.Name, Subject: job.Subject, Seed: seed, Outcome: campaign.Finished,
				})
			}
		}
		return nil
	}
	return m
}

// keep gives the maker a journal that the test removes at its end.
func keep(t *testing.T, m *Maker) {
	t.Helper()
	j := journal.New("report", nil)
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := m.Keep(j); err != nil {
		t.Fatal(err)
	}
}

// TestUnreadableResults: a part of the results needs the others. A file of results that cannot be
// read is an error then, and no run is played. When all are made again, they begin anew.
func TestUnreadableResults(t *testing.T) {
	for name, text := range map[string]string{"missing": "", "torn": `{"version":`, "of another version": `{"version":1,"made_by":"x"}`} {
		var played []uint64
		m := maker(t, &played)
		if text != "" {
			path := filepath.Join(m.Root, report.ResultsFile)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
			if err != nil {
				t.Fatal(err)
			}
		}
		keep(t, m)
		if n, err := m.Work(3, false); err == nil {
			t.Errorf("%s: the work is %d runs", name, n)
		}
		if _, err := m.Part(t.Context(), 3, false, every); err == nil || len(played) > 0 {
			t.Errorf("%s: %v, and the seeds %v were played", name, err, played)
		}
		if n, err := m.Work(3, true); n != 3 || err != nil {
			t.Errorf("%s, all of them: %d, %v; want 3 runs", name, n, err)
		}
		butTheSecond := func(n int) bool { return n != 1 }
		_, err := m.Part(t.Context(), 3, true, butTheSecond)
		if err != nil || !slices.Equal(played, []uint64{1, 3}) {
			t.Errorf("%s, all of them: %v, and the seeds %v were played; want 1 and 3", name, err, played)
		}
	}
}

// TestLeft: runs that are known are handed on, runs that are not selected are skipped, and the
// numbers go on over the jobs.
func TestLeft(t *testing.T) {
	var played []uint64
	m := maker(t, &played)
	keep(t, m)
	m.keep(campaign.Summary{Scenario: "MX-1", Subject: "SY-0", Seed: 2})
	m.keep(campaign.Summary{Scenario: "MX-1", Subject: "SY-0", Seed: 3, Failure: "killed"})
	job := func(seeds ...uint64) campaign.Job {
		return campaign.Job{Scenario: m.Chosen[0], Subject: "SY-0", Seeds: seeds}
	}
	var known, left []uint64
	for _, job := range m.left([]campaign.Job{job(1, 2), job(3, 4)}, func(n int) bool { return n < 3 },
		func(r campaign.Summary) { known = append(known, r.Seed) }) {
		left = append(left, job.Seeds...)
	}
	if !slices.Equal(known, []uint64{2}) || !slices.Equal(left, []uint64{1, 3}) {
		t.Errorf("known %v, left %v; want 2 known, and 1 and 3 left: a run that failed is played again", known, left)
	}
	if m.Kept() != 1 {
		t.Errorf("%d runs are done; want 1", m.Kept())
	}
}

// TestMapChange names what differs between a committed map and what it is now.
func TestMapChange(t *testing.T) {
	c := &report.Map{Name: "BA-2", Heads: []string{"x", "judge", "runs"}, Records: [][]string{{"1", "", "5"}, {"2", "", "6"}}}
	now := func(records ...[]string) [][]string { return append([][]string{{"x", "judge", "runs"}}, records...) }
	for _, test := range []struct {
		now    [][]string
		sample []int
		want   string
	}{
		{now([]string{"1", "", "5"}, []string{"2", "", "6"}), []int{0, 1}, ""},
		{now([]string{"1", "", "0"}, []string{"2", "", "6"}), []int{1}, ""},
		{now([]string{"1", "", "0"}, []string{"2", "", "6"}), []int{0}, "line 2: [1  5], now [1  0]"},
		{now([]string{"1", "", "5"}, []string{"3", "", "6"}), nil, "line 3 is about [2 ], now [3 ]"},
		{now([]string{"1", "", "5"}), nil, "3 columns and 2 lines, now 3 and 1"},
	} {
		got := mapChange(c, test.now, test.sample)
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%v of %v: got %q, want %q", test.sample, test.now, got, test.want)
		}
	}
}
